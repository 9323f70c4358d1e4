import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatOf } from '../../src/core/rules/work-key.ts';
import { expireIdleSession } from '../../src/core/sessions/expire-idle-session.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  givenIds,
  messageOf,
  nextAction,
  outcomesOf,
  rowOf,
  runOf,
  sessionOf,
  systemLines,
} from '../chat/chat-support.ts';

const IDLE_MS = 600_000;
let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
beforeEach(() => world.coordinator());
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

async function warm() {
  const membership = await world.agentInProject();
  return { membership, ...(await world.warmAgent(membership)) };
}
const post = async (membership: WorldAgent, content = 'hi') =>
  (await world.chat.post(world.owner, { ...membership, content })).message;

/** Lets time go by while the Coordinator beats, so that only what the test is about runs out. */
async function pass(ms: number, running: string[]) {
  world.clock.advance(ms);
  await world.coordinator('host-a', running);
}

describe('idleness', () => {
  it('ends a session that had no message for the time set, told as logout', async () => {
    const { membership, caller, runId } = await warm();
    await pass(IDLE_MS - 20_000, [runId]);
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    await pass(20_100, [runId]);
    // The call itself sees it; nothing depends on the sweeper's moment.
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'logout', reason: 'session_timeout' });
    await world.sessions.acknowledged([caller.sessionId]);
    await world.sessions.logout(caller);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    await world.sweeper.runOnce();
    expect(await rowOf(world, membership)).toBeUndefined();
  });

  it('polling is not activity, a message in either direction is', async () => {
    const { membership, caller, runId } = await warm();
    const long = new Date('2026-01-01T00:00:00Z');
    const activityAfter = async (act: () => Promise<unknown>) => {
      await world.database.db
        .updateTable('agentSessions')
        .set({ lastActivityAt: long, lastSeenAt: long })
        .where('id', '=', caller.sessionId)
        .execute();
      await act();
      const { lastActivityAt, lastSeenAt } = await sessionOf(world, caller.sessionId);
      return [lastActivityAt > long ? 'active' : 'idle', lastSeenAt > long ? 'seen' : 'silent'];
    };
    expect(await activityAfter(() => world.sessions.touch([caller.sessionId]))).toEqual(['idle', 'seen']);
    expect(await activityAfter(() => world.sessions.beat(caller, { phase: 'x' }))).toEqual(['idle', 'seen']);
    expect(await activityAfter(() => world.delivery.take(caller))).toEqual(['idle', 'silent']);
    await post(membership);
    expect(await activityAfter(() => world.delivery.take(caller))).toEqual(['active', 'seen']);
    expect(await activityAfter(() => world.delivery.respond(caller, { content: 'ok' }))).toEqual([
      'active',
      'seen',
    ]);
    const word = { targetAgentId: 'user', content: 'by the way' };
    expect((await activityAfter(() => world.delivery.send(caller, word)))[0]).toBe('active');
    await pass(0, [runId]);
  });

  it.each(['by its call', 'by the sweeper'])(
    'trap 5: unread is looked at before idleness (%s)',
    async (by) => {
      const { membership, caller, runId } = await warm();
      const message = await post(membership);
      await pass(IDLE_MS + 1_000, [runId]);
      if (by === 'by the sweeper') {
        expect(await expireIdleSession(world.deps, caller.sessionId, IDLE_MS)).toBe(false);
        await world.sweeper.runOnce();
      }
      expect(await nextAction(world, caller.sessionId)).toEqual({
        kind: 'get_pending_messages',
        again: false,
      });
      expect(await givenIds(world, caller)).toEqual([message.id]);
      // Busy is never idle either.
      const longAgo = new Date(world.clock.now().getTime() - 2 * IDLE_MS);
      await sql`update agent_sessions set last_activity_at = ${longAgo} where id = ${caller.sessionId}`.execute(
        world.database.db,
      );
      await world.sweeper.runOnce();
      expect(await nextAction(world, caller.sessionId)).toEqual({
        kind: 'get_pending_messages',
        again: true,
      });
      await world.delivery.respond(caller, { content: 'ok' });
    },
  );

  it('a message that meets it before it was told makes it active again; after that it waits for the next', async () => {
    const { membership, caller, runId } = await warm();
    await pass(IDLE_MS + 1_000, [runId]);
    await world.sweeper.runOnce();
    expect((await sessionOf(world, caller.sessionId)).state).toBe('terminating');
    await world.sessions.offerEnd(caller.sessionId);
    const message = await post(membership);
    expect(await sessionOf(world, caller.sessionId)).toMatchObject({
      state: 'active',
      exitReason: null,
    });
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await givenIds(world, caller)).toEqual([message.id]);
    await world.delivery.respond(caller, { content: 'ok' });
    await sql`update agent_sessions set last_activity_at = '2020-01-01' where id = ${caller.sessionId}`.execute(
      world.database.db,
    );
    await world.sweeper.runOnce();
    await world.sessions.acknowledged([caller.sessionId]);
    await post(membership, 'too late');
    expect((await sessionOf(world, caller.sessionId)).state).toBe('terminating');
    expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
    await world.sessions.logout(caller);
  });
});

