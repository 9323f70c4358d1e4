import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loseSilentCoordinators } from '../../src/core/coordinators/coordinator-beat.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  coordinationOnOwnConnections,
  nextAction,
  rowOf,
  runOf,
  sessionOf,
  statusOf,
  takeStart,
} from '../chat/chat-support.ts';

/** A queue spans projects, so each test has a database of its own. */
let world: ServiceWorld;
beforeEach(async () => {
  world = await ServiceWorld.create();
});
afterEach(async () => {
  expect(await checkInvariants(world.database)).toEqual([]);
  await world.close();
});

const TTL_MS = 300_000;
const held = { action: 'hold', reason: 'capacity' };
const ask = (membership: WorldAgent, coordinatorId = 'host-a') =>
  world.coordination.getAgentAction({ ...membership, coordinatorId });
const post = async (membership: WorldAgent, content = 'hi') =>
  (await world.chat.post(world.owner, { ...membership, content })).message;

/** The host's places, seen now. */
async function places(capacity: number): Promise<void> {
  const { rows } = await world.database.pool.query(`select id from agent_runs where state <> 'exited'`);
  await world.coordinator(
    'host-a',
    rows.map(({ id }) => id),
    capacity,
  );
}

/** A warm session that nobody looks at, since the given moment idle. */
async function warm(capacity: number, options: { viewer?: boolean } = {}) {
  const membership = await world.agentInProject();
  await places(capacity);
  await world.chat.start(world.owner, { ...membership, ...(options.viewer && { viewerId: 'v' }) });
  const { runId, caller } = await world.signIn(membership);
  world.clock.advance(1_000);
  return { membership, runId, caller };
}

async function waiting(): Promise<WorldAgent> {
  const membership = await world.agentInProject();
  await post(membership);
  world.clock.advance(1);
  return membership;
}

async function leaves({ runId, caller }: Awaited<ReturnType<typeof warm>>): Promise<void> {
  await world.sessions.acknowledged([caller.sessionId]);
  await world.sessions.logout(caller);
  await world.coordination.reportProcessExit({ runId, exitCode: 0 });
}

async function positions(pairs: readonly WorldAgent[]) {
  return Promise.all(pairs.map(async (membership) => (await statusOf(world, membership)).position));
}

async function toldOf(membership: WorldAgent, act: () => Promise<unknown>): Promise<boolean> {
  const last = await world.database.pool.query('select coalesce(max(id), 0) as id from change_log');
  await act();
  const { rows } = await world.database.pool.query(
    `select from change_log where id > $1 and kind = 'session' and ref ->> 'agentId' = $2`,
    [last.rows[0].id, membership.agentId],
  );
  return rows.length > 0;
}

