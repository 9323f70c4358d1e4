import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readDeadlines } from '../../src/core/sweeper/deadline-queries.ts';
import { SWEEP_STEPS, type SweepStepName } from '../../src/core/sweeper/sweep-steps.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { Listener } from '../../src/platform/change-log/listener.ts';
import { Notifier } from '../../src/platform/change-log/notifier.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { toRun } from '../approvals/approval-support.ts';
import { ask } from '../questions/question-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
beforeEach(settle);
afterAll(() => world.close());

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const duesAt = (ms: number) => readDeadlines(world.deps, new Date(ms));
const dues = () => duesAt(world.clock.now().getTime());

async function warm() {
  await world.coordinator();
  const membership = await world.agentInProject();
  return { membership, ...(await world.warmAgent(membership)) };
}

/** Makes something whose time comes; `after` how many milliseconds. */
interface Scene {
  readonly make: () => Promise<unknown>;
  readonly after: number;
}

const scenes: Partial<Record<SweepStepName, Scene>> = {
  idle: { make: warm, after: 10 * MINUTE },
  expired: {
    make: async () => world.chat.start(world.owner, await world.agentInProject()),
    after: 5 * MINUTE,
  },
  silent: {
    make: async () => {
      const { membership } = await warm();
      await world.chat.post(world.owner, { ...membership, content: 'hi' });
    },
    after: 10 * MINUTE + 5 * SECOND,
  },
  stalled: { make: warm, after: 45 * SECOND },
  ended: {
    make: async () => {
      const { membership } = await warm();
      await world.chat.end(world.owner, { ...membership, force: true });
    },
    after: 30 * SECOND,
  },
  closed: {
    make: async () => {
      const { membership } = await warm();
      await world.chat.end(world.owner, { ...membership, viewerId: 'viewer-1', cause: 'unload' });
    },
    after: 10 * SECOND,
  },
  repaired: {
    make: async () => {
      const membership = await world.agentInProject();
      await world.chat.post(world.owner, { ...membership, content: 'hi' });
      await sql`delete from pending_agent_purposes`.execute(world.database.db);
    },
    after: SECOND / 2,
  },
  cooled: {
    make: async () => {
      await world.chat.start(world.owner, await world.agentInProject());
      await sql`update pending_agent_purposes set not_before = ${new Date(world.clock.now().getTime() + 2 * SECOND)}`.execute(
        world.database.db,
      );
    },
    after: 2 * SECOND,
  },
  unwatched: {
    make: async () => {
      const membership = await world.agentInProject();
      await world.chat.start(world.owner, membership);
      await world.coordination.getAgentAction(membership);
      await sql`delete from pending_agent_purposes`.execute(world.database.db);
    },
    after: MINUTE,
  },
  silentCoordinators: { make: () => world.coordinator('host-a'), after: 15 * SECOND },
  lostCoordinators: { make: () => world.coordinator('host-a'), after: 45 * SECOND },
  questions: {
    make: async () => world.questions.ask((await warm()).caller, { questions: ask('Which?') }),
    after: 5 * MINUTE,
  },
  approvals: {
    make: async () => world.approvals.request((await warm()).caller, toRun('ls')),
    after: 5 * MINUTE,
  },
  schedules: { make: async () => schedule(await world.agentInProject(), 20 * SECOND), after: 20 * SECOND },
  conversations: {
    make: async () => {
      const { membership, caller } = await warm();
      const target = await world.colleague(membership);
      await world.talks.start(caller, { targetAgentId: target.agentId });
    },
    after: 5 * MINUTE,
  },
};

