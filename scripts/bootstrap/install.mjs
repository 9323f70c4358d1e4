import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasNode, root } from './paths.mjs';
import { runTool } from './run.mjs';
import { hashOfContents, isUpToDate, markUpToDate } from './stamp.mjs';

/** The tests' Chromium is a quarter of all that is fetched: only for who uses it. */
const withoutBrowser = ['--include-workspace-root', '--filter=!@aizuchi/test-browser'];

/** Installs from the lockfile with the pinned pnpm. False when it is up to date. */
export async function install(packageManager, { withBrowser = false } = {}) {
  const fingerprint = hashOfContents(describingFiles());
  const enough = withBrowser ? ['install-all'] : ['install-all', 'install'];
  if (enough.some((name) => isUpToDate(name, fingerprint)) && hasNode()) return false;
  console.error('aizuchi: installing what is not there yet (the first time half a minute) …');
  await runTool(
    'npx',
    [
      '-y',
      packageManager.split('+')[0],
      ...(withBrowser ? [] : withoutBrowser),
      'install',
      '--frozen-lockfile',
      '--reporter=append-only',
      '--loglevel=error',
    ],
    // CI: it must not ask. NODE_ENV=production would leave out what the build needs.
    { env: { CI: 'true', NODE_ENV: 'development' } },
  ).catch(() => {
    throw new Error(
      'aizuchi: the packages could not be installed (why stands above). Is the npm registry reached, and is there room on the disk? Run it again then: what was fetched stays.',
    );
  });
  markUpToDate(withBrowser ? 'install-all' : 'install', fingerprint);
  return true;
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
