import { constants, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { FileSystem } from '../files/file-system.ts';
import type { PinnedFolder } from '../files/pinned-folder.ts';
import { openFolder } from '../files/walk.ts';
import { entered, isOpenToOthers, isOurs, openOwnFolder, within } from './own-folder.ts';
import { ChatLogFault } from './transcript-fault.ts';

/** Where the transcript of one agent in one project stands. */
export interface TranscriptPlace {
  readonly projectId: string;
  readonly agentId: string;
  readonly workingDirectory: string;
}

/** The folder of ours in a working directory. */
export const HOME_NAME = '.ai-pm';
export const FILE_NAME = 'chat.jsonl';

/** Below the working directory; what a fault names instead of a path of the server. */
export function transcriptName(agentId: string): string {
  return `${HOME_NAME}/agents/${agentId}/${FILE_NAME}`;
}

export interface OpenTranscript {
  readonly fd: number;
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  /**
   * Others may read or write it: a process that has opened it meanwhile keeps it open, whatever its mode
   * becomes.
   */
  readonly isExposed: boolean;
}

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

/**
 * Opens the transcript and makes the missing parts of `.ai-pm/agents/<id>/chat.jsonl`. An account that can
 * write in the working directory (an agent can) must neither lead us out of the project nor put a folder of
 * its own in the place of ours: every folder on the path is opened without following a link, and must be
 * ours. Throws ChatLogFault or the error of the file system.
 */
export function openTranscript(
  fs: FileSystem,
  place: TranscriptPlace,
  roots: readonly string[],
): Promise<OpenTranscript> {
  return inTranscriptFolder(fs, place, roots, async (folder) => {
    // Before opening: an open alone may already wake a device or a FIFO's reader.
    const standing = await fs.lstat(folder.at(FILE_NAME));
    if (standing) assertOwnFile(standing);
    const fd = await fs.open(folder.at(FILE_NAME), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      const opened = await fs.fstat(fd);
      assertOwnFile(opened);
      if (!(await folder.isInPlace())) throw new ChatLogFault('symlink');
      const { dev, ino, size } = opened;
      const path = join(place.workingDirectory, transcriptName(place.agentId));
      return { fd, path, dev, ino, size, isExposed: isExposed(opened) };
    } catch (error) {
      await fs.close(fd);
      throw error;
    }
  });
}

/** Does the work in the folder of the transcript, which is made when it is missing, and closes what that opened. */
export function inTranscriptFolder<T>(
  fs: FileSystem,
  place: TranscriptPlace,
  roots: readonly string[],
  work: (folder: PinnedFolder) => Promise<T>,
): Promise<T> {
  return inWorkingDirectory(fs, place, roots, async (directory) =>
    // People and git may read `.ai-pm` (the .gitignore must be readable); transcripts are private.
    within(await openOwnFolder(fs, directory, HOME_NAME, 0o755), async (home) => {
      await ensureGitignore(fs, home);
      return within(await openOwnFolder(fs, home, 'agents', 0o700), async (agents) =>
        within(await openOwnFolder(fs, agents, place.agentId, 0o700), work),
      );
    }),
  );
}

export async function inWorkingDirectory<T>(
  fs: FileSystem,
  place: TranscriptPlace,
  roots: readonly string[],
  work: (directory: PinnedFolder) => Promise<T>,
): Promise<T> {
  return within(await entered(() => openFolder(place.workingDirectory, roots, { fileSystem: fs })), work);
}

/**
 * A file of ours with one name only: a link leads elsewhere, and through a second name another account's file
 * would be written.
 */
export function assertOwnFile(stats: Stats): void {
  if (stats.isSymbolicLink()) throw new ChatLogFault('symlink');
  if (!stats.isFile()) throw new ChatLogFault('not_a_file');
  if (stats.nlink > 1) throw new ChatLogFault('hard_link');
  if (!isOurs(stats)) throw new ChatLogFault('not_ours');
}

export function isExposed(stats: Stats): boolean {
  return isOpenToOthers(stats, 0o077);
}

/** An empty one is ours from a crash between making and filling; any other is left as it is. */
async function ensureGitignore(fs: FileSystem, home: PinnedFolder): Promise<void> {
  const path = home.at('.gitignore');
  const stats = await fs.lstat(path);
  if (stats && !(stats.isFile() && stats.size === 0 && stats.nlink === 1)) return;
  const fd = await fs.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    await fs.write(fd, Buffer.from('*\n'), 0);
  } finally {
    await fs.close(fd);
  }
}
