import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATION_NAMES } from '@aizuchi/shared/platform/db/migrate';
import { expect, test } from 'vitest';

const LIST = join(import.meta.dirname, '../../packages/shared/migrations/released.txt');
const released = readFileSync(LIST, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

test('a migration that is not released runs after all that are, and none of those is gone', () => {
  expect(released).not.toEqual([]);
  expect(MIGRATION_NAMES.slice(0, released.length)).toEqual(released);
});

/** Kysely orders files by their characters, and what was applied at one moment by the rules of a language: the same for these. */
test('each has 14 digits of its own, then small letters, digits and _', () => {
  expect(MIGRATION_NAMES.filter((name) => !/^\d{14}_[a-z0-9_]+$/.test(name))).toEqual([]);
  const numbers = MIGRATION_NAMES.map((name) => name.slice(0, 14));
  expect(numbers).toEqual([...new Set(numbers)]);
});
