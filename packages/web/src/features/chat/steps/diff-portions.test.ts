import { expect, test } from 'vitest';
import { diffLines } from './diff-lines.ts';
import { portionOf } from './diff-portions.ts';

test('a short diff is shown as a whole', () => {
  const { lines } = diffLines('a\n', 'b\n');
  expect(portionOf(lines, 0)).toEqual({ shown: lines, left: 0, next: 0, cut: 0 });
});

test('a long one begins folded and unfolds in portions, down to what was cut', () => {
  const { lines } = diffLines('', '\n'.repeat(60_000));
  expect(portionOf(lines, 0)).toMatchObject({ left: 1_940, next: 300, cut: 58_000 });
  expect(portionOf(lines, 0).shown).toHaveLength(60);
  expect(portionOf(lines, 6)).toMatchObject({ left: 140, next: 140, cut: 58_000 });
  const all = portionOf(lines, 7);
  expect([all.shown.length, all.left, all.next]).toEqual([2_000, 0, 0]);
});
