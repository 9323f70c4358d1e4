/**
 * The rules of .dependency-cruiser.cjs once more, read from the sources, so that neither can be switched off alone.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './steps.ts';

const packages = join(root, 'packages');

/** Every import in the product's sources as `[file, target]`; our own modules by their path in `packages`. */
const imports = readdirSync(packages).flatMap((name) =>
  sourcesIn(join(packages, name, 'src')).flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /^(?:import|export)\b[^'";]*?from '([^']+)'|^import '([^']+)'/gm,
      ),
    ].map(([, from, bare]) => [relative(packages, file), place(file, from ?? bare ?? '')] as const),
  ),
);

test.each([
  [
    'rules import only rules',
    /^shared\/src\/core\/(.*\/)?rules\//,
    /^(?!shared\/src\/core\/(.*\/)?rules\/|porter2$)/,
  ],
  [
    'the contract imports rules and zod',
    /^shared\/src\/contract\//,
    /^(?!shared\/src\/(contract|core\/(.*\/)?rules)\/|zod$)/,
  ],
  ['the platform imports no feature', /^shared\/src\/platform\//, /^shared\/src\/(core|mcp-client)\//],
  ['the core imports no transport', /^shared\/src\/core\//, /^(fastify|@modelcontextprotocol)/],
  [
    'the Coordinator is an MCP client only',
    /^coordinator\//,
    /^(kysely|pg$|shared\/src\/(core\/(?!(.*\/)?rules\/)|platform\/(db|change-log|transcript)\/))/,
  ],
  [
    'the runner is an MCP client only',
    /^agent-runner\//,
    /^(kysely|pg$|shared\/src\/(core\/(?!(.*\/)?rules\/)|platform\/(db|change-log|config|transcript)\/))/,
  ],
  [
    'the page imports contract, rules and texts',
    /^web\//,
    /^shared\/src\/(?!contract\/|core\/(.*\/)?rules\/|platform\/texts\/)/,
  ],
  ['transports make no queries', /^(rest-api|mcp-server|memory)\//, /^shared\/src\/core\/.*-queries(\.ts)?$/],
  [
    'packages import no other package than shared',
    /^/,
    /^(rest-api|mcp-server|coordinator|memory|agent-runner|web)\/src\//,
  ],
])('%s', (_, from, forbidden) => {
  const relevant = imports.filter(([file]) => from.test(file));
  expect(relevant.length).toBeGreaterThan(10);
  const wrong = relevant.filter(
    ([file, target]) => forbidden.test(target) && packageOf(file) !== foreign(target),
  );
  expect(wrong).toEqual([]);
});

test('every feature has its level', () => {
  const config = readFileSync(join(root, '.dependency-cruiser.cjs'), 'utf8');
  const [, levels = ''] = /const LEVELS = \[([\s\S]*?)\n\];/.exec(config) ?? [];
  const named = [...levels.matchAll(/'([a-z-]+)'/g)].map(([, feature]) => feature);
  const features = readdirSync(join(packages, 'shared/src/core'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'rules')
    .map(({ name }) => name);
  expect(named.toSorted()).toEqual(features.toSorted());
});

test('every folder that a rule names exists', () => {
  const platform = readdirSync(join(packages, 'shared/src/platform'));
  expect(platform).toEqual(expect.arrayContaining(['db', 'change-log', 'config', 'transcript', 'texts']));
  expect(readdirSync(packages).toSorted()).toEqual(
    [
      'agent-runner',
      'coordinator',
      'kubernetes-client',
      'mcp-server',
      'memory',
      'rest-api',
      'shared',
      'web',
    ].toSorted(),
  );
});

/**
 * A call of the query builder, a piece of SQL, or a prepared statement, also in files that import nothing of kysely.
 */
const BUILDS_SQL =
  /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto|selectNoFrom|with|withRecursive|statement|query)(<[^()]*>)?\(|\bsql(<[^`]*>)?`/;

test('only query files contain SQL', () => {
  const core = join(packages, 'shared/src/core');
  const files = sourcesIn(core).filter((file) => !file.endsWith('-queries.ts'));
  expect(files.length).toBeGreaterThan(100);
  const building = files.filter((file) => BUILDS_SQL.test(readFileSync(file, 'utf8')));
  expect(building.map((file) => relative(core, file)).toSorted()).toEqual([]);
});

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|(^|\/)testing\//.test(name))
    .map((name) => join(folder, name));
}

function place(file: string, target: string): string {
  if (target.startsWith('.')) return relative(packages, resolve(file, '..', target));
  return target.replace(/^@aizuchi\/shared\//, 'shared/src/');
}

function packageOf(file: string): string | undefined {
  return file.split('/')[0];
}

/** The package of a target, if it is one of ours other than shared. */
function foreign(target: string): string | undefined {
  const [name, folder] = target.split('/');
  return folder === 'src' && name !== 'shared' ? name : undefined;
}
