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
  more: { coordinatorId?: string; keepsEgress?: boolean } = {},
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
    ...more,
  });
/** One that keeps runs to the list of their project. */
const keeper = (capacity = 1_000, running: string[] = []) =>
  containers(capacity, running, 'docker', { coordinatorId: 'host-k', keepsEgress: true });
const ask = (membership: WorldAgent, coordinatorId: string) =>
  world.coordination.getAgentAction({ ...membership, coordinatorId });
const listed = async (coordinatorId: string) => (await world.coordination.work(coordinatorId)).pairs;

/** An agent that somebody has written to. */
async function waiting(executor: 'any' | 'docker', egress?: string[]): Promise<WorldAgent> {
  const membership = await world.agentInProject();
  await world.agents.update(world.owner, membership.agentId, { executor });
  if (egress) await world.projects.update(world.owner, membership.projectId, { egress });
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

test.each(['any', 'docker'] as const)(
  'a run of a project with a list is for a Coordinator that keeps it: an agent that may live in %s',
  async (executor) => {
    await containers();
    await keeper();
    const membership = await waiting(executor, ['example.org']);
    for (const other of ['host-a', 'host-c']) {
      expect(await listed(other)).toEqual([]);
      expect(await ask(membership, other)).toEqual({ action: 'hold', reason: 'needs_egress' });
    }
    expect(await listed('host-k')).toEqual([membership]);
    expect(await ask(membership, 'host-k')).toMatchObject({
      action: 'start',
      egress: ['example.org'],
      workingDirectory: expect.any(String),
    });
  },
);

test('an empty list is one too', async () => {
  await keeper();
  expect(await ask(await waiting('any', []), 'host-a')).toEqual({ action: 'hold', reason: 'needs_egress' });
});

test('when none that keeps lists lives, another is given the start, to say why there is none', async () => {
  await containers();
  const membership = await waiting('docker', []);
  expect(await listed('host-a')).toEqual([membership]);
  const start = await ask(membership, 'host-c');
  expect(start).toMatchObject({ action: 'start', egress: [] });
  // One of an older version, which does not know of lists, must not start it.
  expect(start).not.toHaveProperty('workingDirectory');
});

test('one that keeps lists takes any other agent too', async () => {
  await keeper();
  expect(await ask(await waiting('docker'), 'host-k')).toMatchObject({ action: 'start', egress: null });
});

test('a Coordinator that says of itself that it keeps no list any more is given none', async () => {
  await keeper();
  await containers(1_000, [], 'docker', { coordinatorId: 'host-k' });
  const start = await ask(await waiting('any', []), 'host-k');
  expect(start).not.toHaveProperty('workingDirectory');
});

test('room for a run with a list is made where lists are kept, and not elsewhere', async () => {
  await containers();
  const elsewhere = await idleAt('host-c');
  await keeper();
  const kept = await idleAt('host-k');
  await keeper(1, [kept.runId]);
  const membership = await waiting('any', []);
  expect(await ask(membership, 'host-k')).toEqual({ action: 'hold', reason: 'capacity' });
  expect((await sessionOf(world, kept.sessionId)).state).toBe('terminating');
  expect((await sessionOf(world, elsewhere.sessionId)).state).toBe('active');
});

test('a list that is set or taken back counts for what waits already', async () => {
  await keeper();
  const membership = await waiting('any');
  const change = (egress: string[] | null) =>
    world.projects.update(world.owner, membership.projectId, { egress });
  await change(['example.org']);
  expect(await listed('host-a')).toEqual([]);
  await change(null);
  expect(await listed('host-a')).toEqual([membership]);
});
