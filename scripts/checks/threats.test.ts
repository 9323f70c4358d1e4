import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The paths of tests in the tables of threats. */
function testsNamedIn(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => [...line.matchAll(/`((?:shared|rest-api|mcp-server|coordinator|tests)\/[^` ]+)`/g)])
    .flatMap(([, path = '']) => unfolded(path));
}

/** `a/{b,c}` is two paths. */
function unfolded(path: string): string[] {
  const [whole, names] = /\{([^}]*)\}/.exec(path) ?? [];
  return whole === undefined || names === undefined
    ? [path]
    : names.split(',').map((name) => path.replace(whole, name));
}

test.each(['docs/security.md', 'docs/design/intruders.md'])('every test that %s names exists', (file) => {
  const named = testsNamedIn(file);
  expect(named.length).toBeGreaterThan(10);
  const missing = named.filter((path) => {
    const from = path.startsWith('tests/') ? path : `packages/${path}`;
    return !['', '.ts', '.test.ts'].some((end) => existsSync(join(ROOT, `${from}${end}`)));
  });
  expect(missing).toEqual([]);
});
