import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasNode, modules, root } from './paths.mjs';
import { runTool } from './run.mjs';
import { hashOfContents, isUpToDate, markUpToDate, wasEverDone } from './stamp.mjs';

/** The tests' Chromium is a quarter of the whole download, so only commands that use it install it. */
const withoutBrowser = ['--include-workspace-root', '--filter=!@aizuchi/test-browser'];

/** Packages that are files once they are built. */
const withoutBuilt = ['--filter=!@aizuchi/web', '--filter=!@aizuchi/agent-runner'];
/**
 * Without devDependencies. A machine that only runs the product needs no copy of the output of install scripts in the
 * store.
 */
const production = ['--prod', '--config.side-effects-cache=false'];

/**
 * The sets that can be installed, each including those before it: what running needs, what building needs, the tools
 * of developers, the browser of the tests. Their names are the names of the stamps.
 */
const SETS = [
  { name: 'install-run', filters: [...withoutBrowser, ...withoutBuilt], options: production },
  { name: 'install-start', filters: withoutBrowser, options: production },
  { name: 'install', filters: withoutBrowser, options: [] },
  { name: 'install-all', filters: [], options: [] },
];

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
  removeHeaders();
  markUpToDate(set.name, fingerprint);
  return true;
}

/** Node's package brings 67 MB of headers for native add-ons, which are not needed here. */
function removeHeaders() {
  const binaries = join(modules, 'node', 'node_modules', `node-${process.platform}-${process.arch}`);
  rmSync(join(binaries, 'include'), { recursive: true, force: true });
}

function describingFiles() {
  const packages = join(root, 'packages');
  return [
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    ...readdirSync(packages).map((name) => join('packages', name, 'package.json')),
    join('tests', 'browser', 'package.json'),
  ]
    .map((file) => join(root, file))
    .filter((file) => existsSync(file));
}
