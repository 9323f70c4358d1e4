import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodePath, root } from './paths.mjs';
import { runTool } from './run.mjs';
import { hashOfSources, hashOfTimes, isUpToDate, markUpToDate } from './stamp.mjs';

const products = [
  'dist/supervisor.js',
  'packages/agent-runner/dist/runner.mjs',
  'packages/web/dist/index.html',
];
/** Beside what was built: of which sources. A release that brings both is not built again. */
const builtFrom = join(root, 'dist', 'sources');
const ownScripts = ['bootstrap', 'postgres', 'supervisor'].map((name) => join(root, 'scripts', name));

/** False when what was built here, or brought by a release, is of these sources. */
export function needsBuild() {
  if (!products.every((file) => existsSync(join(root, file)))) return true;
  const sources = allSources();
  const times = hashOfTimes(sources);
  if (isUpToDate('build', times)) return false;
  if (readIfThere(builtFrom) !== hashOfSources(sources)) return true;
  markUpToDate('build', times);
  return false;
}

/** Bundles the services and the agent runner, builds the page. False when all is up to date. */
export async function build() {
  if (!needsBuild()) return false;
  const sources = allSources();
  const [times, contents] = [hashOfTimes(sources), hashOfSources(sources)];
  // All to the end, so that each says what it has to say.
  const results = await Promise.allSettled([bundleServices(), bundleRunner(), buildPage()]);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
  writeFileSync(builtFrom, contents);
  markUpToDate('build', times);
  return true;
}

function allSources() {
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  return [
    ...['pnpm-lock.yaml', 'tsconfig.base.json', 'package.json'].map((name) => join(root, name)),
    ...ownScripts,
    ...packages.flatMap(sourcesOf),
  ];
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Everything but what a build or an install writes, and tests. */
function sourcesOf(path) {
  return readdirSync(path)
    .filter((name) => !['dist', 'node_modules', 'test'].includes(name) && !name.endsWith('.tsbuildinfo'))
    .map((name) => join(path, name));
}

function bundleServices() {
  return runTool(nodePath(), [join(root, 'scripts', 'bootstrap', 'bundle.mjs')]);
}

/** One file without dependencies: it runs as another account that cannot read the checkout. */
function bundleRunner() {
  return runTool(nodePath(), [join(root, 'packages', 'agent-runner', 'bundle.mjs')]);
}

function buildPage() {
  const page = join(root, 'packages', 'web');
  const vite = join(page, 'node_modules', 'vite', 'bin', 'vite.js');
  return runTool(nodePath(), [vite, 'build', '--logLevel', 'error'], { cwd: page });
}
