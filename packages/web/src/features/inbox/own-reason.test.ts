import { expect, test } from 'vitest';
import { ownReason } from './own-reason.ts';

test('the reason that an agent gave is shown, and no other failure has one', () => {
  const reason = 'The model cannot be reached at 127.0.0.1:9.';
  expect(ownReason({ failure: { code: 'turn_failed', params: { reason } } })).toBe(reason);
  expect(ownReason({ failure: { code: 'turn_failed', params: {} } })).toBeUndefined();
  expect(ownReason({ failure: { code: 'agent_crashed', params: { reason } } })).toBeUndefined();
  expect(ownReason({})).toBeUndefined();
});
