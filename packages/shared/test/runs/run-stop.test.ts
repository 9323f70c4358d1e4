import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { beat, messageOf, rowOf, sessionOf } from '../chat/chat-support.ts';

let world: ServiceWorld;

beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

async function stopsOf(coordinatorId = 'host-a') {
  return (await world.coordination.work(coordinatorId)).stop;
}

test('stopping a run fails what it holds and what waits, ends its session, and starts nothing', async () => {
  const membership = await world.agentInProject();
  const { runId, caller } = await world.warmAgent(membership);
  const post = async (content: string) =>
    (await world.chat.post(world.owner, { ...membership, content })).message;
  const held = await post('held');
  await world.delivery.take(caller);
  const waiting = await post('waiting');
  await world.runs.stop(world.owner, runId);
  for (const { id } of [held, waiting])
    expect(await messageOf(world, id)).toMatchObject({
      state: 'failed',
      failure: { code: 'stopped_by_person' },
    });
  expect(await sessionOf(world, caller.sessionId)).toMatchObject({ state: 'terminating' });
  expect(await stopsOf()).toContainEqual({ runId, reason: 'stopped_by_person' });
  expect(await beat(world, caller)).toEqual({ control: 'stop', repeat: false });

  // A person's next message is a new beginning: it waits for the next start and does not fail with the old one.
  const next = await post('and now?');
  await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGTERM', cause: 'killed' });
  expect(await sessionOf(world, caller.sessionId)).toMatchObject({ state: 'ended' });
  expect(await messageOf(world, next.id)).toMatchObject({ state: 'stored' });
  expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
  expect(await checkInvariants(world.database)).toEqual([]);
});

test('after the stop nothing stands that could start by itself', async () => {
  const membership = await world.agentInProject();
  const { runId, caller } = await world.warmAgent(membership);
  await world.chat.post(world.owner, { ...membership, content: 'hello' });
  await world.runs.stop(world.owner, runId);
  await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGTERM', cause: 'killed' });
  world.clock.advance(5_000);
  await world.sweeper.runOnce();
  expect(await rowOf(world, membership)).toBeUndefined();
  expect((await sessionOf(world, caller.sessionId)).state).toBe('ended');
});

test('a run that has not signed in takes its wake-up along, and its ticket opens nothing any more', async () => {
  const membership = await world.agentInProject();
  await world.coordinator();
  await world.chat.start(world.owner, membership);
  const { message } = await world.chat.post(world.owner, { ...membership, content: 'hello' });
  const action = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (action.action !== 'start') throw new Error('no start');
  await world.runs.stop(world.owner, action.runId);
  expect(await messageOf(world, message.id)).toMatchObject({ state: 'failed' });
  expect(await rowOf(world, membership)).toBeUndefined();
  const late = await world.sessions.authenticate({ bearer: action.ticket ?? '', address: '127.0.0.1' });
  expect(late).toMatchObject({ success: false });
});

test('a run beside the session of somebody else ends alone (trap 8)', async () => {
  const membership = await world.agentInProject();
  const { runId } = await world.warmAgent(membership);
  const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
  const other = await world.sessions.authenticate({
    ...membership,
    passkey,
    replace: true,
    address: '127.0.0.1',
  });
  if (!other.success) throw new Error(other.error);
  const { message } = await world.chat.post(world.owner, { ...membership, content: 'for the new one' });
  await world.runs.stop(world.owner, runId);
  await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGTERM', cause: 'killed' });
  expect(await sessionOf(world, other.sessionId)).toMatchObject({ state: 'active' });
  expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored' });
});
