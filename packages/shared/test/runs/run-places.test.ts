import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { expectInvariants } from '../chat/chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
beforeEach(() => world.coordinator());
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const beat = (coordinatorId: string, running: string[], memory: { runId: string; memoryMb: number }[]) =>
  world.coordination.beat({
    coordinatorId,
    host: coordinatorId,
    bootId: 'boot',
    capacity: 1_000,
    running,
    labels: [],
    roots: [],
    memory,
  });

test('what a run needs is kept as it was read last, and at most; of one that is over only the most', async () => {
  const { runId } = await world.warmAgent(await world.agentInProject());
  const need = (memoryMb: number, coordinatorId = 'host-a') =>
    beat(coordinatorId, [runId], [{ runId, memoryMb }]);
  const shown = async () => (await world.runs.get(world.owner, runId)).memory;
  expect(await shown()).toBeUndefined();
  await need(90);
  await need(60);
  expect(await shown()).toEqual({ nowMb: 60, mostMb: 90 });
  // A run of another Coordinator.
  await need(500, 'host-b');
  expect(await shown()).toEqual({ nowMb: 60, mostMb: 90 });
  await world.coordination.reportProcessExit({ runId, exitCode: 0 });
  await need(500);
  expect(await shown()).toEqual({ mostMb: 90 });
});

test('a start carries the limits of its agent', async () => {
  const membership = await world.agentInProject();
  const limits = { memoryMb: 2_048, processes: 512 };
  await world.agents.update(world.owner, membership.agentId, { limits });
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  const action = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (action.action !== 'start') throw new Error('no start');
  expect(action.limits).toEqual(limits);
  await world.coordination.reportProcessExit({ runId: action.runId, exitCode: 0 });
});

test.each([
  ['swarm' as const, { memoryMb: 1_024, cpus: 1, processes: 256 }],
  // A cluster has no limit of processes for one run.
  ['kubernetes' as const, { memoryMb: 1_024, cpus: 1 }],
])('where it lives is known when it has started: %s', async (executor, limits) => {
  const membership = await world.agentInProject();
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  const action = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (action.action !== 'start') throw new Error('no start');
  const { runId } = action;
  const placed = async () => {
    const { executor, node, image, limits } = await world.runs.get(world.owner, runId);
    return { executor, node, image, limits };
  };
  expect(await placed()).toEqual({});
  const place = {
    executor,
    node: 'node-1',
    image: 'aizuchi-runner',
    limits,
  };
  const process = { host: 'host-a', bootId: 'boot', pid: 1, startTicks: 1 };
  await world.coordination.reportProcessStarted({ runId, coordinatorId: 'host-a', ...process, ...place });
  expect(await placed()).toEqual(place);
  await world.coordination.reportProcessExit({ runId, exitCode: 0 });
});

test('a run whose node is lost says so, and its work is given out again, slower each time', async () => {
  const membership = await world.agentInProject();
  const { runId } = await world.warmAgent(membership);
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  // The delay of a start is a second: it must not pass while the test looks.
  await world.clock.frozen(async () => {
    const lost = { runId, exitCode: null, cause: 'lost' as const, error: 'The node node-2 is gone.' };
    await world.coordination.reportProcessExit(lost);
    expect(await world.runs.get(world.owner, runId)).toMatchObject({
      exitCause: 'lost',
      error: 'The node node-2 is gone.',
    });
    // Told twice, it is accepted twice.
    await world.coordination.reportProcessExit(lost);
    const ask = () => world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    expect(await ask()).toMatchObject({ action: 'hold' });
    world.clock.advance(1_000);
    const next = await ask();
    if (next.action !== 'start') throw new Error('no start');
    // It takes the next node down before it has signed in.
    await world.coordination.reportProcessExit({ ...lost, runId: next.runId });
    world.clock.advance(1_000);
    // The second in a row.
    expect(await ask()).toMatchObject({ action: 'hold' });
    world.clock.advance(1_000);
    const last = await ask();
    if (last.action !== 'start') throw new Error('no start');
    await world.coordination.reportProcessExit({ runId: last.runId, exitCode: 0 });
  });
});

test('a run that a person stopped was killed, also when its node is lost meanwhile', async () => {
  const { runId } = await world.warmAgent(await world.agentInProject());
  await world.runs.stop(world.owner, runId);
  await world.coordination.reportProcessExit({ runId, exitCode: null, cause: 'lost', error: 'Gone.' });
  expect(await world.runs.get(world.owner, runId)).toMatchObject({ exitCause: 'killed' });
});
