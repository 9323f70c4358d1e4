import type { MemoryEvent } from '@aizuchi/shared/contract/memory';
import { expect, test } from 'vitest';
import { eventDays, titleOf } from './event-days.ts';

const event = (id: string, at: Date): MemoryEvent => ({
  id,
  createdAt: at.toISOString(),
  clientId: 'c',
  source: 'import',
  assistantState: 'complete',
});

test('events stand under their local day, in their order', () => {
  const now = new Date(2026, 10, 27, 0, 30);
  const days = eventDays(
    [
      event('a', new Date(2026, 10, 27, 0, 10)),
      event('b', new Date(2026, 10, 26, 23, 50)),
      event('c', new Date(2026, 10, 26, 1, 0)),
      event('d', new Date(2026, 10, 18, 14, 6)),
    ],
    now,
  );
  expect(days.map(({ daysAgo, events }) => [daysAgo, events.map(({ id }) => id)])).toEqual([
    [0, ['a']],
    [1, ['b', 'c']],
    [9, ['d']],
  ]);
});

test('an event without the words of a person shows its picture or its answer', () => {
  const bare = event('a', new Date(0));
  expect(titleOf({ ...bare, assistantText: 'answer', caption: 'picture' })).toBe('picture');
  expect(titleOf({ ...bare, assistantText: 'answer' })).toBe('answer');
  expect(titleOf(bare)).toBe('');
});
