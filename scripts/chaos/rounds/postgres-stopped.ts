import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesIn } from '../../postgres/postmaster-file.ts';
import type { House } from '../house.ts';
import { pairInTurn, type Round } from '../round.ts';

const STOPPED_MS = 30_000;
/** Beyond the six seconds after which a statement is given up. */
const STOPPED_SHORT_MS = 10_000;
/** Whatever is answered later than this has waited for Postgres to come back. */
const HUNG_MS = 9_000;

/** There, listening, and silent: worse than dead, because every connection looks alive. */
export const postgresStopped: Round = {
  name: 'postgres stopped (SIGSTOP)',
  atMost: 2,
  async strike(house, { turn, isShort }) {
    const stoppedMs = isShort ? STOPPED_SHORT_MS : STOPPED_MS;
    const violations: string[] = [];
    let slowest = 0;
    await signalPostgres(house, 'SIGSTOP');
    try {
      const until = performance.now() + stoppedMs;
      while (performance.now() < until) {
        const answer = await house.person.once('GET', '/projects');
        const tookMs = answer?.tookMs ?? 0;
        slowest = Math.max(slowest, tookMs);
        if (tookMs > HUNG_MS) violations.push(`GET /projects hung for ${Math.round(tookMs)} ms`);
        // One that was asked at the very end may be answered by the Postgres that came back.
        else if (answer?.status !== 503 && performance.now() < until)
          violations.push(`while Postgres was stopped GET /projects answered ${answer?.status ?? 'nothing'}`);
        await sleep(200);
        if (isShort) break;
      }
      await sleep(Math.max(0, until - performance.now()));
    } finally {
      await signalPostgres(house, 'SIGCONT');
    }
    return {
      pair: pairInTurn(house, turn),
      since: performance.now(),
      note: `stopped ${stoppedMs / 1000} s; 503 after at most ${(slowest / 1000).toFixed(1)} s`,
      violations,
    };
  },
};

/** The postmaster first: what it starts meanwhile would not be stopped. */
async function signalPostgres(house: House, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  const processes = (await processesIn(join(house.home, 'data', 'postgres'))) ?? [];
  for (const pid of processes.sort((a, b) => a - b)) process.kill(pid, signal);
}
