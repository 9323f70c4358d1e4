import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SWEEP_STEPS, type SweepStepName } from '../../src/core/sweeper/sweep-steps.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { nextAction, sessionOf } from '../chat/chat-support.ts';
import { CARD_SCENES } from './card-scenes.ts';
import { SESSION_SCENES } from './session-scenes.ts';
import { heal, pass, poison, preparePoison, type Scene, scheduleOf, settle } from './sweep-scene.ts';
import { WAITING_SCENES } from './waiting-scenes.ts';

const IDLE_MS = 600_000;
const TTL_MS = 300_000;

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
  await preparePoison(world);
});
beforeEach(() => settle(world));
afterAll(() => world.close());

async function warm() {
  await world.coordinator();
  const membership = await world.agentInProject();
  return { membership, ...(await world.warmAgent(membership)) };
}

/** Steps without rows that could be isolated from each other, or whose rows have a test of their own. */
const WITHOUT_SCENE = {
  evicted: 'its rows are places, which all projects share: "a place" below',
  cooled: 'it only tells Coordinators to look again',
  silentCoordinators: 'one statement marks all that are silent',
  pruned: 'it deletes by tables, not by projects: prune.test.ts isolates those',
} satisfies Partial<Record<SweepStepName, string>>;

/** A new step does not compile without a scene here, or its reason above. */
const SCENES: Record<Exclude<SweepStepName, keyof typeof WITHOUT_SCENE>, Scene> = {
  ...SESSION_SCENES,
  ...WAITING_SCENES,
  ...CARD_SCENES,
};

/** Two agents, each in its own project, in the order in which every step takes them. */
async function twoInOrder() {
  const one = await world.agentInProject();
  const other = await world.agentInProject();
  return one.agentId < other.agentId ? ([one, other] as const) : ([other, one] as const);
}

describe('a row that always throws (trap 26)', () => {
  it.each(Object.entries(SCENES))(
    'keeps neither the rows behind it nor the later steps waiting: %s',
    async (step, { make, afterMs = 0, isDone }) => {
      const [bad, good] = await twoInOrder();
      const late = await world.agentInProject();
      await world.coordinator();
      const badId = await make(world, bad);
      world.clock.advance(1);
      const goodId = await make(world, good);
      await pass(world, afterMs);
      expect([await isDone(world, bad, badId), await isDone(world, good, goodId)]).toEqual([false, false]);
      // What the last step of all would do.
      await sql`insert into pending_purpose_outcomes (agent_id, project_id, purpose, task_id, created_at, removed_at,
      outcome) values (${late.agentId}, ${late.projectId}, 'chat', '', now(), now() - interval '2 hours', 'expired')`.execute(
        world.database.db,
      );
      await poison(world, bad);
      const fresh = new Sweeper(world.deps);
      await fresh.runOnce();
      expect(fresh.skipped.get(step)).toBeGreaterThan(0);
      expect(await isDone(world, good, goodId)).toBe(true);
      expect(await isDone(world, bad, badId)).toBe(false);
      const { rows } =
        await sql`select from pending_purpose_outcomes where agent_id = ${late.agentId}`.execute(
          world.database.db,
        );
      expect(rows).toEqual([]);

      // As soon as it can be done it is.
      await heal(world);
      await fresh.runOnce();
      expect(await isDone(world, bad, badId)).toBe(true);
    },
  );

  it('two hundred and more of them hide nobody for longer than a round', async () => {
    const [bad, good] = [await world.agentInProject(), await world.agentInProject()];
    await poison(world, bad);
    await world.database.db
      .insertInto('schedules')
      .values(
        Array.from({ length: 250 }, (_, index) => index).map((index) => ({
          ...scheduleOf(world, bad),
          id: `sch_bad_${String(index).padStart(3, '0')}`,
          nextRunAt: new Date(world.clock.now().getTime() - 60_000 + index),
        })),
      )
      .execute();
    await world.database.db
      .insertInto('schedules')
      .values({
        ...scheduleOf(world, good),
        id: 'sch_good',
        nextRunAt: new Date(world.clock.now().getTime() - 1),
      })
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
    await pass(world, IDLE_MS + 1_000);
    await poison(world, bad.membership);
    const sweeper = new Sweeper({ ...world.deps, logger });
    const told = () => lines.filter(({ step }) => step === 'idle');
    for (let round = 0; round < 5; round += 1) await sweeper.runOnce();
    expect(told()).toMatchObject([
      { row: bad.caller.sessionId, alsoSkipped: 0, err: { message: 'poisoned' } },
    ]);
    await pass(world, 60_000);
    await sweeper.runOnce();
    expect(told()).toMatchObject([{ alsoSkipped: 0 }, { alsoSkipped: 4 }]);
    expect(sweeper.skipped.get('idle')).toBe(6);
  });
});

describe('a place', () => {
  it('is made by the next one when the session that is idle longest cannot leave', async () => {
    const [first, second] = [await warm(), await warm()];
    await sql`delete from session_viewers`.execute(world.database.db);
    await poison(world, first.membership);
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
    await pass(world, IDLE_MS + 1_000);
    expect((await world.sweeper.runOnce()).idle).toBe(1);
    expect((await sessionOf(world, idle.caller.sessionId)).state).not.toBe('active');
  });
});

describe('a step', () => {
  it('that fails as a whole fails alone', async () => {
    const membership = await world.agentInProject();
    await world.chat.start(world.owner, membership);
    await pass(world, TTL_MS + 1_000);
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
