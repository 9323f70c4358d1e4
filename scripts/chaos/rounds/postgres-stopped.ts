import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesIn } from '../../postgres/postmaster-file.ts';
import type { ChaosWorld } from '../chaos-world.ts';
import { membershipInTurn, type Round } from '../round.ts';
import { givenUpRuns, untilAllBeat } from './given-up.ts';

const STOPPED_MS = 30_000;
/** Longer than the silence after which a Coordinator or a runner is given up. */
const STOPPED_LONG_MS = 90_000;
const WAKES_LATE_MS = 5_000;
/** Longer than the six seconds after which a statement is given up. */
const STOPPED_SHORT_MS = 10_000;
/** An answer that takes longer than this has waited for Postgres to continue. */
const HUNG_MS = 9_000;

/** Postgres listens but does not answer: harder than a crash, because every connection looks alive. */
export const postgresStopped: Round = {
  name: 'postgres stopped (SIGSTOP)',
  atMost: 2,
  async inject(world, { turn, isShort }) {
    const stopped = await stopPostgres(world, isShort ? STOPPED_SHORT_MS : STOPPED_MS, isShort);
    return { membership: membershipInTurn(world, turn), since: performance.now(), ...stopped };
  },
};

/**
 * Like a laptop that was asleep: no process could reach another, and the Coordinator continues later than the
 * processes that judge its silence. It must not be given up, nor any run.
 */
export const postgresStoppedLong: Round = {
  name: 'postgres stopped for 90 s, coordinator wakes up late',
  atMost: 1,
  pauseMs: 500,
  isLong: true,
  async inject(world, { turn }) {
    const before = await givenUpRuns(world);
    const coordinator = await world.servicePid('coordinator');
    process.kill(coordinator, 'SIGSTOP');
    const { note, violations } = await stopPostgres(world, STOPPED_LONG_MS, false)
      .then(async (stopped) => {
        await sleep(WAKES_LATE_MS);
        return stopped;
      })
      .finally(() => process.kill(coordinator, 'SIGCONT'));
    const since = performance.now();
    await untilAllBeat(world).catch(() => {
      violations.push('after 90 s without Postgres a Coordinator did not beat again');
    });
    const given = (await givenUpRuns(world)).filter((run) => !before.includes(run));
    if (given.length > 0) violations.push(`after 90 s without Postgres given up: ${given.join(', ')}`);
    return { membership: membershipInTurn(world, turn), since, note, violations };
  },
};

async function stopPostgres(world: ChaosWorld, stoppedMs: number, asksOnce: boolean) {
  const violations: string[] = [];
  let slowest = 0;
  await signalPostgres(world, 'SIGSTOP');
  try {
    const until = performance.now() + stoppedMs;
    while (performance.now() < until) {
      const answer = await world.person.once('GET', '/projects');
      const tookMs = answer?.tookMs ?? 0;
      slowest = Math.max(slowest, tookMs);
      if (tookMs > HUNG_MS) violations.push(`GET /projects hung for ${Math.round(tookMs)} ms`);
      // A request at the very end may be answered by the Postgres that continues.
      else if (answer?.status !== 503 && performance.now() < until)
        violations.push(`while Postgres was stopped GET /projects answered ${answer?.status ?? 'nothing'}`);
      await sleep(200);
      if (asksOnce) break;
    }
    await sleep(Math.max(0, until - performance.now()));
  } finally {
    await signalPostgres(world, 'SIGCONT');
  }
  const note = `stopped ${stoppedMs / 1000} s; 503 after at most ${(slowest / 1000).toFixed(1)} s`;
  return { note, violations };
}

/**
 * The postmaster first, then all that it has started until it stopped: a process that was started while the list was read
 * would go on and answer.
 */
async function signalPostgres(world: ChaosWorld, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  const [postmaster] = await postgresProcesses(world);
  if (postmaster === undefined) return;
  process.kill(postmaster, signal);
  for (const pid of await postgresProcesses(world)) process.kill(pid, signal);
}

/** In the order of their numbers. */
async function postgresProcesses(world: ChaosWorld): Promise<number[]> {
  const processes = (await processesIn(join(world.home, 'data', 'postgres'))) ?? [];
  return processes.sort((a, b) => a - b);
}