describe('trap 6: no row is made per message', () => {
  it('with a live session none; after logout no start without new work', async () => {
    const { membership, caller, runId } = await warm();
    await post(membership);
    await post(membership);
    // By the normal path too: a close waits for what is unread, and the fast one leaves that alone.
    await world.chat.end(world.owner, membership);
    await post(membership);
    expect(await rowOf(world, membership)).toBeUndefined();
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'ok' });
    await world.sessions.logout(caller);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    world.clock.advance(1_000);
    await world.sweeper.runOnce();
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await world.coordination.getAgentAction(membership)).toEqual({
      action: 'hold',
      reason: 'no_pending_work',
    });
    expect(await outcomesOf(world, membership)).toEqual(['authenticated']);
  });

  it('two messages to a sleeping agent make one row, which the second does not renew', async () => {
    const membership = await world.agentInProject();
    await post(membership);
    const first = await rowOf(world, membership);
    world.clock.advance(5_000);
    await post(membership);
    expect(await rowOf(world, membership)).toEqual(first);
  });
});

describe('repair', () => {
  it('a stored message without a session and without a row gets its row, once', async () => {
    const membership = await world.agentInProject();
    const message = await post(membership);
    await world.database.db
      .deleteFrom('pendingAgentPurposes')
      .where('agentId', '=', membership.agentId)
      .execute();
    world.clock.advance(1_000);
    expect((await world.sweeper.runOnce()).repaired).toBe(1);
    expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
    expect((await world.sweeper.runOnce()).repaired).toBe(0);
    const { caller } = await world.signIn(membership);
    expect(await givenIds(world, caller)).toEqual([message.id]);
    await world.delivery.respond(caller, { content: 'ok' });
  });

  it('never wakes for what is answered, failed, or not for an agent', async () => {
    const { membership, caller } = await warm();
    await post(membership);
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'ok' });
    await world.delivery.send(caller, { targetAgentId: 'user', content: 'by the way' });
    await world.sessions.logout(caller);
    await post(membership, 'to be failed');
    await world.chat.end(world.owner, { ...membership, force: true });
    world.clock.advance(1_000);
    await world.sweeper.runOnce();
    expect(await rowOf(world, membership)).toBeUndefined();
  });

  it('a message that slipped in while its session began to end is not forgotten', async () => {
    const { membership, caller, runId } = await warm();
    const message = await post(membership);
    await sql`update agent_sessions set state = 'terminating', exit_action = 'logout', exit_reason = 'session_timeout',
      terminating_at = ${world.clock.now()} where id = ${caller.sessionId}`.execute(world.database.db);
    await pass(1_000, [runId]);
    expect((await world.sweeper.runOnce()).repaired).toBe(1);
    expect((await sessionOf(world, caller.sessionId)).state).toBe('active');
    expect(await givenIds(world, caller)).toEqual([message.id]);
    await world.delivery.respond(caller, { content: 'ok' });
  });

  it.each<[string, (membership: WorldAgent) => Promise<unknown>]>([
    [
      'project_archived',
      ({ projectId }) => world.projects.update(world.owner, projectId, { status: 'archived' }),
    ],
    ['removed_from_project', (membership) => world.projects.removeAgent(world.owner, membership)],
    ['agent_deleted', ({ agentId }) => world.agents.remove(world.owner, agentId)],
  ])(
    'a message that slipped in while its agent went away fails with the reason: %s',
    async (reason, goAway) => {
      const { membership } = await warm();
      const { id } = await post(membership);
      await goAway(membership);
      // As the fast path leaves it when it read before the going-away had committed, and wrote after it.
      await sql`update chat_messages set state = 'stored', failure = null, failed_at = null where id = ${id}`.execute(
        world.database.db,
      );
      world.clock.advance(1_000);
      expect((await world.sweeper.runOnce()).repaired).toBe(1);
      const { rows } = await sql<{ state: string; failure: unknown }>`
      select state, failure from chat_messages where id = ${id}`.execute(world.database.db);
      expect(rows).toEqual([{ state: 'failed', failure: { code: expect.any(String), params: { reason } } }]);
      expect((await world.sweeper.runOnce()).repaired).toBe(0);
    },
  );

  it('two sweepers at once do everything once', async () => {
    const pairs = await Promise.all(Array.from({ length: 4 }, () => world.agentInProject()));
    for (const membership of pairs) await post(membership);
    await sql`delete from pending_agent_purposes where agent_id = any(${pairs.map(({ agentId }) => agentId)}::text[])`.execute(
      world.database.db,
    );
    const expiring = await world.agentInProject();
    await world.chat.start(world.owner, expiring);
    await sql`update pending_agent_purposes set created_at = created_at - interval '1 hour' where agent_id = ${expiring.agentId}`.execute(
      world.database.db,
    );
    world.clock.advance(1_000);
    const second = new Sweeper(world.deps);
    const [one, two] = await Promise.all([world.sweeper.runOnce(), second.runOnce()]);
    expect(one.repaired + two.repaired).toBe(4);
    expect(one.expired + two.expired).toBe(1);
    expect(await systemLines(world, expiring)).toHaveLength(1);
  });
});

