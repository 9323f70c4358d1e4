import { expect, test } from 'vitest';
import { startedBefore } from './started-before.ts';

const at = '2026-11-29T02:30:00.000Z';
const run = { purpose: 'chat', startedAt: '2026-11-29T02:29:59.000Z' } as const;

test('only a chat process that is older than the change and still runs has the old set-up', () => {
  expect(startedBefore([run], at)).toBe(true);
  expect(startedBefore([run], undefined)).toBe(false);
  expect(startedBefore([{ ...run, endedAt: '2026-11-29T02:29:59.100Z' }], at)).toBe(false);
  expect(startedBefore([{ ...run, startedAt: '2026-11-29T02:30:00.500Z' }], at)).toBe(false);
  expect(startedBefore([{ ...run, purpose: 'task' }], at)).toBe(false);
});
