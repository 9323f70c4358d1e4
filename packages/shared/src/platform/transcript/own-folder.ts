import type { Stats } from 'node:fs';
import type { FileSystem } from '../files/file-system.ts';
import { FolderFault, type PinnedFolder } from '../files/pinned-folder.ts';
import { ChatLogFault } from './transcript-fault.ts';

/**
 * Undefined where the system has no accounts. When we are an ordinary user, agents have the same account:
 * then it proves nothing.
 */
const OUR_ACCOUNT = process.geteuid?.();

export function isOurs(stats: Stats): boolean {
  return OUR_ACCOUNT === undefined || stats.uid === OUR_ACCOUNT;
}

/** Whether another account has the rights in `bits`. */
export function isOpenToOthers(stats: Stats, bits: number): boolean {
  return OUR_ACCOUNT !== undefined && (stats.mode & bits) !== 0;
}

/** Does the work in a folder, and closes the folder. */
export async function within<T>(
  folder: PinnedFolder,
  work: (folder: PinnedFolder) => Promise<T>,
): Promise<T> {
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/**
 * Opens a folder of ours below the working directory, made when it is missing. It must be ours; rights that somebody
 * gave to others (`chmod -R`) are taken back: what lies in it is looked at as well. Throws ChatLogFault.
 */
export async function openOwnFolder(
  fs: FileSystem,
  parent: PinnedFolder,
  name: string,
  mode: 0o755 | 0o700,
): Promise<PinnedFolder> {
  const folder = await entered(async () => {
    const standing = await parent.enter(name);
    if (standing) return standing;
    await fs.mkdir(parent.at(name), mode);
    return parent.enter(name);
  });
  try {
    if (!isOurs(folder.stats)) throw new ChatLogFault('not_ours');
    if (isOpenToOthers(folder.stats, mode === 0o700 ? 0o077 : 0o022)) await fs.chmod(folder.self, mode);
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** The fault of a transcript that a fault of a folder is. */
export async function entered(enter: () => Promise<PinnedFolder | undefined>): Promise<PinnedFolder> {
  try {
    const folder = await enter();
    if (folder) return folder;
  } catch (error) {
    if (!(error instanceof FolderFault)) throw error;
    if (error.kind === 'link') throw new ChatLogFault('symlink');
    if (error.kind === 'not_a_folder') throw new ChatLogFault('not_a_folder');
  }
  throw new ChatLogFault('folder_missing');
}
