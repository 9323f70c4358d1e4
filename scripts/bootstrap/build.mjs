import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodePath, root } from './paths.mjs';
import { runTool } from './run.mjs';
import { hashOfSources, hashOfTimes, isUpToDate, markUpToDate } from './stamp.mjs';

const products = [
  'dist/supervisor.js',
  'packages/agent-runner/dist/runner.mjs',
  'packages/web/dist/index.html',
];
/** Made from what this host has installed, because its licence does not let a release bring it. */
const claudeSdk = join(root, 'packages', 'agent-runner', 'dist', 'claude-agent-sdk.mjs');
/** Made where its package is installed. */
const kubernetesClient = join(root, 'dist', 'kubernetes-client.js');
const kubernetesPackage = join(root, 'packages', 'kubernetes-client', 'node_modules', '@kubernetes');
/**
 * Records which sources the build was made from. A release that brings the build and this file is not built again.
 */
const builtFrom = join(root, 'dist', 'sources');
const ownScripts = ['bootstrap', 'postgres', 'supervisor'].map((name) => join(root, 'scripts', name));

/** False if the build, made here or brought by a release, belongs to the present sources. */
export function needsBuild() {
  if (!products.every((file) => existsSync(join(root, file)))) return true;
  const sources = allSources();
  const times = hashOfTimes(sources);
  if (isUpToDate('build', times)) return false;
  if (readIfThere(builtFrom) !== hashOfSources(sources)) return true;
  markUpToDate('build', times);
  return false;
}

/** Bundles the services and the agent runner, and builds the page. Returns false if all is up to date. */
export async function build() {
  if (!needsBuild()) {
    const isClaudeMissing = !existsSync(claudeSdk);
    const isClientMissing = existsSync(kubernetesPackage) && !existsSync(kubernetesClient);
    if (isClaudeMissing) await bundleClaudeSdk();
    if (isClientMissing) await bundleKubernetesClient();
    return isClaudeMissing || isClientMissing;
  }
  const sources = allSources();
  const [times, contents] = [hashOfTimes(sources), hashOfSources(sources)];
  // Waits for all of them, so that each can report its errors.
  const results = await Promise.allSettled([
    bundleServices(),
    bundleRunner(),
    bundleClaudeSdk(),
    ...(existsSync(kubernetesPackage) ? [bundleKubernetesClient()] : []),
    buildPage(),
  ]);
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

/** All files except tests and the output of a build or an install. */
function sourcesOf(path) {
  return readdirSync(path)
    .filter((name) => !['dist', 'node_modules', 'test'].includes(name) && !name.endsWith('.tsbuildinfo'))
    .map((name) => join(path, name));
}

function bundleServices() {
  return runTool(nodePath(), [join(root, 'scripts', 'bootstrap', 'bundle.mjs')]);
}

/** One file without dependencies: it runs under an account that cannot read the checkout. */
function bundleRunner() {
  return runTool(nodePath(), [join(root, 'packages', 'agent-runner', 'bundle.mjs')]);
}

function bundleClaudeSdk() {
  return runTool(nodePath(), [
    join(root, 'scripts', 'bootstrap', 'bundle-claude-sdk.mjs'),
    dirname(claudeSdk),
  ]);
}

function bundleKubernetesClient() {
  return runTool(nodePath(), [join(root, 'scripts', 'bootstrap', 'bundle-kubernetes-client.mjs')]);
}

function buildPage() {
  const page = join(root, 'packages', 'web');
  const vite = join(page, 'node_modules', 'vite', 'bin', 'vite.js');
  return runTool(nodePath(), [vite, 'build', '--logLevel', 'error'], { cwd: page });
}
