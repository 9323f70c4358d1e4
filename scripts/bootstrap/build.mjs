import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { modules, nodePath, root } from './paths.mjs';
import { runTool } from './run.mjs';
import { hashOfTimes, isUpToDate, markUpToDate } from './stamp.mjs';

/** Compiles the packages, bundles the agent runner, builds the page. False when all is up to date. */
export async function build() {
  const packages = readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .filter((path) => existsSync(join(path, 'tsconfig.json')));
  const fingerprint = hashOfTimes([
    ...['pnpm-lock.yaml', 'tsconfig.base.json', 'tsconfig.json'].map((name) => join(root, name)),
    ...packages.flatMap(sourcesOf),
  ]);
  const isComplete = packages.every((path) => existsSync(join(path, 'dist')));
  if (isComplete && isUpToDate('build', fingerprint)) return false;
  // All to the end, so that each says what it has to say.
  const results = await Promise.allSettled([compile(isComplete), bundleRunner(), buildPage()]);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
  markUpToDate('build', fingerprint);
  return true;
}

/** Everything but what a build or an install writes, and tests. */
function sourcesOf(path) {
  return readdirSync(path)
    .filter((name) => !['dist', 'node_modules', 'test'].includes(name) && !name.endsWith('.tsbuildinfo'))
    .map((name) => join(path, name));
}

/**
 * The compiler believes its own notes, also when somebody has removed what it had written, and may keep an error of a
 * package that was compiled while another one's declarations were changing. So what it finds wrong is looked at anew.
 */
async function compile(isComplete) {
  const tsc = (...options) =>
    runTool(nodePath(), [join(modules, 'typescript7', 'bin', 'tsc'), '-b', ...options]);
  if (!isComplete) return tsc('--force');
  await tsc().catch(() => tsc('--force'));
}

/** One file without dependencies: it runs as another account that cannot read the checkout. */
function bundleRunner() {
  return runTool(nodePath(), [join(root, 'packages', 'agent-runner', 'bundle.mjs')]);
}

function buildPage() {
  const page = join(root, 'packages', 'web');
  if (!existsSync(join(page, 'vite.config.ts'))) return undefined;
  const vite = join(page, 'node_modules', 'vite', 'bin', 'vite.js');
  return runTool(nodePath(), [vite, 'build', '--logLevel', 'error'], { cwd: page });
}
