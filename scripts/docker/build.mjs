/**
 * The build stage of the image runs this: it installs and builds as `npm start` does, then (`--runtime-only`) removes
 * what a running service never reads.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../bootstrap/build.mjs';
import { install } from '../bootstrap/install.mjs';
import { root } from '../bootstrap/paths.mjs';
import { runTool } from '../bootstrap/run.mjs';

const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));

if (process.argv.includes('--runtime-only')) {
  await keepRuntime();
} else {
  await install(packageManager, 'install-kubernetes');
  await build();
}

async function keepRuntime() {
  for (const folder of [root, ...packages]) remove(join(folder, 'node_modules'));
  for (const folder of packages) remove(join(folder, 'src'));
  // The page, the agent runner and the client of Kubernetes are built files by now. The database runs in another container, so the embedded
  // one, an optional dependency, is left out.
  const built = ['web', 'agent-runner', 'kubernetes-client'];
  const filters = ['--include-workspace-root', ...built.map((name) => `--filter=!@aizuchi/${name}`)];
  const options = ['--offline', '--prod', '--no-optional', '--frozen-lockfile', '--ignore-scripts'];
  const lockfile = '--config.trust-lockfile=true';
  const pnpm = packageManager.split('+')[0];
  await runTool('npx', ['-y', pnpm, ...filters, 'install', ...options, lockfile, '--reporter=append-only']);
}

function remove(path) {
  if (existsSync(path)) rmSync(path, { recursive: true });
}
