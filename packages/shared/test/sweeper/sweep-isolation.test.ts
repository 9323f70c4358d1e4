import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SWEEP_STEPS } from '../../src/core/sweeper/sweep-steps.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { nextAction, rowOf, runOf, sessionOf } from '../chat/chat-support.ts';
import { ask, cardOf } from '../questions/question-support.ts';

const IDLE_MS = 600_000;
const TTL_MS = 300_000;

/** A project in which no change can be stored: whatever the sweeper does there throws, for real and each time. */
const POISON = `
  create table poisoned (project_id text primary key);
  create function refuse() returns trigger language plpgsql as $$ begin
    if exists (select from poisoned p where p.project_id = new.project_id) then raise exception 'poisoned'; end if;
    return new;
  end $$;
  create trigger refuse before insert on change_log for each row execute function refuse()`;

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
  await sql.raw(POISON).execute(world.database.db);
});
beforeEach(settle);
afterAll(() => world.close());

const poison = ({ projectId }: WorldAgent) =>
  sql`insert into poisoned values (${projectId})`.execute(world.database.db);

async function warm() {
  await world.coordinator();
  const membership = await world.agentInProject();
  return { membership, ...(await world.warmAgent(membership)) };
}

/** Lets time go by while the Coordinator beats with all that it runs. */
async function pass(ms: number) {
  world.clock.advance(ms);
  const { rows } = await sql<{ id: string }>`select id from agent_runs
    where state <> 'exited' and coordinator_id = 'host-a'`.execute(world.database.db);
  await world.coordinator(
    'host-a',
    rows.map(({ id }) => id),
  );
}

async function forgetWakeUps() {
  await world.database.db.deleteFrom('pendingAgentPurposes').execute();
}

/** One thing of two projects that a step has to put right; returns whether that was done in a project. */
type Scene = (one: WorldAgent, other: WorldAgent) => Promise<(membership: WorldAgent) => Promise<boolean>>;

const stateOf = async (membership: WorldAgent) => {
  const { rows } = await sql<{ state: string }>`select state from agent_sessions
    where agent_id = ${membership.agentId} order by created_at desc limit 1`.execute(world.database.db);
  return rows[0]?.state;
};

const scenes: Record<string, Scene> = {
  idle: async (one, other) => {
    await sign(one, other);
    await pass(IDLE_MS + 1_000);
    return async (membership) => (await stateOf(membership)) !== 'active';
  },
  expired: async (one, other) => {
    for (const membership of [one, other]) await world.chat.start(world.owner, membership);
    await pass(TTL_MS + 1_000);
    return async (membership) => (await rowOf(world, membership)) === undefined;
  },
  ended: async (one, other) => {
    await sign(one, other);
    for (const membership of [one, other]) await world.chat.end(world.owner, { ...membership, force: true });
    await pass(31_000);
    return async (membership) => (await stateOf(membership)) === 'ended';
  },
  closed: async (one, other) => {
    await sign(one, other);
    for (const membership of [one, other])
      await world.chat.end(world.owner, { ...membership, viewerId: 'viewer-1', cause: 'unload' });
    await pass(11_000);
    return async (membership) => (await stateOf(membership)) !== 'active';
  },
  repaired: async (one, other) => {
    for (const membership of [one, other])
      await world.chat.post(world.owner, { ...membership, content: 'hi' });
    await forgetWakeUps();
    await pass(1_000);
    return async (membership) => (await rowOf(world, membership)) !== undefined;
  },
  lostCoordinators: async (one, other) => {
    const runs = await sign(one, other, 'host-frozen');
    await pass(46_000);
    return async (membership) => (await runOf(world, runs[membership.agentId] ?? '')).exitCause === 'lost';
  },
  questions: async (one, other) => {
    const cards: Record<string, string> = {};
    for (const membership of [one, other]) {
      await world.coordinator();
      const { caller } = await world.warmAgent(membership);
      cards[membership.agentId] = (await world.questions.ask(caller, { questions: ask('Which?') })).toolUseId;
    }
    await pass(301_000);
    return async (membership) => (await cardOf(world, cards[membership.agentId] ?? '')).state !== 'pending';
  },
  schedules: async (one, other) => {
    for (const membership of [one, other])
      await world.schedules.create(world.owner, membership.projectId, {
        agentId: membership.agentId,
        cron: '* * * * *',
        prompt: 'report',
        enabled: true,
        onMissed: 'once',
      });
    await pass(61_000);
    return async (membership) => (await rowOf(world, membership))?.scheduleId !== undefined;
  },
  conversations: async (one, other) => {
    const ids: Record<string, string> = {};
    for (const membership of [one, other]) {
      await world.coordinator();
      const { caller } = await world.warmAgent(membership);
      const target = await world.colleague(membership);
      const { conversation } = await world.talks.start(caller, { targetAgentId: target.agentId });
      ids[membership.agentId] = conversation.id;
    }
    await pass(301_000);
    return async (membership) => {
      const { rows } = await sql<{ state: string }>`select state from conversations
        where id = ${ids[membership.agentId]}`.execute(world.database.db);
      return rows[0]?.state !== 'pending';
    };
  },
};