describe('ends that nobody finished', () => {
  it('15 s after it was told a session is ended and its process stopped; 30 s when nobody heard', async () => {
    const told = await warm();
    const deaf = await warm();
    const both = [told.runId, deaf.runId];
    await world.chat.end(world.owner, { ...told.membership, force: true });
    await world.chat.end(world.owner, { ...deaf.membership, force: true });
    await world.sessions.acknowledged([told.caller.sessionId]);
    await pass(5_000, both);
    await world.sweeper.runOnce();
    expect((await sessionOf(world, told.caller.sessionId)).state).toBe('terminating');
    await pass(11_000, both);
    await world.sweeper.runOnce();
    expect((await sessionOf(world, told.caller.sessionId)).state).toBe('ended');
    expect((await sessionOf(world, deaf.caller.sessionId)).state).toBe('terminating');
    expect((await world.coordination.work('host-a')).stop).toContainEqual({
      runId: told.runId,
      reason: 'force_ended',
    });
    // Forcing it again gives it no more time.
    await world.chat.end(world.owner, { ...deaf.membership, force: true });
    await pass(15_000, both);
    await world.sweeper.runOnce();
    expect((await sessionOf(world, deaf.caller.sessionId)).state).toBe('ended');
  });

  it.each(['leaves', 'says nothing more'])(
    'signed in by hand, told to go: a new start waits until it %s',
    async (how) => {
      const membership = await world.agentInProject();
      const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
      const result = await world.sessions.authenticate({ ...membership, passkey, address: 'x' });
      if (!result.success) throw new Error(result.error);
      const { sessionId } = result;
      await world.chat.end(world.owner, { ...membership, force: true });
      await world.sessions.acknowledged([sessionId]);
      expect(await nextAction(world, sessionId)).toEqual({ kind: 'exit', reason: 'force_ended' });
      expect((await world.chat.start(world.owner, membership)).status).toBe('started');
      expect(await world.coordination.getAgentAction(membership)).toEqual({
        action: 'hold',
        reason: 'session_ending',
      });
      if (how === 'leaves')
        await world.sessions.logout({
          ...chatOf(membership),
          sessionId,
          live: true,
          sharesFolder: false,
          usesMemory: true,
        });
      else {
        await pass(15_000, []);
        await world.sweeper.runOnce();
      }
      expect((await sessionOf(world, sessionId)).state).toBe('ended');
      expect(await world.coordination.getAgentAction(membership)).toMatchObject({ action: 'start' });
      expect(await nextAction(world, sessionId)).toEqual({ kind: 'exit', reason: 'force_ended' });
    },
  );

  it('silent for 20 s with a run that is over: it ends, its work goes back', async () => {
    await world.clock.frozen(async () => {
      const { membership, caller, runId } = await warm();
      const message = await post(membership);
      await world.delivery.take(caller);
      // What a crash between the two rows would leave behind.
      await sql`update agent_runs set state = 'exited', ended_at = clock_timestamp(), exit_cause = 'crashed' where id = ${runId}`.execute(
        world.database.db,
      );
      await world.sessions.touch([caller.sessionId]);
      world.clock.advance(19_000);
      await world.coordinator();
      await world.sweeper.runOnce();
      expect((await sessionOf(world, caller.sessionId)).state).toBe('active');
      world.clock.advance(2_000);
      await world.sweeper.runOnce();
      expect((await sessionOf(world, caller.sessionId)).state).toBe('ended');
      expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
      expect(await rowOf(world, membership)).toBeDefined();
    });
  });
});

