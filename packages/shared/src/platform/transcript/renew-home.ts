import { randomBytes } from 'node:crypto';
import type { FileSystem } from '../files/file-system.ts';
import type { PinnedFolder } from '../files/pinned-folder.ts';
import { entered, isOurs, within } from './own-folder.ts';
import { ChatLogFault } from './transcript-fault.ts';
import { HOME_NAME, inWorkingDirectory, type TranscriptPlace } from './transcript-place.ts';

/**
 * Each renewal writes whole transcripts anew, and an account that replaces our folder can repeat it without
 * end.
 */
export const RENEWAL_INTERVAL_MS = 60_000;

/** What the transcripts of one process share. */
export interface TranscriptRules {
  /** Below them no link is followed. */
  readonly roots: readonly string[];
  /** When `.ai-pm` was put aside last, in ms, by working directory. */
  readonly renewals: Map<string, number>;
}

/**
 * Puts aside a `.ai-pm` that is another account's, or holds what is, at most once in RENEWAL_INTERVAL_MS; a new one is
 * made with the next line. Returns its name now. Throws `fault` when it is too early, and ChatLogFault `owner_not_kept`
 * where the file system gives to others what we make: there nothing can be told apart, so nothing is moved.
 */
export async function renewHome(
  fs: FileSystem,
  place: TranscriptPlace,
  { roots, renewals }: TranscriptRules,
  fault: ChatLogFault,
): Promise<string> {
  const { workingDirectory } = place;
  const now = Date.now();
  const before = renewals.get(workingDirectory);
  if (before !== undefined && now < before + RENEWAL_INTERVAL_MS) throw fault;
  const name = `${HOME_NAME}.foreign-${timeInName()}`;
  // Before it is done: another agent's transcript must not put aside the new one.
  renewals.set(workingDirectory, now);
  try {
    await inWorkingDirectory(fs, place, roots, async (directory) => {
      await assertKeepsOwner(fs, directory);
      await fs.rename(directory.at(HOME_NAME), directory.at(name));
    });
    return name;
  } catch (error) {
    renewals.delete(workingDirectory);
    throw error;
  }
}

/** As it stands in the name of what was put aside; the page's fault is taken back by it. */
export function timeInName(): string {
  return new Date().toISOString().replaceAll(/[-:.]/g, '');
}

async function assertKeepsOwner(fs: FileSystem, directory: PinnedFolder): Promise<void> {
  const probe = `${HOME_NAME}.probe-${randomBytes(6).toString('hex')}`;
  await fs.mkdir(directory.at(probe), 0o700);
  try {
    await within(await entered(() => directory.enter(probe)), async ({ stats }) => {
      if (!isOurs(stats)) throw new ChatLogFault('owner_not_kept');
    });
  } finally {
    await fs.rmdir(directory.at(probe));
  }
}
