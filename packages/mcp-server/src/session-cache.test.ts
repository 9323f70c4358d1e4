import { chatOf } from '@aizuchi/shared/core/rules/work-key';
import { expect, test } from 'vitest';
import { SessionCache } from './session-cache.ts';

const caller = {
  ...chatOf({ projectId: 'p', agentId: 'a' }),
  sessionId: 'ses_1',
  live: true,
  sharesFolder: false,
  usesMemory: true,
} as const;

function setUp() {
  const time = { now: 1 };
  return { time, cache: new SessionCache({ now: () => new Date(time.now) }) };
}

test('a bearer is remembered for five minutes', () => {
  const { time, cache } = setUp();
  cache.put('token', caller);
  time.now = 300_001;
  expect([cache.get('token'), cache.get('other')]).toEqual([caller, undefined]);
  time.now = 300_002;
  expect(cache.get('token')).toBeUndefined();
});

test('an ended session is not remembered, and a session that learned its end is forgotten', () => {
  const { cache } = setUp();
  cache.put('token', { ...caller, live: false });
  expect(cache.get('token')).toBeUndefined();
  cache.put('token', caller);
  cache.forget('ses_1');
  expect(cache.get('token')).toBeUndefined();
});

test('the most recent bearers are remembered, each with its session', () => {
  const { cache } = setUp();
  for (let n = 0; n < 30_000; n += 1) cache.put(`token ${n}`, { ...caller, sessionId: `ses_${n}` });
  expect([cache.get('token 0'), cache.get('token 29999')?.sessionId]).toEqual([undefined, 'ses_29999']);
  cache.forget('ses_0');
  cache.forget('ses_29999');
  expect(cache.get('token 29999')).toBeUndefined();
  // Another bearer of the same session has replaced the first.
  cache.put('old', caller);
  cache.put('new', caller);
  cache.forget('ses_1');
  expect([cache.get('old'), cache.get('new')]).toEqual([caller, undefined]);
});
