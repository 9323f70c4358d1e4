import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { modules, nodePath, root } from './paths.mjs';
import { runTool } from './run.mjs';
import { hashOfTimes, isUpToDate, markUpToDate } from './stamp.mjs';

const runner = join(root, 'packages', 'agent-runner');

/** Compiles the packages and bundles the agent runner. False when all is up to date. */
export async function build() {
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  const fingerprint = hashOfTimes([
    join(root, 'pnpm-lock.yaml'),
    join(root, 'tsconfig.base.json'),
    join(root, 'tsconfig.json'),
    ...packages.flatMap((path) => ['src', 'package.json', 'tsconfig.json'].map((name) => join(path, name))),
  ]);
  const compiled = packages.filter((path) => existsSync(join(path, 'tsconfig.json')));
  const isComplete = compiled.every((path) => existsSync(join(path, 'dist')));
  if (isComplete && isUpToDate('build', fingerprint)) return false;
  await compile(isComplete);
  await bundleRunner();
  markUpToDate('build', fingerprint);
  return true;
}

async function compile(isComplete) {
  const compiler = join(modules, 'typescript7', 'bin', 'tsc');
  // The compiler believes its own notes, also when somebody has removed what it had written.
  await runTool(nodePath(), [compiler, '-b', ...(isComplete ? [] : ['--force'])]);
}

/** One file without dependencies: it runs as another account that cannot read the checkout. */
async function bundleRunner() {
  await runTool(join(modules, '.bin', 'esbuild'), [
    join(runner, 'src', 'main.ts'),
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--target=node24',
    '--conditions=source',
    '--log-level=warning',
    // CommonJS inside an ES module still asks for `require`.
    "--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    `--outfile=${join(runner, 'dist', 'runner.mjs')}`,
  ]);
}