describe('the queue for a place', () => {
  it('has positions from 1 in the order of arrival, over all projects; whoever stands behind is told when it moves', async () => {
    const first = await warm(1, { viewer: true });
    const queue = [await waiting(), await waiting(), await waiting()];
    expect(await positions(queue)).toEqual([undefined, undefined, undefined]);
    const [one, two, three] = queue as [WorldAgent, WorldAgent, WorldAgent];
    // Asked for in any order.
    for (const membership of [three, one, two])
      expect(await ask(membership)).toEqual({ action: 'hold', reason: 'capacity' });
    expect(await statusOf(world, two)).toMatchObject({
      chatStatus: 'queued',
      reason: 'capacity',
      position: 2,
    });
    expect(await positions(queue)).toEqual([1, 2, 3]);

    // One gives up: the one behind moves up, and its page hears of it.
    expect(await toldOf(three, () => world.chat.end(world.owner, { ...two, force: true }))).toBe(true);
    expect(await positions(queue)).toEqual([1, undefined, 2]);

    // A place comes free: the first is served.
    await world.chat.end(world.owner, { ...first.membership, force: true });
    await leaves(first);
    expect((await world.coordination.work('host-a')).pairs).toEqual([one, three]);
    expect(await toldOf(three, () => takeStart(world, one))).toBe(true);
    expect(await statusOf(world, one)).toMatchObject({ chatStatus: 'starting', phase: 'picked_up' });
    expect(await ask(three)).toEqual({ action: 'hold', reason: 'capacity' });
    expect(await positions([three])).toEqual([1]);
  });

  it('gives a place to who stands first, also when one behind it or a newcomer asks sooner', async () => {
    await places(0);
    const queue = [await waiting(), await waiting()];
    const [older, younger] = queue as [WorldAgent, WorldAgent];
    for (const membership of queue) await ask(membership);
    const newcomer = await waiting();
    await places(1);
    for (const membership of [newcomer, younger]) expect(await ask(membership)).toEqual(held);
    expect(await positions([older, younger, newcomer])).toEqual([1, 2, 3]);
    expect((await ask(older)).action).toBe('start');
    expect(await ask(younger)).toEqual(held);
    await places(3);
    expect((await ask(newcomer)).action).toBe('start');
    expect((await ask(younger)).action).toBe('start');
  });

  it('gives it to the older one whichever of two questions at the same time is faster', async () => {
    const { coordination, close } = coordinationOnOwnConnections(world, 4);
    for (let round = 0; round < 5; round += 1) {
      await places(0);
      const [older, younger] = [await waiting(), await waiting()];
      for (const membership of [older, younger]) await ask(membership);
      await places(1);
      const [second, first] = await Promise.all(
        [younger, older].map((membership) =>
          coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' }),
        ),
      );
      expect(second).toEqual(held);
      if (first?.action !== 'start') throw new Error(first?.reason);
      for (const membership of [older, younger])
        await world.chat.end(world.owner, { ...membership, force: true });
      await world.coordination.reportProcessExit({ runId: first.runId, exitCode: 0 });
    }
    await close();
  });

  it('keeps no place for one that could not start now', async () => {
    const { membership: ending } = await warm(1, { viewer: true });
    const [cooling, younger] = [await waiting(), await waiting()];
    for (const membership of [cooling, younger]) await ask(membership);
    await places(2);
    const { runId } = await takeStart(world, cooling);
    await world.clock.frozen(async () => {
      await world.coordination.reportProcessExit({ runId, exitCode: 1 });
      await world.chat.end(world.owner, ending);
      await post(ending);
      expect((await ask(ending)).action).toBe('hold');
      expect(await ask(cooling)).toEqual({ action: 'hold', reason: 'cooling_down' });
      expect((await ask(younger)).action).toBe('start');
    });
  });

  it('keeps none for one that no Coordinator asks for any more', async () => {
    await places(0);
    const [left, younger] = [await waiting(), await waiting()];
    await ask(left);
    await places(1);
    expect(await ask(younger)).toEqual(held);
    await world.sweeper.runOnce();
    expect((await ask(younger)).action).toBe('start');
  });

  it('does not eat the TTL; it goes on as soon as a place is free and nobody takes it', async () => {
    await warm(1, { viewer: true });
    const membership = await waiting();
    await ask(membership);
    for (let minute = 0; minute < 10; minute += 1) {
      world.clock.advance(60_000);
      await places(1);
      await world.presence.renewViewers(world.owner, { projectId: membership.projectId, viewerId: 'v' });
      await world.sweeper.runOnce();
    }
    expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
    await places(2);
    world.clock.advance(1_000);
    await world.sweeper.runOnce();
    world.clock.advance(TTL_MS);
    await places(2);
    await world.sweeper.runOnce();
    expect(await rowOf(world, membership)).toBeUndefined();
  });

  it('one free place starts the first of the queue, not all of it', async () => {
    await warm(1, { viewer: true });
    const queue = [await waiting(), await waiting(), await waiting()];
    for (const membership of queue) await ask(membership);
    await places(2);
    for (let round = 0; round < 3; round += 1) await world.sweeper.runOnce();
    const held = await Promise.all(
      queue.map(async (membership) => (await rowOf(world, membership))?.heldFor),
    );
    expect(held).toEqual([null, 'capacity', 'capacity']);
  });

  it('a run that was given up keeps its place while its host still lists it (I-9)', async () => {
    const { runId } = await warm(1, { viewer: true });
    const membership = await waiting();
    world.clock.advance(46_000);
    await loseSilentCoordinators(world.deps);
    expect((await runOf(world, runId)).exitCause).toBe('lost');
    // Thawed: the process is still there, and told to end.
    await world.clock.frozen(async () => {
      await world.coordinator('host-a', [runId], 1);
      expect((await world.coordination.work('host-a')).stop).toContainEqual({ runId, reason: 'lost' });
    });
    expect(await ask(membership)).toEqual({ action: 'hold', reason: 'capacity' });
    world.clock.advance(11_000);
    await world.coordinator('host-a', [], 1);
    expect((await ask(membership)).action).toBe('start');
  });
});

