import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROWS } from '../row-pictures/rows.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Rows of docs/design/daily-use.md: the row, its cell of tests, its cell of states. */
const rows = read('docs/design/daily-use.md')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, row]) => /^(\d\d|d\d)$/.test(row ?? ''))
  .map(([, row = '', , tests = '', states = '']): [string, string, string] => [row, tests, states]);

test('the table has the rows of the pictures, in their order', () => {
  expect(rows.map(([row]) => row)).toEqual(ROWS.map(({ id }) => id));
});

test.each(rows)('row %s names states and tests that exist', (row, tests, states) => {
  const named = [...states.matchAll(/`([^`]+)`/g)].map(([, state]) => state);
  expect(named).toEqual(ROWS.find(({ id }) => id === row)?.states.map(({ name }) => name));
  const shown = [...tests.matchAll(/`([^`]+\.test\.ts)`(?: “([^”]+)”)?/g)];
  expect(shown).not.toEqual([]);
  for (const [, file = '', name = ''] of shown) {
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    expect(read(file), file).toContain(name);
  }
});
