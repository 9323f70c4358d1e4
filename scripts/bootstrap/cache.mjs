import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { modules, nodePath } from './paths.mjs';

/** Where Node keeps compiled code, in a folder for each of its versions: it saves a third of each start. */
export const compileCache = join(modules, '.cache', 'aizuchi', 'node');

/** The services take 4 MB, the tools of developers 10 more; each run of the tests adds what it bundles for itself. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Node removes nothing from it: what another version has left goes, and all of it when there is too much. */
export function pruneCompileCache(folder = compileCache, version = versionOf(nodePath())) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (!name.startsWith(`${version}-`)) remove(join(folder, name));
  if (bytesUnder(folder) > MAX_BYTES) remove(folder);
}

function versionOf(node) {
  if (node === process.execPath) return process.version;
  return `v${JSON.parse(readFileSync(join(modules, 'node', 'package.json'), 'utf8')).version}`;
}

function bytesUnder(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, status) => sum + (status?.isFile() ? status.size : 0), 0);
}

/** It is a cache: who cannot remove it, or meets another start that does the same, goes on. */
function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    console.error(`aizuchi: ${path} could not be removed: ${error.message}`);
  }
}
