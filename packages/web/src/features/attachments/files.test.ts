import { expect, test } from 'vitest';
import { isLongPaste, namesOf, sizeText, textBeside } from './files.ts';

test('a long paste becomes a file, a few words too many do not', () => {
  expect(isLongPaste('x'.repeat(4_001), '')).toBe(true);
  expect(isLongPaste('x'.repeat(4_000), '')).toBe(false);
  expect(isLongPaste('x'.repeat(1_500), 'y'.repeat(3_000))).toBe(true);
  expect(isLongPaste('x'.repeat(500), 'y'.repeat(3_900))).toBe(false);
  // Counted as people count.
  expect(isLongPaste('😀'.repeat(4_000), '')).toBe(false);
});

test('a message of files alone has their names as its text, which are not shown twice', () => {
  const files = [file('図.png'), file('notes.md')];
  expect(namesOf(files)).toBe('図.png, notes.md');
  expect(textBeside('図.png, notes.md', files)).toBe('');
  expect(textBeside('Look at 図.png', files)).toBe('Look at 図.png');
  expect(textBeside('図.png', undefined)).toBe('図.png');
});

test('sizes', () => {
  expect([999, 12_400, 4_960_000].map(sizeText)).toEqual(['999 B', '12 kB', '5.0 MB']);
});

function file(name: string) {
  return { id: name, name, mediaType: 'text/plain', size: 1 };
}
