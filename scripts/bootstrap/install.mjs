import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasNode, modules, root } from './paths.mjs';
import { runTool } from './run.mjs';
import { hashOfContents, isUpToDate, markUpToDate, wasEverDone } from './stamp.mjs';

/** The tests' Chromium is a quarter of all that is fetched: only for who uses it. */
const withoutBrowser = ['--include-workspace-root', '--filter=!@aizuchi/test-browser'];

/** They are files when they have been built. */
const withoutBuilt = ['--filter=!@aizuchi/web', '--filter=!@aizuchi/agent-runner'];
/** No devDependencies. On a machine that only runs it, the store needs no copy of what install scripts have made. */
const production = ['--prod', '--config.side-effects-cache=false'];

/**
 * What can be installed, each set with all of those before it: what runs, what builds that, the tools of developers, and
 * the browser of the tests. The names are those of the stamps.
 */
const SETS = [
  { name: 'install-run', filters: [...withoutBrowser, ...withoutBuilt], options: production },
  { name: 'install-start', filters: withoutBrowser, options: production },
  { name: 'install', filters: withoutBrowser, options: [] },
  { name: 'install-all', filters: [], options: [] },
];

/**
 * Installs from the lockfile with the pinned pnpm: the set of that name, or the larger one that this checkout has had
 * once, so that a start takes no tools away from who has run the tests. False when it is up to date.
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
      // Hashes of packages are checked all the same. Left out is how old each version is, which the lockfile's author
      // has checked: it would fetch 160 MB of metadata.
      '--config.trust-lockfile=true',
      '--reporter=append-only',
      '--loglevel=error',
    ],
    // CI: it must not ask. NODE_ENV=production would leave out what the tests need.
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

/** Node's package brings 67 MB of headers for native add-ons, which nobody builds here. */
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
