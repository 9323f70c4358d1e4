import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const modules = join(root, 'node_modules');

const neededMajor = 24;

/** The host's Node if it is new enough, otherwise the installed one. */
export function nodePath() {
  if (Number(process.versions.node.split('.')[0]) >= neededMajor) return process.execPath;
  return join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

export function hasNode() {
  return existsSync(nodePath());
}
