import { expect, test } from 'vitest';
import { overtakenBy } from './own-decision.ts';

const mine = { status: 'allowed_once', decidedBy: 'owner' } as const;

test('the same decision of the same person is the one whose response was lost', () => {
  expect(overtakenBy(mine, 'allow_once', 'owner')).toBe('nobody');
});

test('another decision of the same person came from another tab', () => {
  expect(overtakenBy(mine, 'deny', 'owner')).toBe('me');
});

test('the same decision of another person came first', () => {
  expect(overtakenBy(mine, 'allow_once', 'mori')).toBe('another');
});

test('nobody decided first when nothing was refused, or when it timed out', () => {
  expect(overtakenBy(mine, undefined, 'mori')).toBe('nobody');
  expect(overtakenBy({ status: 'timeout' }, 'deny', 'owner')).toBe('nobody');
});
