import { expect, test } from 'vitest';
import { measureInTurn, timesFloor, type Way } from './in-turn.ts';
import { percentiles } from './statistics.ts';

test('each way begins in turn, with texts of its own; the warm-up is not counted', async () => {
  const texts: string[] = [];
  const after =
    (ms: number): Way =>
    (text) => {
      texts.push(text);
      const now = performance.now();
      return { half: Promise.resolve(now + ms / 2), whole: Promise.resolve(now + ms) };
    };
  const ways = { quick: after(1_000), slow: after(9_000) };
  const measured = await measureInTurn(ways, { samples: 2, warmUp: 1, pauseMs: 0 });
  expect(texts).toEqual(
    [0, 1, 2].flatMap((number) => [`quick, message ${number}`, `slow, message ${number}`]),
  );
  expect([...measured].map(([name, { count }]) => [name, count])).toEqual([
    ['quick → half', 2],
    ['quick → whole', 2],
    ['slow → half', 2],
    ['slow → whole', 2],
  ]);
  const { p50 = 0 } = measured.get('slow → half') ?? {};
  expect(p50).toBeGreaterThanOrEqual(4_500);
  // A pause between two lines of a busy machine.
  expect(p50).toBeLessThan(9_000);
});

test('a ratio is of the same percentile, and what was not measured has none', () => {
  const measured = new Map([
    ['floor', percentiles([10, 10, 20])],
    ['ours', percentiles([30, 30, 40])],
  ]);
  expect(timesFloor(measured, 'ours', 'floor')).toEqual({ p50: 3, p95: 2 });
  expect(() => timesFloor(measured, 'ours', 'none')).toThrow('not measured: none');
});
