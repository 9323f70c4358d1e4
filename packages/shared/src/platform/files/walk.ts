import { isAbsolute, parse, relative, sep } from 'node:path';
import { FolderFault, PinnedFolder, type PinOptions } from './pinned-folder.ts';

/** Whether `path` is this folder, or below it. Both are full paths. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/**
 * Opens a folder by its real path, as it was when it was stored. A link in it is refused, whoever made it:
 * below a workspace root agents may have made it. Links in the path of the root itself are followed: the
 * person who sets the roots is responsible for the folders above them. Throws FolderFault.
 */
export async function openFolder(
  path: string,
  roots: readonly string[],
  options: PinOptions,
): Promise<PinnedFolder> {
  const base = await baseOf(path, roots, options);
  const names = relative(base, path).split(sep).filter(Boolean);
  let folder = await PinnedFolder.open(base, options);
  for (const name of names) {
    const above = folder;
    try {
      const next = await above.enter(name);
      if (!next) throw new FolderFault('missing');
      folder = next;
    } finally {
      await above.close();
    }
  }
  return folder;
}

/**
 * The outermost root that contains it, by the name of the root as given or else by its real path; a path in
 * no root is walked from `/`. Other roots are not accessed when one matches by name: they may be on a network
 * folder that is away.
 */
async function baseOf(path: string, roots: readonly string[], options: PinOptions): Promise<string> {
  const outermost = (known: readonly string[]) =>
    known.filter((root) => isWithin(path, root)).toSorted((a, b) => a.length - b.length)[0];
  // A root that does not exist here contains nothing.
  const real = () => Promise.all(roots.map((root) => options.fileSystem.realpath(root).catch(() => root)));
  return outermost(roots) ?? outermost(await real()) ?? parse(path).root;
}
