import { setTimeout as sleep } from 'node:timers/promises';
import { percentiles } from '../../bench/support/statistics.ts';
import type { Answer } from './ask.ts';

export interface Measured {
  readonly count: number;
  readonly p99: number;
  readonly max: number;
  /** Answers with an unexpected status, one text each. */
  readonly refused: readonly string[];
}

/**
 * Repeats a valid call until `goesOn` settles, and measures its duration. A call without an answer counts as refused.
 */
export async function measureWhile(
  goesOn: Promise<unknown>,
  call: () => Promise<Pick<Answer, 'status' | 'tookMs'>>,
  pauseMs = 50,
): Promise<Measured> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  goesOn.then(end, end);
  const samples: number[] = [];
  const refused: string[] = [];
  while (!isOver) {
    const startedAt = performance.now();
    const answer = await call().catch((error: unknown) => String(error));
    samples.push(performance.now() - startedAt);
    if (typeof answer === 'string') refused.push(answer);
    else if (answer.status >= 300) refused.push(String(answer.status));
    await sleep(pauseMs);
  }
  const { count, p99, max } = percentiles(samples);
  return { count, p99, max, refused };
}

/** Runs this many clients, each of which repeats its call until the time is over or the call returns false. */
export async function flood(
  clients: number,
  durationMs: number,
  call: (client: number) => Promise<unknown>,
): Promise<void> {
  const end = performance.now() + durationMs;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      let goesOn = true;
      while (goesOn && performance.now() < end) {
        goesOn = (await call(client).catch(() => true)) !== false;
        // A call that was refused at once is repeated, but with a pause, so that the loop does not take this
        // machine's CPU.
        await sleep(5);
      }
    }),
  );
}

export function countBy(values: Iterable<string | number>): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${value} × ${count}`).join(', ') || 'none';
}

export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
