import { chatOf } from '@aizuchi/shared/core/rules/work-key';
import { expect, test } from 'vitest';
import { CallerCache } from './caller-cache.ts';

const caller = {
  ...chatOf({ projectId: 'p', agentId: 'a' }),
  sessionId: 'ses_1',
  live: true,
} as const;

function setUp() {
  const time = { now: 0 };
  return { time, cache: new CallerCache({ now: () => new Date(time.now) }) };
}

test('a bearer is remembered for five minutes', () => {
  const { time, cache } = setUp();
  cache.put('token', caller);
  time.now = 299_999;
  expect([cache.get('token'), cache.get('other')]).toEqual([caller, undefined]);
  time.now = 300_000;
  expect(cache.get('token')).toBeUndefined();
});

test('an ended session is not remembered, and one that was told its end is forgotten', () => {
  const { cache } = setUp();
  cache.put('token', { ...caller, live: false });
  expect(cache.get('token')).toBeUndefined();
  cache.put('token', caller);
  cache.forget('ses_1');
  expect(cache.get('token')).toBeUndefined();
});
