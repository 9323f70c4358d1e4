import { expect, test } from 'vitest';
import { ServerClock } from './server-clock.ts';

test('the time of the server goes on from its last answer by a clock that is never set', () => {
  let monotonic = 5_000;
  const clock = new ServerClock(() => monotonic);
  expect(clock.now()).toBeUndefined();
  clock.answered('2026-11-29T03:00:00.250Z');
  monotonic += 20_000.7;
  expect(clock.now()).toBe('2026-11-29T03:00:20.250Z');
  clock.answered(undefined);
  expect(clock.now()).toBe('2026-11-29T03:00:20.250Z');
  clock.forget();
  expect(clock.now()).toBeUndefined();
});
