import { expect, test } from 'vitest';
import { z } from 'zod';
import { storable } from './storable.ts';

const schema = storable(z.unknown());
const issueOf = (value: unknown) => schema.safeParse(value).error?.issues[0]?.path;

test.each([
  ['a text', '\u0000', []],
  ['inside an object', { a: { b: 'x\u0000' } }, ['a', 'b']],
  ['inside a list', { a: ['x', ['\ud800']] }, ['a', '1', '0']],
  ['a key', { a: { 'k\u0000': 1 } }, ['a']],
])('%s that Postgres cannot hold is refused, with its place', (_what, value, path) => {
  expect(issueOf(value)).toEqual(path);
});

test.each([['text'], [{ a: ['𠮷', null, 1, { b: 'é' }] }], [undefined]])('%j is accepted', (value) => {
  expect(schema.safeParse(value).success).toBe(true);
});

/** This check runs before every sign-in: its cost must be proportional to the size of the body. */
test('a body of a megabyte costs little, deep or wide, and its answer stays short', () => {
  let deep: unknown = '\u0000';
  for (let level = 0; level < 500_000; level += 1) deep = [deep];
  const wide = Array.from({ length: 500_000 }, () => 0);
  const keys = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 0]));
  const startedAt = performance.now();
  expect(issueOf(deep)?.length).toBeLessThan(20);
  expect(issueOf(wide)).toBeUndefined();
  expect(issueOf(keys)).toBeUndefined();
  // The first version took minutes for the deep body alone.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
