import { constants } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { AppError } from '../../../platform/errors.ts';
import { type FileSystem, nodeFileSystem } from '../../../platform/files/file-system.ts';
import { FolderFault, type PinnedFolder } from '../../../platform/files/pinned-folder.ts';
import { openFolder } from '../../../platform/files/walk.ts';
import { FILE_NAME, HOME_NAME, transcriptName } from '../../../platform/transcript/transcript-place.ts';

/** Of one file, and of all that are read: their lines are in memory together. */
const MAX_BYTES = 16 * 1_048_576;
const MAX_ALL_BYTES = 4 * MAX_BYTES;
const MAX_FOLDERS = 1_000;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export interface OldChats {
  /** The files by the folder that they stand in, which is named after the agent. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly unknown: readonly string[];
}

/**
 * The `.ai-pm/agents/<id>/chat.jsonl` of these agents, and the folders of others. Agents can write in the working
 * directory: no link is followed, and only files are read. @throws AppError import_invalid
 */
export async function oldChats(
  workingDirectory: string,
  roots: readonly string[],
  agentIds: ReadonlySet<string>,
): Promise<OldChats> {
  const files = new Map<string, Buffer>();
  const unknown: string[] = [];
  await inFolders(workingDirectory, roots, [HOME_NAME, 'agents'], async (agents) => {
    const names = (await readdir(agents.self)).sort();
    if (names.length > MAX_FOLDERS) throw invalid(`${HOME_NAME}/agents`, `more than ${MAX_FOLDERS} entries`);
    let left = MAX_ALL_BYTES;
    for (const name of names) {
      if (!agentIds.has(name)) {
        if (await isChatIn(agents, name)) unknown.push(name);
        continue;
      }
      const bytes = await inChatFolder(agents, name, (folder) =>
        readChat(nodeFileSystem, folder, { file: transcriptName(name), left }),
      );
      if (bytes === undefined) continue;
      left -= bytes.length;
      files.set(name, bytes);
    }
  });
  return { files, unknown };
}

/** What is wrong in a file; `line` 0: with the file itself. */
export function invalid(file: string, fault: string, line = 0): AppError {
  return new AppError('import_invalid', `${file}, line ${line}: ${fault}.`, {
    details: { file, line, reason: `${file}: ${fault}` },
  });
}

/** Of an agent that is none of the project: nothing of it is read. */
async function isChatIn(agents: PinnedFolder, name: string): Promise<boolean> {
  const standing = await inChatFolder(agents, name, (folder) => nodeFileSystem.lstat(folder.at(FILE_NAME)));
  return standing !== undefined;
}

/** Undefined: there is no such folder. */
async function inChatFolder<T>(
  agents: PinnedFolder,
  name: string,
  look: (folder: PinnedFolder) => Promise<T | undefined>,
): Promise<T | undefined> {
  const folder = await agents.enter(name).catch(unlessNoFolder);
  if (!folder) return undefined;
  try {
    return await look(folder);
  } finally {
    await folder.close();
  }
}

/** `left`: how many bytes may still be read. */
async function readChat(
  fs: FileSystem,
  folder: PinnedFolder,
  { file, left }: { readonly file: string; readonly left: number },
): Promise<Buffer | undefined> {
  const path = folder.at(FILE_NAME);
  const standing = await fs.lstat(path);
  if (!standing) return undefined;
  // Before opening: an open alone may already wake a device or a FIFO's reader.
  if (!standing.isFile()) throw invalid(file, 'it is not a file');
  const fd = await fs.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
  try {
    const { size } = await fs.fstat(fd);
    if (size > MAX_BYTES) throw invalid(file, `longer than ${MAX_BYTES / 1_048_576} MiB`);
    if (size > left)
      throw new AppError(
        'payload_too_large',
        `At most ${MAX_ALL_BYTES / 1_048_576} MiB of chats can be imported at once.`,
      );
    const bytes = Buffer.alloc(size);
    let length = 0;
    while (length < size) {
      const read = await fs.read(fd, bytes.subarray(length), length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    await fs.close(fd);
  }
}

async function inFolders(
  path: string,
  roots: readonly string[],
  names: readonly string[],
  work: (folder: PinnedFolder) => Promise<void>,
): Promise<void> {
  const opened: PinnedFolder[] = [];
  try {
    let folder = await openFolder(path, roots, { fileSystem: nodeFileSystem });
    opened.push(folder);
    for (const name of names) {
      const next = await folder.enter(name);
      if (!next) return;
      folder = next;
      opened.push(folder);
    }
    await work(folder);
  } catch (error) {
    if (error instanceof FolderFault)
      throw invalid(names.join('/'), `a part of its path is ${wordsOf(error)}`);
    throw error;
  } finally {
    for (const folder of opened) await folder.close();
  }
}

function wordsOf({ kind }: FolderFault): string {
  return { missing: 'missing', link: 'a link', not_a_folder: 'not a folder' }[kind];
}

/** Beside the folders of agents there may be files, and links, which are not ours. */
function unlessNoFolder(error: unknown): undefined {
  if (!(error instanceof FolderFault)) throw error;
}