describe('the moment from which on somebody has to look', () => {
  it.each(Object.entries(scenes))('is known before it comes: %s', async (name, { make, after }) => {
    const step = name as SweepStepName;
    const began = world.clock.now().getTime();
    await make();
    const made = world.clock.now().getTime();
    // As it was at these moments: however long a busy machine takes to ask.
    const before = (await duesAt(began)).get(step);
    expect(before?.isPast).toBe(false);
    expect(before?.nextAt).toBeGreaterThanOrEqual(began + after);
    expect(before?.nextAt).toBeLessThanOrEqual(made + after);
    // A wake-up that has cooled down is told to Coordinators, and then it is nobody's deadline any more.
    expect((await duesAt(made + after)).get(step)?.isPast).toBe(step !== 'cooled');
  });

  it('is named by every step that time alone brings something to do', () => {
    const silent = Object.entries(SWEEP_STEPS).filter(([, { deadlines }]) => deadlines === undefined);
    expect(silent.map(([name]) => name)).toEqual(['pruned']);
  });

  it('is none while a session is busy, and while nothing is there', async () => {
    expect([...(await dues()).values()].filter(({ isPast, nextAt }) => isPast || nextAt !== null)).toEqual(
      [],
    );
    const { membership, caller } = await warm();
    await world.chat.post(world.owner, { ...membership, content: 'long work' });
    await world.delivery.take(caller);
    world.clock.advance(20 * MINUTE);
    const now = await dues();
    expect([now.get('idle')?.isPast, now.get('silent')?.isPast]).toEqual([false, false]);
  });
});

