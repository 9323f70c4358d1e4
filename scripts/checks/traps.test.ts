import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Rows of docs/design/traps.md: the number, and the files with a test named after it. */
const rows = read('docs/design/traps.md')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, number]) => /^\d+$/.test(number ?? ''))
  .map((cells): [number, string[]] => [
    Number(cells[1]),
    [...(cells[4] ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => file ?? ''),
  ]);

test('all are listed, in order', () => {
  expect(rows.map(([number]) => number)).toEqual(Array.from({ length: 34 }, (_, index) => index + 1));
});

/** Lines with the name of a test: `it`, `test` or `describe`, or a row of a table of cases. */
const TITLES = /^\s*((it|test|describe)\b|\[?').*$/gm;

test.each(rows)('trap %i has a test named for it in every file of its row', (number, files) => {
  const isNamed = new RegExp(`\\btraps? (\\d+, )*${number}\\b`);
  expect(files).not.toEqual([]);
  expect(
    files.filter(
      (file) =>
        !read(file)
          .match(TITLES)
          ?.some((title) => isNamed.test(title)),
    ),
  ).toEqual([]);
});
