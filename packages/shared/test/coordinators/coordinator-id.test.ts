import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CoordinatorBeat } from '../../src/core/coordinators/coordinator-beat.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { expectInvariants, runOf } from '../chat/chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const taken = { code: 'coordinator_id_taken' };
const beat = (id: string, changes: Partial<CoordinatorBeat> = {}): CoordinatorBeat => ({
  coordinatorId: id,
  host: 'one',
  bootId: 'boot-1',
  instanceId: 'home-1',
  capacity: 10,
  running: [],
  labels: [],
  roots: [],
  ...changes,
});
const other = { host: 'two', bootId: 'boot-2', instanceId: 'home-2' };

async function started(id: string) {
  await world.coordination.beat(beat(id));
  const membership = await world.agentInProject();
  await world.chat.start(world.owner, { ...membership, viewerId: 'v' });
  const action = await world.coordination.getAgentAction({
    ...membership,
    coordinatorId: id,
    instanceId: 'home-1',
  });
  if (action.action !== 'start') throw new Error(`no start: ${JSON.stringify(action)}`);
  return { membership, runId: action.runId };
}

it('a second host of one id is refused in one sentence, and gives up no run of the first', async () => {
  const { runId } = await started('twice');
  world.clock.advance(6_000);
  const refused = world.coordination.beat(beat('twice', other));
  await expect(refused).rejects.toMatchObject({
    ...taken,
    message: expect.stringMatching(/^The COORDINATOR_ID twice is in use .* on the host one: .*\.$/),
    details: { host: 'one', last_seen_at: expect.any(String) },
  });
  await expect(world.coordination.beat(beat('twice', { instanceId: 'home-2' }))).rejects.toMatchObject(taken);
  await expect(world.coordination.beat(beat('twice', { bootId: 'boot-2' }))).rejects.toMatchObject(taken);
  expect((await runOf(world, runId)).state).toBe('starting');
  await world.coordination.beat(beat('twice', { running: [runId] }));
  expect((await runOf(world, runId)).state).toBe('starting');
});

it('the refused one takes no start, reports no run, and is no sign of life of the first', async () => {
  const { membership, runId } = await started('asks');
  const report = { runId, coordinatorId: 'asks', host: 'two', bootId: 'boot-2', pid: 1, startTicks: 1 };
  await expect(
    world.coordination.getAgentAction({ ...membership, coordinatorId: 'asks', instanceId: 'home-2' }),
  ).rejects.toMatchObject(taken);
  await expect(
    world.coordination.reportProcessStarted({ ...report, instanceId: 'home-2' }),
  ).rejects.toMatchObject(taken);
  await expect(
    world.coordination.reportProcessStarted({ ...report, coordinatorId: 'another' }),
  ).rejects.toMatchObject({ code: 'run_lost' });
  const exit = { runId, exitCode: null, cause: 'killed' as const };
  await expect(
    world.coordination.reportProcessExit({ ...exit, coordinatorId: 'asks', instanceId: 'home-2' }),
  ).rejects.toMatchObject(taken);
  await expect(
    world.coordination.reportProcessExit({ ...exit, coordinatorId: 'another', instanceId: 'home-1' }),
  ).rejects.toMatchObject({ code: 'run_lost' });
  expect((await runOf(world, runId)).state).toBe('starting');
  const seenAt = async () =>
    (await world.database.pool.query(`select last_seen_at from coordinators where id = 'asks'`)).rows[0]
      .last_seen_at;
  const before = await seenAt();
  world.clock.advance(1_000);
  await world.coordination.seen(beat('asks', other));
  expect(await seenAt()).toEqual(before);
  await world.coordination.seen(beat('asks'));
  expect(await seenAt()).not.toEqual(before);
});

it('of two that come at once with a new id one has it', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const both = await Promise.allSettled([
      world.coordination.beat(beat(`new-${turn}`)),
      world.coordination.beat(beat(`new-${turn}`, other)),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find((one) => one.status === 'rejected')).toMatchObject({ reason: taken });
  }
});

it('one that moved has its id when the runs of the old one are given up; that one is refused then', async () => {
  const { runId } = await started('moves');
  world.clock.advance(35_000);
  await world.sweeper.runOnce();
  await expect(world.coordination.beat(beat('moves', other))).rejects.toMatchObject(taken);
  world.clock.advance(11_000);
  await world.sweeper.runOnce();
  expect((await runOf(world, runId)).exitCause).toBe('lost');
  await world.coordination.beat(beat('moves', other));
  await expect(world.coordination.beat(beat('moves', { running: [runId] }))).rejects.toMatchObject(taken);
  // Without an heir it comes back to its id.
  await started('alone');
  world.clock.advance(46_000);
  await world.sweeper.runOnce();
  await world.coordination.beat(beat('alone'));
});

it('a restart goes on at once; after a reboot its runs are known to be gone', async () => {
  const { runId } = await started('boots');
  await world.coordination.beat(beat('boots', { running: [runId] }));
  expect((await runOf(world, runId)).state).toBe('starting');
  world.clock.advance(20_000);
  await world.coordination.beat(beat('boots', { bootId: 'boot-2' }));
  expect((await runOf(world, runId)).exitCause).toBe('lost');
});