describe('a look', () => {
  it('asks only what may be due', async () => {
    const sweeper = new Sweeper(world.deps);
    await sweeper.look();
    await world.clock.frozen(async () => {
      await schedule(await world.agentInProject(), 5 * SECOND);
      expect(Object.keys(await sweeper.look())).toEqual(['pruned']);
      world.clock.advance(6 * SECOND);
      expect(await sweeper.look()).toMatchObject({ schedules: 1 });
    });
  });

  it('of two sweepers at the same moment does everything once', async () => {
    const membership = await world.agentInProject();
    const sweepers = [new Sweeper(world.deps), new Sweeper(world.deps)];
    await Promise.all(sweepers.map((sweeper) => sweeper.look()));
    await world.clock.frozen(async () => {
      await schedule(membership, 5 * SECOND);
      await Promise.all(sweepers.map((sweeper) => sweeper.look()));
      world.clock.advance(6 * SECOND);
      const reports = await Promise.all(sweepers.map((sweeper) => sweeper.look()));
      expect(reports.map(({ schedules = 0 }) => schedules).sort()).toEqual([0, 1]);
    });
    expect(await promptsOf(membership)).toBe(1);
  });

  it('meets a row that always fails again and again, but ever less often', async () => {
    const sweeper = new Sweeper(world.deps);
    await sweeper.look();
    await schedule(await world.agentInProject(), -SECOND);
    await sql
      .raw(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'poisoned'; end $$;
      create trigger refuse before insert or update on schedules for each row execute function refuse()`)
      .execute(world.database.db);
    onTestFinished(async () => {
      await sql.raw('drop function refuse() cascade').execute(world.database.db);
    });
    for (let tenths = 0; tenths < 100; tenths += 1) {
      world.clock.advance(SECOND / 10);
      await sweeper.look();
    }
    // At once, after 1, 3, 7 and maybe 12 s; a busy machine adds its own time to the ten seconds.
    expect(sweeper.skipped.get('schedules')).toBeGreaterThanOrEqual(3);
    expect(sweeper.skipped.get('schedules')).toBeLessThan(20);
  });
});

describe('a sweeper that runs', () => {
  /** With the line that brings hints to it, as a process has them. */
  async function started(options: { hears: boolean }) {
    const { logger } = world.deps;
    const sweeper = new Sweeper({ ...world.deps, clock: systemClock });
    const notifier = new Notifier({ url: world.database.url, logger });
    const { onCommit } = world.database;
    world.database.onCommit = (keys) => notifier.notify(keys);
    const listener = new Listener({
      url: world.database.url,
      logger,
      onKeys: (keys) => options.hears && sweeper.onKeys(keys),
    });
    await listener.start();
    sweeper.start();
    onTestFinished(async () => {
      world.database.onCommit = onCommit;
      await sweeper.stop();
      await listener.stop();
      await notifier.stop();
    });
  }
  const SOON = { interval: 20 };

  it('hears of a deadline that is 300 ms ahead', async () => {
    await started({ hears: true });
    const membership = await world.agentInProject();
    const wantedAt = performance.now() + 300;
    await schedule(membership, 300, systemClock.now());
    await expect.poll(() => promptsOf(membership), SOON).toBe(1);
    // The safety net alone would take up to ten seconds.
    expect(performance.now() - wantedAt).toBeLessThan(8 * SECOND);
  });

  it('finds one whose hint was lost', async () => {
    await started({ hears: false });
    const membership = await world.agentInProject();
    await schedule(membership, 300, systemClock.now());
    await expect.poll(() => promptsOf(membership), SOON).toBe(1);
  });
});

describe('what no other key speaks of', () => {
  it('is told to the sweepers: a schedule that was made or changed, a page that was left', async () => {
    const { membership } = await warm();
    const told = () => world.dirtyKeys.splice(0).filter((key) => key === 'd').length;
    told();
    const body = {
      agentId: membership.agentId,
      cron: '* * * * *',
      prompt: 'x',
      enabled: true,
      onMissed: 'once',
    } as const;
    const { id } = await world.schedules.create(world.owner, membership.projectId, body);
    expect(told()).toBe(1);
    await world.schedules.update(world.owner, id, { enabled: true });
    expect(told()).toBe(1);
    await world.chat.end(world.owner, { ...membership, viewerId: 'viewer-1', cause: 'unload' });
    expect(told()).toBe(1);
  });

  it('is when a start may be tried again: Coordinators that hold a call look again', async () => {
    const sweeper = new Sweeper(world.deps);
    await scenes.cooled?.make();
    await sweeper.look();
    world.dirtyKeys.length = 0;
    world.clock.advance(3 * SECOND);
    await sweeper.look();
    expect(world.dirtyKeys).toContain('w');
  });
});

/** As the service writes it; the times of cron are whole minutes. */
async function schedule(
  { projectId, agentId }: WorldAgent,
  inMs: number,
  now = world.clock.now(),
): Promise<void> {
  const nextRunAt = new Date(now.getTime() + inMs);
  await world.database.transaction(async (tx) => {
    await tx.db
      .insertInto('schedules')
      .values({
        id: `sch_${agentId}`,
        projectId,
        agentId,
        cron: '0 9 * * *',
        timeZone: 'UTC',
        prompt: 'x',
        enabled: true,
        onMissed: 'once',
        createdBy: world.owner.id,
        nextRunAt,
      })
      .execute();
    tx.dirty('d');
  });
}

async function promptsOf({ agentId }: WorldAgent): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from chat_messages
    where agent_id = ${agentId} and schedule_id is not null`.execute(world.database.db);
  return Number(rows[0]?.count);
}

/** Nothing of one test is due in the next one. */
async function settle(): Promise<void> {
  const { db } = world.database;
  await sql`update schedules set enabled = false, next_run_at = null`.execute(db);
  await sql`delete from pending_agent_purposes`.execute(db);
  await sql`delete from session_viewers`.execute(db);
  await sql`delete from coordinators`.execute(db);
  await sql`update chat_messages set state = 'answered', answered_at = now(), delivered_session_id = null
    where state in ('stored', 'delivered')`.execute(db);
  await sql`update user_questions set state = 'cancelled', resolved_at = now() where state = 'pending'`.execute(
    db,
  );
  await sql`update approvals set state = 'cancelled', resolved_at = now() where state = 'pending'`.execute(
    db,
  );
  await sql`update conversations set state = 'ended', ended_at = coalesce(ended_at, now()),
    end_reason = coalesce(end_reason, 'timeout') where state <> 'ended'`.execute(db);
  await sql`update agent_sessions set state = 'ended', ended_at = now() where state <> 'ended'`.execute(db);
  await sql`update agent_runs set state = 'exited', ended_at = now(), exit_cause = 'finished'
    where state <> 'exited'`.execute(db);
}
