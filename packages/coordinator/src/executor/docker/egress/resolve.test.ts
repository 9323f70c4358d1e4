import { expect, test } from 'vitest';
import { resolveByHost } from './resolve.ts';

/** Longer than a part of a name may be: no name server is asked. */
const NO_NAME = `${'a'.repeat(64)}.invalid`;

test('names are resolved, however many at once, and one that fails leaves its place', async () => {
  const names = ['localhost', NO_NAME, '127.0.0.1', 'localhost', NO_NAME, '127.0.0.1'];
  const outcomes = await Promise.allSettled(names.map(resolveByHost));
  expect(outcomes.map(({ status }) => status)).toEqual(
    names.map((name) => (name === NO_NAME ? 'rejected' : 'fulfilled')),
  );
  expect(await resolveByHost('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
});
