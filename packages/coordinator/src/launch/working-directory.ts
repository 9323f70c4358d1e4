import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { CoordinatorConfig } from '@aizuchi/shared/platform/config/config';
import { errorCode, nodeFileSystem } from '@aizuchi/shared/platform/files/file-system';
import { FolderFault, type PinnedFolder } from '@aizuchi/shared/platform/files/pinned-folder';
import { openFolder } from '@aizuchi/shared/platform/files/walk';
import type { RunErrorTexts } from '../texts/run-errors.ts';
import type { AgentAccount } from './agent-account.ts';
import { StartError } from './start-error.ts';

export interface WorkingDirectoryOptions {
  readonly config: Pick<CoordinatorConfig, 'workspaceRoots'>;
  readonly account: AgentAccount | undefined;
  readonly texts: RunErrorTexts;
}

type Owned = Pick<Stats, 'uid' | 'mode'>;

const WRITABLE_BY_OTHERS = 0o022;
/** Only the owner of an entry (or of the folder) may rename it. */
const STICKY = 0o1000;
const ROOT_UID = 0;

/**
 * Opens the folder of a run without following a link, and gives it to the account of the agents when that is
 * allowed. All further steps use what was opened, not what has its name then. Throws StartError.
 *
 * @param made our server made the folder: the own folder of a person is never given away
 */
export async function openWorkingDirectory(
  path: string,
  made: boolean,
  { config, account, texts }: WorkingDirectoryOptions,
): Promise<PinnedFolder> {
  const folder = await openFolder(path, config.workspaceRoots, { fileSystem: nodeFileSystem }).catch(
    (error: unknown) => {
      if (error instanceof FolderFault && error.kind === 'link')
        throw new StartError(texts.directoryIsLink(path));
      if (error instanceof FolderFault || errorCode(error) !== undefined)
        throw new StartError(texts.directoryMissing(path));
      throw error;
    },
  );
  try {
    if (account && made && mayBeGiven(folder, account)) await give(folder, account);
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/**
 * The folder still belongs to root, and agents cannot have put another folder of root in its place: only root
 * and the owners may rename the folders above it. Where somebody else may, the folder keeps its owner, and
 * the guard names the command that gives it away.
 */
export function mayBeGiven(
  folder: { readonly stats: Owned; readonly above: readonly Owned[] },
  account: AgentAccount,
): boolean {
  return folder.stats.uid === ROOT_UID && folder.above.every((above) => isOutOfReach(above, account));
}

function isOutOfReach({ uid, mode }: Owned, account: AgentAccount): boolean {
  return uid !== account.uid && ((mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0);
}

async function give(folder: PinnedFolder, { uid, gid }: AgentAccount): Promise<void> {
  const handle = await open(folder.self, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { dev, ino } = await handle.stat();
    // Without /proc the name was opened a second time: it must be the folder that was checked.
    if (dev !== folder.stats.dev || ino !== folder.stats.ino) throw new Error('the folder was exchanged');
    await handle.chown(uid, gid);
  } finally {
    await handle.close();
  }
}