async function sign(one: WorldAgent, other: WorldAgent, host = 'host-a'): Promise<Record<string, string>> {
  const runs: Record<string, string> = {};
  for (const membership of [one, other]) {
    await world.coordinator(host);
    runs[membership.agentId] = (await world.warmAgent(membership, host)).runId;
  }
  return runs;
}

describe('a row that always throws (trap 26)', () => {
  it.each(Object.keys(scenes))(
    'keeps neither the rows behind it nor the later steps waiting: %s',
    async (step) => {
      const [bad, good, late] = [
        await world.agentInProject(),
        await world.agentInProject(),
        await world.agentInProject(),
      ];
      const isDone = await scenes[step]?.(bad, good);
      // What the last step of all would do.
      await sql`insert into pending_purpose_outcomes (agent_id, project_id, purpose, task_id, created_at, removed_at,
      outcome) values (${late.agentId}, ${late.projectId}, 'chat', '', now(), now() - interval '2 hours', 'expired')`.execute(
        world.database.db,
      );
      await poison(bad);
      const fresh = new Sweeper(world.deps);
      await fresh.runOnce();
      expect(fresh.skipped.get(step)).toBeGreaterThan(0);
      expect(await isDone?.(good)).toBe(true);
      expect(await isDone?.(bad)).toBe(false);
      const { rows } =
        await sql`select from pending_purpose_outcomes where agent_id = ${late.agentId}`.execute(
          world.database.db,
        );
      expect(rows).toEqual([]);

      // As soon as it can be done it is.
      await sql`delete from poisoned`.execute(world.database.db);
      await fresh.runOnce();
      expect(await isDone?.(bad)).toBe(true);
    },
  );

  it('two hundred and more of them hide nobody for longer than a round', async () => {
    const [bad, good] = [await world.agentInProject(), await world.agentInProject()];
    await poison(bad);
    await world.database.db
      .insertInto('schedules')
      .values(
        Array.from({ length: 250 }, (_, index) => index).map((index) => ({
          ...scheduleOf(bad),
          id: `sch_bad_${String(index).padStart(3, '0')}`,
          nextRunAt: new Date(world.clock.now().getTime() - 60_000 + index),
        })),
      )
      .execute();
    await world.database.db
      .insertInto('schedules')
      .values({ ...scheduleOf(good), id: 'sch_good', nextRunAt: new Date(world.clock.now().getTime() - 1) })
      .execute();
    const sweeper = new Sweeper(world.deps);
    const given = [(await sweeper.runOnce()).schedules, (await sweeper.runOnce()).schedules];
    expect(given).toEqual([0, 1]);
    expect(sweeper.skipped.get('schedules')).toBe(250);
  });

  it('is said once a minute and step, with how many were skipped besides', async () => {
    const lines: { step: string; row?: string; alsoSkipped: number; err: { message: string } }[] = [];
    const logger = createLogger('test', {
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    });
    const bad = await warm();
    await pass(IDLE_MS + 1_000);
    await poison(bad.membership);
    const sweeper = new Sweeper({ ...world.deps, logger });
    const told = () => lines.filter(({ step }) => step === 'idle');
    for (let round = 0; round < 5; round += 1) await sweeper.runOnce();
    expect(told()).toMatchObject([
      { row: bad.caller.sessionId, alsoSkipped: 0, err: { message: 'poisoned' } },
    ]);
    await pass(60_000);
    await sweeper.runOnce();
    expect(told()).toMatchObject([{ alsoSkipped: 0 }, { alsoSkipped: 4 }]);
    expect(sweeper.skipped.get('idle')).toBe(6);
  });
});

