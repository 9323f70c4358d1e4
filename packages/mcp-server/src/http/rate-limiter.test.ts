import { FakeClock } from '@aizuchi/shared/testing/fake-clock';
import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

test('a caller may call so often a minute, then as fast as its bucket fills again; others are not delayed', () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter(60, clock);
  for (let n = 0; n < 60; n += 1) expect(limiter.take('one')).toBeUndefined();
  expect(limiter.take('one')).toBe(1);
  expect(limiter.take('one', 30)).toBe(30);
  expect(limiter.take('two')).toBeUndefined();
  clock.advance(1_000);
  expect([limiter.take('one'), limiter.take('one')]).toEqual([undefined, 1]);
  clock.advance(600_000);
  expect([limiter.take('one', 60), limiter.take('one')]).toEqual([undefined, 1]);
});

test('a burst is taken at once, and comes back at the rate of a minute', () => {
  const clock = new FakeClock();
  const limiter = new RateLimiter(60, clock, 600);
  expect(limiter.take('one', 600)).toBeUndefined();
  expect(limiter.take('one', 60)).toBe(60);
  clock.advance(60_000);
  expect([limiter.take('one', 60), limiter.take('one')]).toEqual([undefined, 1]);
  clock.advance(3_600_000);
  expect([limiter.take('one', 600), limiter.take('one')]).toEqual([undefined, 1]);
});

test('the most recent callers are remembered', () => {
  const limiter = new RateLimiter(1, new FakeClock());
  limiter.take('first');
  for (let n = 0; n < 30_000; n += 1) limiter.take(`other ${n}`);
  limiter.take('last');
  expect([limiter.take('first'), limiter.take('last')]).toEqual([undefined, 60]);
});
