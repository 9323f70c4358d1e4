import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { rowOf, sessionOf } from '../chat/chat-support.ts';

/** A queue spans projects, so each test has a database of its own. */
let world: ServiceWorld;
beforeEach(async () => {
  world = await ServiceWorld.create();
  await world.coordinator('host-a');
});
afterEach(async () => {
  expect(await checkInvariants(world.database)).toEqual([]);
  await world.close();
});

const containers = (
  capacity = 1_000,
  running: string[] = [],
  executor: 'docker' | 'swarm' | 'kubernetes' = 'docker',
) =>
  world.coordination.beat({
    coordinatorId: 'host-c',
    host: 'host-c',
    bootId: 'boot',
    capacity,
    running,
    labels: [],
    roots: [],
    executor,
  });
const ask = (membership: WorldAgent, coordinatorId: string) =>
  world.coordination.getAgentAction({ ...membership, coordinatorId });
const listed = async (coordinatorId: string) => (await world.coordination.work(coordinatorId)).pairs;

/** An agent that somebody has written to. */
async function waiting(executor: 'any' | 'docker'): Promise<WorldAgent> {
  const membership = await world.agentInProject();
  await world.agents.update(world.owner, membership.agentId, { executor });
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  world.clock.advance(1);
  return membership;
}

test.each(['docker', 'swarm', 'kubernetes'] as const)(
  'an agent that must live in a container is for a Coordinator that has them: %s',
  async (executor) => {
    await containers(1_000, [], executor);
    const membership = await waiting('docker');
    expect(await listed('host-a')).toEqual([]);
    expect(await ask(membership, 'host-a')).toEqual({ action: 'hold', reason: 'needs_container' });
    expect(await listed('host-c')).toEqual([membership]);
    expect(await ask(membership, 'host-c')).toMatchObject({
      action: 'start',
      executor: 'docker',
      workingDirectory: expect.any(String),
    });
  },
);

test('any other agent is for each of them', async () => {
  await containers();
  const membership = await waiting('any');
  expect(await listed('host-c')).toEqual([membership]);
  expect(await listed('host-a')).toEqual([membership]);
  expect(await ask(membership, 'host-a')).toMatchObject({ action: 'start', executor: 'any' });
});

test('when none that has them lives, another is given the start, to say why there is none', async () => {
  await containers();
  const membership = await waiting('docker');
  world.clock.advance(15_001);
  await world.coordinator('host-a');
  expect(await listed('host-a')).toEqual([membership]);
  const start = await ask(membership, 'host-a');
  expect(start).toMatchObject({ action: 'start', executor: 'docker' });
  // One of an older version, which does not know of containers, must not start it.
  expect(start).not.toHaveProperty('workingDirectory');
});

test('a Coordinator of which a beat says something else has containers no more', async () => {
  await containers();
  const membership = await waiting('docker');
  await world.coordinator('host-c');
  expect(await ask(membership, 'host-a')).toMatchObject({ action: 'start', executor: 'docker' });
});

test('while containers have no place its clock rests, whatever place another Coordinator has', async () => {
  await containers(0);
  const membership = await waiting('docker');
  expect(await ask(membership, 'host-c')).toEqual({ action: 'hold', reason: 'capacity' });
  world.clock.advance(300_001);
  await world.coordinator('host-a');
  await containers(0);
  await world.sweeper.runOnce();
  expect(await rowOf(world, membership)).toMatchObject({ heldFor: 'capacity' });
});

test('room for one is made where containers are, and not elsewhere', async () => {
  await containers(1);
  const warm = async (executor: 'any' | 'docker', coordinatorId: string) => {
    const membership = await world.agentInProject();
    await world.agents.update(world.owner, membership.agentId, { executor });
    await world.chat.start(world.owner, membership);
    const { caller } = await world.signIn(membership, coordinatorId);
    world.clock.advance(1_000);
    return caller.sessionId;
  };
  const elsewhere = await warm('any', 'host-a');
  const inContainer = await warm('docker', 'host-c');
  const membership = await waiting('docker');
  expect(await ask(membership, 'host-c')).toEqual({ action: 'hold', reason: 'capacity' });
  expect((await sessionOf(world, inContainer)).state).toBe('terminating');
  expect((await sessionOf(world, elsewhere)).state).toBe('active');
});

test('agents that wait for a container keep no place of another Coordinator', async () => {
  await containers(0);
  const inContainer = await waiting('docker');
  expect(await ask(inContainer, 'host-c')).toEqual({ action: 'hold', reason: 'capacity' });
  await world.coordinator('host-a', [], 1);
  const anywhere = await waiting('any');
  expect(await ask(anywhere, 'host-a')).toMatchObject({ action: 'start' });
});

/** A session without work that nobody looks at. */
async function idleAt(coordinatorId: string) {
  const membership = await world.agentInProject();
  await world.chat.start(world.owner, { ...membership });
  const { runId, caller } = await world.signIn(membership, coordinatorId);
  world.clock.advance(1_000);
  return { runId, sessionId: caller.sessionId };
}

test('an idle session in a container makes room for an agent that waits for one, though others have places', async () => {
  const onHost = await idleAt('host-a');
  await containers();
  const inContainer = await idleAt('host-c');
  await containers(1, [inContainer.runId]);
  const membership = await waiting('docker');
  expect(await ask(membership, 'host-c')).toEqual({ action: 'hold', reason: 'capacity' });
  expect((await sessionOf(world, inContainer.sessionId)).state).toBe('terminating');
  expect((await sessionOf(world, onHost.sessionId)).state).toBe('active');
});

test('no session elsewhere ends for an agent that waits for a container', async () => {
  const onHost = await idleAt('host-a');
  await world.coordinator('host-a', [onHost.runId], 1);
  await containers(0);
  const membership = await waiting('docker');
  expect(await ask(membership, 'host-c')).toEqual({ action: 'hold', reason: 'capacity' });
  expect((await sessionOf(world, onHost.sessionId)).state).toBe('active');
});

test('agents that may live anywhere get room beside one that waits for a container', async () => {
  const onHost = await idleAt('host-a');
  await world.coordinator('host-a', [onHost.runId], 1);
  await containers(0);
  await ask(await waiting('docker'), 'host-c');
  expect(await ask(await waiting('any'), 'host-a')).toEqual({ action: 'hold', reason: 'capacity' });
  expect((await sessionOf(world, onHost.sessionId)).state).toBe('terminating');
});