describe('a turn that does not end', () => {
  it('of an agent that signed in by itself goes back after TURN_TIMEOUT_SECONDS, and its bearer hears exit', async () => {
    const membership = await world.agentInProject();
    const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
    const result = await world.sessions.authenticate({ ...membership, passkey, address: 'x' });
    if (!result.success) throw new Error(result.error);
    const caller = await world.sessions.resolve(result.sessionToken ?? '');
    const message = await post(membership);
    await world.delivery.take(caller);
    const since = (ms: number) =>
      sql`update agent_sessions set last_activity_at = ${new Date(world.clock.now().getTime() - ms)}
        where id = ${caller.sessionId}`.execute(world.database.db);
    await since(3_590_000);
    await world.sweeper.runOnce();
    expect((await messageOf(world, message.id)).state).toBe('delivered');
    await since(3_600_000);
    await world.sweeper.runOnce();
    expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'exit', reason: 'run_stopped' });
    expect(await rowOf(world, membership)).toBeDefined();
  });

  it('of our own runner without a sign of life for 45 s is stalled: its process is ended, the next one gets the work', async () => {
    const { membership, caller, runId } = await warm();
    const message = await post(membership);
    await world.delivery.take(caller);
    await world.sweeper.runOnce();
    await world.sessions.touch([caller.sessionId]);
    await world.clock.frozen(async () => {
      // One round after a long pause of our own says nothing about anybody else's silence.
      await pass(60_000, [runId]);
      await world.sweeper.runOnce();
      expect((await runOf(world, runId)).state).toBe('running');
      for (let seconds = 0; seconds < 40; seconds += 8) {
        await pass(8_000, [runId]);
        await world.sweeper.runOnce();
      }
      expect((await runOf(world, runId)).state).toBe('running');
      await pass(8_000, [runId]);
      await world.sweeper.runOnce();
      expect((await runOf(world, runId)).exitCause).toBe('stalled');
    });
    expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
    await world.clock.frozen(async () => {
      await pass(0, [runId]);
      expect((await world.coordination.work('host-a')).stop).toContainEqual({ runId, reason: 'stalled' });
    });
    await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });
    const next = await world.signIn(membership);
    expect(await givenIds(world, next.caller)).toEqual([message.id]);
    await world.delivery.respond(next.caller, { content: 'ok' });
  });
});

describe('going away', () => {
  const cases: [string, string, (membership: WorldAgent) => Promise<unknown>][] = [
    ['agent_deleted', 'agent_deleted', (membership) => world.agents.remove(world.owner, membership.agentId)],
    [
      'project_archived',
      'stopped_by_person',
      (membership) => world.projects.update(world.owner, membership.projectId, { status: 'archived' }),
    ],
    [
      'removed_from_project',
      'stopped_by_person',
      (membership) => world.projects.removeAgent(world.owner, membership),
    ],
  ];

  it.each(cases)(
    '%s: a warm agent hears exit, what waits is failed, nothing starts again',
    async (reason, failure, act) => {
      const { membership, caller, runId } = await warm();
      const held = await post(membership);
      await world.delivery.take(caller);
      const waiting = await post(membership);
      await act(membership);
      expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'exit', reason });
      for (const { id } of [held, waiting])
        expect(await messageOf(world, id)).toMatchObject({ state: 'failed', failure: { code: failure } });
      expect(await world.coordination.getAgentAction(membership)).toEqual({
        action: 'hold',
        reason: 'agent_not_assigned',
      });
      await world.sessions.acknowledged([caller.sessionId]);
      await pass(16_000, [runId]);
      await world.sweeper.runOnce();
      expect((await sessionOf(world, caller.sessionId)).state).toBe('ended');
      expect((await world.coordination.work('host-a')).stop).toContainEqual({ runId, reason });
      await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGTERM' });
      await world.sweeper.runOnce();
      expect(await rowOf(world, membership)).toBeUndefined();
      expect(await checkInvariants(world.database)).toEqual([]);
    },
  );

  it.each(cases)('%s: a start that is under way is withdrawn, its ticket dead', async (reason, _, act) => {
    const membership = await world.agentInProject();
    await world.chat.start(world.owner, membership);
    const start = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    if (start.action !== 'start') throw new Error('held');
    await act(membership);
    expect((await world.coordination.work('host-a')).stop).toContainEqual({ runId: start.runId, reason });
    expect(await world.sessions.authenticate({ bearer: start.ticket ?? '', address: 'x' })).toMatchObject({
      success: false,
    });
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: null, signal: 'SIGTERM' });
    expect((await runOf(world, start.runId)).exitCause).toBe('killed');
    expect(await rowOf(world, membership)).toBeUndefined();
  });
});
