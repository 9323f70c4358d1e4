import { expect, test } from 'vitest';
import { dueAt, REMIND_AFTER_MS, readReminders } from './reminders.ts';

test('a new question is due at once, then after increasing delays', () => {
  expect(dueAt(undefined)).toBe(0);
  const pauses = [1, 2, 3, 4, 9].map((times) => dueAt({ at: 1_000, times }) - 1_000);
  const [first, second, third] = REMIND_AFTER_MS;
  expect(pauses).toEqual([first, second, third, third, third]);
});

test.each([undefined, '', '7', 'null', '{"a":1}', '{"a":{"at":"now","times":1}}'])(
  'stored text of another shape is dropped: %s',
  (text) => {
    expect(readReminders(text)).toEqual({});
  },
);

test('stored reminders are read again', () => {
  expect(readReminders('{"toolu_1":{"at":5,"times":2}}')).toEqual({ toolu_1: { at: 5, times: 2 } });
});
