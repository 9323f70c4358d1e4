import { setTimeout as sleep } from 'node:timers/promises';
import { type Percentiles, percentiles } from './statistics.ts';

/** Begins one sample at once; the promises are the moments (of performance.now) that it consists of. */
export type Way = (text: string) => Readonly<Record<string, Promise<number>>>;

export interface TurnsOptions {
  readonly samples: number;
  /** Samples before, which are not counted. */
  readonly warmUp: number;
  /** Before each sample: what the one before leaves to be done must not run in it. */
  readonly pauseMs: number;
}

/**
 * Measures several ways in turn, so that what else the machine does meets all of them. Returns the time from the begin
 * of a sample to each of its moments, in milliseconds, under `way → moment`. Each text is given once.
 */
export async function measureInTurn(
  ways: Readonly<Record<string, Way>>,
  { samples, warmUp, pauseMs }: TurnsOptions,
): Promise<Map<string, Percentiles>> {
  const taken = new Map<string, number[]>();
  for (let index = -warmUp; index < samples; index += 1) {
    for (const [way, begin] of Object.entries(ways)) {
      await sleep(pauseMs);
      const startedAt = performance.now();
      const moments = Object.entries(begin(`${way}, message ${index + warmUp}`));
      const ended = await Promise.all(
        moments.map(async ([moment, at]) => [moment, (await at) - startedAt] as const),
      );
      if (index < 0) continue;
      for (const [moment, ms] of ended) {
        const name = `${way} → ${moment}`;
        taken.set(name, [...(taken.get(name) ?? []), ms]);
      }
    }
  }
  return new Map([...taken].map(([name, values]) => [name, percentiles(values)]));
}

/** How many times as long as the floor: p50 and p95. */
export function timesFloor(
  measured: ReadonlyMap<string, Percentiles>,
  name: string,
  floor: string,
): { readonly p50: number; readonly p95: number } {
  const [one, other] = [measured.get(name), measured.get(floor)];
  if (!one || !other) throw new Error(`not measured: ${one ? floor : name}`);
  return { p50: one.p50 / other.p50, p95: one.p95 / other.p95 };
}
