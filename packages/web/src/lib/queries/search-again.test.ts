import { expect, test } from 'vitest';
import { searchAgainMs } from './search-again.ts';

test.each([
  [['collector_late'], 1, 1_000],
  [['memory_unavailable'], 2, 1_000],
  [['no_embedding', 'collector_late'], 8, 10_000],
  [['no_embedding', 'collector_late'], 9, false],
  [['memory_unavailable'], 30, 10_000],
  [['no_embedding'], 1, false],
  [[], 1, false],
] as const)('a search that says %j after %i times is made again after %s ms', (degraded, times, ms) => {
  expect(searchAgainMs({ degraded }, times)).toBe(ms);
});

test('what has not answered yet is not asked again', () => {
  expect(searchAgainMs(undefined, 0)).toBe(false);
});
