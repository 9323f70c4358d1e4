import { randomBytes } from 'node:crypto';
import type { FileSystem } from '../files/file-system.ts';
import type { PinnedFolder } from '../files/pinned-folder.ts';
import { ChatLogFault } from './chat-log-fault.ts';
import { entered, isOurs, within } from './own-folder.ts';
import { HOME_NAME, inWorkingDirectory, type TranscriptPlace } from './transcript-place.ts';

/**
 * Puts aside a `.ai-pm` that is another account's, or holds what is; a new one is made with the next line. Throws ChatLogFault `owner_not_kept` where the file system gives to others what we make: there
 * nothing can be told apart, so nothing is written and nothing is moved.
 */
export function putHomeAside(
  fs: FileSystem,
  place: TranscriptPlace,
  roots: readonly string[],
  name: string,
): Promise<void> {
  return inWorkingDirectory(fs, place, roots, async (directory) => {
    await assertKeepsOwner(fs, directory);
    await fs.rename(directory.at(HOME_NAME), directory.at(name));
  });
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
