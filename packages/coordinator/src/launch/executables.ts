import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** A name allows only the name, a path only the path: `/tmp/claude` is not allowed by `claude`. */
export function isAllowed(file: string, allowed: readonly string[]): boolean {
  return allowed.includes('*') || allowed.includes(file);
}

/**
 * The absolute path of the command; a path with a slash is resolved from the working directory. Own code: the
 * package which checks only the mode bits and returns files that the kernel does not run (mounted noexec),
 * and it begins in our folder.
 */
export async function findExecutable(file: string, cwd: string, path: string): Promise<string | undefined> {
  if (file === '') return undefined;
  const places = file.includes('/')
    ? [isAbsolute(file) ? file : resolve(cwd, file)]
    : path.split(delimiter).map((folder) => join(folder || cwd, file));
  for (const place of places) if (await isExecutable(place)) return place;
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // The file does not exist or we may not run it: the next folder of PATH may have it.
    return false;
  }
}
