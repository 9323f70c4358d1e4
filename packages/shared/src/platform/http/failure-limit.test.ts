import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { FailureLimit } from './failure-limit.ts';

test('a key is over the limit after so many failures, others are not, and it passes within a minute', () => {
  const clock = new FakeClock();
  const limit = new FailureLimit(60, clock);
  for (let n = 0; n < 60; n += 1) limit.add('here');
  expect(limit.isOver('here')).toBe(false);
  limit.add('here');
  expect(limit.isOver('here')).toBe(true);
  expect(limit.retryAfterSeconds('here')).toBe(1);
  for (let n = 0; n < 1_000; n += 1) limit.add('here');
  expect(limit.retryAfterSeconds('here')).toBe(60);
  expect(limit.isOver('there')).toBe(false);
  clock.advance(60_000);
  expect(limit.isOver('here')).toBe(false);
});

test('however many keys there are, it remembers the latest ones', () => {
  const limit = new FailureLimit(1, new FakeClock());
  limit.add('first');
  limit.add('first');
  for (let n = 0; n < 20_000; n += 1) limit.add(`other ${n}`);
  limit.add('last');
  limit.add('last');
  expect([limit.isOver('first'), limit.isOver('last')]).toEqual([false, true]);
});
