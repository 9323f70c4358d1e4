import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loseSilentCoordinators } from '../../src/core/coordinators/coordinator-beat.ts';
import { ListeningMark } from '../../src/core/sessions/listening-mark.ts';
import { couldHear } from '../../src/core/sessions/listening-queries.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { expectInvariants, rawClient, runOf, untilBlocked } from '../chat/chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.listens();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const lostAt = async (id: string) =>
  (await world.database.pool.query('select lost_at from coordinators where id = $1', [id])).rows[0]?.lost_at;
const sweep = () => world.sweeper.runOnce();
/** What is looked at lasts some seconds: a busy machine would be late for it. */
const frozen = (work: () => Promise<void>) => () => world.clock.frozen(work);

/** A warm agent, and an mcp-server that has been listening for a minute. */
async function warm(coordinator: string) {
  const membership = await world.agentInProject();
  const warmed = await world.warmAgent(membership, coordinator);
  await world.isDeaf();
  const ear = world.listener(`ear-of-${coordinator}`);
  // The agent lives and calls: this is about its Coordinator.
  const calls = () => world.sessions.touch([warmed.caller.sessionId]);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 5) {
      world.clock.advance(5_000);
      await ear.mark();
    }
    await calls();
  };
  await ear.mark();
  await pass(60);
  await world.coordinator(coordinator, [warmed.runId]);
  return { ...warmed, membership, ear, pass, calls };
}

describe('an outage of our own is nobody else’s silence', () => {
  it(
    'after 90 s without Postgres nothing is given up, and beats get their 45 s again',
    frozen(async () => {
      const { runId, ear, pass } = await warm('host-outage');
      world.clock.advance(90_000);
      // Whoever sweeps first, before an mcp-server has said anything, and after it.
      expect((await sweep()).lostCoordinators).toBe(0);
      await ear.mark();
      expect((await sweep()).lostCoordinators).toBe(0);
      await pass(40);
      expect((await sweep()).lostCoordinators).toBe(0);
      expect((await runOf(world, runId)).state).toBe('running');
      expect(await lostAt('host-outage')).toBeNull();
      await pass(10);
      expect((await sweep()).lostCoordinators).toBe(1);
      expect((await runOf(world, runId)).exitCause).toBe('lost');
    }),
  );

  it(
    'while no mcp-server is there, who sweeps elsewhere gives nothing up; a new one has heard nothing yet',
    frozen(async () => {
      const { runId, calls } = await warm('host-restart');
      for (let second = 0; second < 120; second += 10) {
        world.clock.advance(10_000);
        await calls();
        await sweep();
      }
      const restarted = world.listener('ear-restarted');
      for (let second = 0; second < 45; second += 5) {
        await restarted.mark();
        await calls();
        await sweep();
        expect((await runOf(world, runId)).state).toBe('running');
        world.clock.advance(5_000);
      }
      await restarted.mark();
      await sweep();
      expect((await runOf(world, runId)).exitCause).toBe('lost');
    }),
  );

  it(
    'one of several mcp-servers that listened throughout is enough',
    frozen(async () => {
      const { runId, ear, calls } = await warm('host-two-ears');
      const other = world.listener('ear-crash-loop');
      for (let second = 0; second < 50; second += 5) {
        world.clock.advance(5_000);
        await ear.mark();
        if (second % 20 === 0) await other.mark();
      }
      await calls();
      await sweep();
      expect((await runOf(world, runId)).exitCause).toBe('lost');
    }),
  );

  it(
    'while no mcp-server is there no runner of ours is taken for stalled, by who swept all the time',
    frozen(async () => {
      const { runId, ear } = await warm('host-runner');
      const sweepFor = async (seconds: number, mark: () => Promise<void>) => {
        for (let second = 0; second < seconds; second += 8) {
          world.clock.advance(8_000);
          await world.coordinator('host-runner', [runId]);
          await mark();
          await sweep();
        }
      };
      await sweepFor(120, async () => undefined);
      await sweepFor(40, () => ear.mark());
      expect((await runOf(world, runId)).state).toBe('running');
      await sweepFor(16, () => ear.mark());
      expect((await runOf(world, runId)).exitCause).toBe('stalled');
    }),
  );

  it(
    'a beat that comes while its runs are given up keeps those that are left',
    frozen(async () => {
      const { runId, membership, pass } = await warm('host-late');
      await pass(50);
      const gate = await rawClient(world);
      await gate.query('begin');
      await gate.query('select from project_agents where agent_id = $1 for update', [membership.agentId]);
      const losing = loseSilentCoordinators(world.deps);
      await untilBlocked(world, 1);
      await world.coordinator('host-late', [runId]);
      await gate.query('commit');
      await gate.end();
      await losing;
      expect((await runOf(world, runId)).state).toBe('running');
      expect(await lostAt('host-late')).toBeNull();
    }),
  );

  it('goes by the clock of the database: a process whose clock is an hour ahead gives nothing up', async () => {
    await warm('host-clock');
    const hour = Date.now() + 3_600_000;
    const database = openDatabase({ url: world.database.url });
    onTestFinished(() => database.close());
    const deps = { ...world.deps, database, clock: { now: () => new Date(hour) } };
    await world.database.pool.query(
      `update coordinators set lost_at = null, last_seen_at = clock_timestamp() where id = 'host-clock'`,
    );
    await world.listens();
    await loseSilentCoordinators(deps);
    expect(await lostAt('host-clock')).toBeNull();
  });
});

describe('the listening mark', () => {
  const now = async () =>
    (await world.database.pool.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]?.now ??
    new Date(0);
  const sinceOf = async (id: string) =>
    (await world.database.pool.query('select since from listening_marks where id = $1', [id])).rows[0]?.since;

  it(
    'is written by the clock of the database, begins anew after a gap, and old ones go',
    frozen(async () => {
      await world.isDeaf();
      const { database, logger } = world.deps;
      const mark = new ListeningMark({ database, logger, clock: systemClock, instanceId: 'one' });
      vi.spyOn(systemClock, 'now').mockReturnValue(new Date('2001-01-01'));
      await mark.mark();
      const first = await sinceOf('one');
      expect(Math.abs((await now()).getTime() - first.getTime())).toBeLessThan(60_000);
      const shift = (interval: string) =>
        database.pool.query(
          `update listening_marks set since = since - $1::interval, seen_at = seen_at - $1::interval`,
          [interval],
        );
      await shift('8 seconds');
      const kept = await sinceOf('one');
      await mark.mark();
      expect(await sinceOf('one')).toEqual(kept);
      await shift('12 seconds');
      await mark.mark();
      expect((await sinceOf('one')).getTime()).toBeGreaterThanOrEqual(first.getTime());
      await shift('2 hours');
      await new ListeningMark({ database, logger, clock: systemClock, instanceId: 'two' }).mark();
      expect(await sinceOf('one')).toBeUndefined();
    }),
  );

  it(
    'is kept up while its process runs',
    frozen(async () => {
      await world.isDeaf();
      const { database, logger } = world.deps;
      const mark = new ListeningMark({ database, logger, clock: systemClock, instanceId: 'three' });
      mark.start();
      await expect.poll(async () => await couldHear(database.db, await now(), 0)).toBe(true);
      const seen = () =>
        database.pool
          .query('select seen_at from listening_marks')
          .then(({ rows }) => rows[0].seen_at.getTime());
      const first = await seen();
      await expect.poll(() => seen()).toBeGreaterThan(first);
      await mark.stop();
    }),
  );
});
