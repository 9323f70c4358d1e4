import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Git and the agent programs run what these folders and files say without asking anybody: a hook, a setting that permits
 * commands, a server that is started.
 */
const OBEYED: ReadonlySet<string> = new Set([
  '.git',
  '.claude',
  '.codex',
  '.gemini',
  '.cursor',
  '.vscode',
  '.idea',
  '.mcp.json',
  '.envrc',
]);

/**
 * Whether a change of these files is no more than that: all of them are in the working directory, also behind links, and
 * none is obeyed by a program. The policy of a project may allow such changes without a person.
 */
export async function isPlainEdit(files: readonly string[], cwd: string): Promise<boolean> {
  const root = await realpath(cwd);
  const plain = await Promise.all(files.map((file) => isPlain(resolve(cwd, file), root)));
  return plain.length > 0 && plain.every(Boolean);
}

async function isPlain(file: string, root: string): Promise<boolean> {
  const way = relative(root, await realPathOf(file));
  if (way === '' || isAbsolute(way)) return false;
  const names = way.split(sep);
  // Some file systems do not tell capitals apart.
  return names[0] !== '..' && !names.some((name) => OBEYED.has(name.toLowerCase()));
}

/** Of a file that does not exist yet: below the real path of the folder that does. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await realPathOf(above), basename(path));
  }
}
