import { expect, test } from 'vitest';
import { placePollMs } from './place-poll.ts';

const startedAt = '2026-11-28T10:00:00.000Z';
const after = (seconds: number) => Date.parse(startedAt) + seconds * 1_000;

test.each([
  ['not loaded yet', undefined, 0, 30_000],
  ['read', { startedAt, memory: { mostMb: 60 } }, 1, 30_000],
  ['just started', { startedAt }, 59, 2_000],
  ['never read', { startedAt }, 60, 30_000],
])('%s', (_, run, seconds, ms) => {
  expect(placePollMs(run, after(seconds))).toBe(ms);
});
