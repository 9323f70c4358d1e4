import { expect, test } from 'vitest';
import { readSnapshot, textChange, undoing } from './revision-change.ts';

test('words that differ are marked, also in a text without spaces', () => {
  const { before, after } = textChange('猫の名前はモモだよ。', '猫の名前はハナだよ。');
  expect(before.filter(({ isMarked }) => isMarked)).toEqual([{ text: 'モモ', isMarked: true }]);
  expect(after.map(({ text }) => text).join('')).toBe('猫の名前はハナだよ。');
  expect(after.filter(({ isMarked }) => isMarked)).toEqual([{ text: 'ハナ', isMarked: true }]);
});

test('texts without a common word, and very long ones, have no marks', () => {
  expect(textChange('abc', 'xyz')).toEqual({
    before: [{ text: 'abc', isMarked: false }],
    after: [{ text: 'xyz', isMarked: false }],
  });
  const long = 'a '.repeat(3_000);
  expect(textChange(long, `${long}b`).after).toHaveLength(1);
});

test('a snapshot is read as far as it is one', () => {
  expect(readSnapshot(null)).toBeUndefined();
  expect(readSnapshot({ confidence: 0.5 })).toBeUndefined();
  expect(readSnapshot({ bodyText: 'a', confidence: 0.5, validTo: '2026-11-10T00:00:00.000Z' })).toEqual({
    bodyText: 'a',
    confidence: 0.5,
    validTo: '2026-11-10T00:00:00.000Z',
    payload: {},
  });
});

test('what is undone is undone as a whole: a task that was done is open again', () => {
  const open = {
    bodyText: 'call Ken',
    confidence: 1,
    validTo: null,
    payload: { task: 'call', status: 'open' },
  };
  const done = {
    ...open,
    validTo: '2026-11-10T00:00:00.000Z',
    payload: { task: 'call', status: 'done', by: 1 },
  };
  expect(undoing(open, done)).toEqual({ ...open, payload: { task: 'call', status: 'open', by: null } });
});
