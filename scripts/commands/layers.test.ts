/** The same rules as .dependency-cruiser.cjs, read from the sources: neither can be switched off alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './steps.ts';

const packages = join(root, 'packages');

/** Every import of the product's sources as `[file, target]`, our own modules by their place in `packages`. */
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
  ['the domain imports nothing but itself', /^shared\/src\/domain\//, /^(?!shared\/src\/domain\/)/],
  [
    'the contract imports the domain and zod',
    /^shared\/src\/contract\//,
    /^(?!shared\/src\/(contract|domain)\/|zod$)/,
  ],
  [
    'the database layer knows no use case',
    /^shared\/src\/(db|changes)\//,
    /^shared\/src\/(services|mcp-client)\//,
  ],
  ['services know no transport', /^shared\/src\/services\//, /^(fastify|@modelcontextprotocol)/],
  [
    'the Coordinator is an MCP client only',
    /^coordinator\//,
    /^(kysely|pg$|shared\/src\/(services|db|changes|domain)\/)/,
  ],
  [
    'the runner is an MCP client only',
    /^agent-runner\//,
    /^(kysely|pg$|shared\/src\/(services|db|changes|config)\/)/,
  ],
  ['the page knows contract, domain and texts', /^web\//, /^shared\/src\/(?!contract\/|domain\/|texts\/)/],
  ['nothing but shared is shared', /^/, /^(rest-api|mcp-server|coordinator|agent-runner|memory|web)\/src\//],
])('%s', (_, from, forbidden) => {
  const relevant = imports.filter(([file]) => from.test(file));
  expect(imports.length).toBeGreaterThan(100);
  const wrong = relevant.filter(
    ([file, target]) => forbidden.test(target) && packageOf(file) !== foreign(target),
  );
  expect(wrong).toEqual([]);
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

/** The package that a target lies in, when it is one of ours other than shared. */
function foreign(target: string): string | undefined {
  const [name, folder] = target.split('/');
  return folder === 'src' && name !== 'shared' ? name : undefined;
}