describe('making room', () => {
  it('ends the warm session that is idle longest, and gives its place to the first who waits', async () => {
    const [longest, shorter] = [await warm(2), await warm(2)];
    const membership = await waiting();
    expect(await ask(membership)).toEqual({ action: 'hold', reason: 'capacity' });
    expect(await nextAction(world, longest.caller.sessionId)).toEqual({ kind: 'exit', reason: 'evicted' });
    expect((await sessionOf(world, shorter.caller.sessionId)).state).toBe('active');
    // Its place is on the way: nobody else has to leave for the same one.
    expect(await ask(membership)).toEqual({ action: 'hold', reason: 'capacity' });
    expect((await world.sweeper.runOnce()).evicted).toBe(0);
    await leaves(longest);
    expect((await ask(membership)).action).toBe('start');
    expect(await runOf(world, longest.runId)).toMatchObject({ exitCause: 'finished', stopReason: 'evicted' });
  });

  it('never ends one that answers, has something to read, or is looked at', async () => {
    const [answering, unread, seen] = [await warm(3), await warm(3), await warm(3, { viewer: true })];
    await post(answering.membership);
    await world.delivery.take(answering.caller);
    await post(unread.membership);
    const membership = await waiting();
    expect(await ask(membership)).toEqual({ action: 'hold', reason: 'capacity' });
    expect((await world.sweeper.runOnce()).evicted).toBe(0);
    for (const { caller } of [answering, unread, seen])
      expect((await sessionOf(world, caller.sessionId)).state).toBe('active');

    // As soon as one is done, the sweeper makes it leave: nobody has to ask again.
    await world.delivery.respond(answering.caller, { content: 'done' });
    expect((await world.sweeper.runOnce()).evicted).toBe(1);
    expect(await nextAction(world, answering.caller.sessionId)).toEqual({ kind: 'exit', reason: 'evicted' });
  });

  it('ends as many as wait, also when two look at the same time', async () => {
    const idle = [await warm(3), await warm(3), await warm(3)];
    const queue = [await waiting(), await waiting()];
    const { coordination, close } = coordinationOnOwnConnections(world, 4);
    await Promise.all(
      [...queue, ...queue].map((membership) =>
        coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' }),
      ),
    );
    await close();
    await world.sweeper.runOnce();
    const states = await Promise.all(
      idle.map(async ({ caller }) => (await sessionOf(world, caller.sessionId)).state),
    );
    expect(states).toEqual(['terminating', 'terminating', 'active']);
  });

  it('a message to the one that has to leave is not lost: it waits in the queue', async () => {
    const evicted = await warm(1);
    const membership = await waiting();
    await ask(membership);
    const message = await post(evicted.membership);
    await leaves(evicted);
    await takeStart(world, membership);
    expect(await ask(evicted.membership)).toEqual({ action: 'hold', reason: 'capacity' });
    expect(await positions([evicted.membership])).toEqual([1]);
    const { rows } = await world.database.pool.query('select state from chat_messages where id = $1', [
      message.id,
    ]);
    expect(rows).toEqual([{ state: 'stored' }]);
  });
});