describe('a place', () => {
  it('is made by the next one when the session that is idle longest cannot leave', async () => {
    const [first, second] = [await warm(), await warm()];
    await sql`delete from session_viewers`.execute(world.database.db);
    await poison(first.membership);
    const waiting = await world.agentInProject();
    await world.chat.post(world.owner, { ...waiting, content: 'hi' });
    await world.coordinator('host-a', [first.runId, second.runId], 2);
    // Who asks for a place hears that he must wait, whatever is wrong with another's session.
    expect(await world.coordination.getAgentAction({ ...waiting, coordinatorId: 'host-a' })).toEqual({
      action: 'hold',
      reason: 'capacity',
    });
    await new Sweeper(world.deps).runOnce();
    expect((await sessionOf(world, first.caller.sessionId)).state).toBe('active');
    expect(await nextAction(world, second.caller.sessionId)).toEqual({ kind: 'exit', reason: 'evicted' });
  });
});

describe('idleness', () => {
  it('is seen behind three hundred sessions that are busy, and silent for longer', async () => {
    const idle = await warm();
    const { projectId } = idle.membership;
    const silentSince = new Date(world.clock.now().getTime() - 1_000);
    await sql`with made as (
        insert into agents (id, type, name, provider) select 'agt_busy_' || n, 'ai', 'Busy', 'builtin'
        from generate_series(1, 300) n returning id),
      sessions as (
        insert into agent_sessions (id, agent_id, project_id, purpose, last_activity_at, last_seen_at)
        select 'ses_' || id, id, ${projectId}, 'chat', ${silentSince}::timestamptz, now() from made)
      insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, content, created_at,
        state, deliver_to, delivered_session_id, delivered_at, log_offset)
      select 'msg_' || id, 'busy/' || id, 1, ${projectId}, id, 'user', 'user', 'long work', now(),
        'delivered', id, 'ses_' || id, now(), 0 from made`.execute(world.database.db);
    await pass(IDLE_MS + 1_000);
    expect((await world.sweeper.runOnce()).idle).toBe(1);
    expect((await sessionOf(world, idle.caller.sessionId)).state).not.toBe('active');
  });
});

describe('a step', () => {
  it('that fails as a whole fails alone', async () => {
    const membership = await world.agentInProject();
    await world.chat.start(world.owner, membership);
    await pass(TTL_MS + 1_000);
    const broken = () => async () => {
      throw new Error('no such column');
    };
    const sweeper = new Sweeper(world.deps, { ...SWEEP_STEPS, idle: broken });
    expect((await sweeper.runOnce()).expired).toBeGreaterThan(0);
    expect(sweeper.skipped.get('idle')).toBe(1);
  });

  it('that cannot reach the database is tried once more with the next one, then the round is over', async () => {
    const nowhere = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none' });
    const sweeper = new Sweeper({ ...world.deps, database: nowhere });
    const report = await sweeper.runOnce();
    expect(Object.values(report).every((count) => count === 0)).toBe(true);
    expect([...sweeper.skipped.values()].reduce((sum, count) => sum + count)).toBe(2);
    await nowhere.close();
  });
});

function scheduleOf({ projectId, agentId }: WorldAgent) {
  return {
    projectId,
    agentId,
    cron: '0 9 * * *',
    timeZone: 'UTC',
    prompt: 'x',
    enabled: true,
    onMissed: 'once',
    createdBy: world.owner.id,
  };
}

/** Nothing of one test is left to be put right in the next one. */
async function settle(): Promise<void> {
  const { db } = world.database;
  await sql`delete from poisoned`.execute(db);
  await sql`update schedules set enabled = false, next_run_at = null`.execute(db);
  await sql`delete from pending_agent_purposes`.execute(db);
  await sql`update chat_messages set state = 'answered', answered_at = now(), delivered_session_id = null
    where state in ('stored', 'delivered')`.execute(db);
  await sql`update user_questions set state = 'cancelled', resolved_at = now() where state = 'pending'`.execute(
    db,
  );
  await sql`update conversations set state = 'ended', ended_at = coalesce(ended_at, now()),
    end_reason = coalesce(end_reason, 'timeout') where state <> 'ended'`.execute(db);
  await sql`update agent_sessions set state = 'ended', ended_at = now() where state <> 'ended'`.execute(db);
  await sql`update agent_runs set state = 'exited', ended_at = now(), exit_cause = 'finished'
    where state <> 'exited'`.execute(db);
}
