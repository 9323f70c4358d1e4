import { constants, existsSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errorCode, type FileSystem } from './file-system.ts';

/** Linux only, and not among Node's constants: holds a folder without the right to read it. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;

/** Where a descriptor can stand in a path: what `openat` is to other languages. */
const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');

type FolderCalls = Pick<FileSystem, 'open' | 'fstat' | 'lstat' | 'realpath' | 'close'>;

export interface PinOptions {
  readonly fileSystem: FolderCalls;
  /** False: as on a system without /proc. For tests. */
  readonly byDescriptor?: boolean;
}

/** A component of a path is not a folder: nothing was followed, nothing was opened. */
export class FolderFault extends Error {
  readonly kind: 'missing' | 'link' | 'not_a_folder';

  constructor(kind: FolderFault['kind']) {
    super(`folder: ${kind}`);
    this.name = 'FolderFault';
    this.kind = kind;
  }
}

/**
 * A folder that is held open. A process that can rename the folders above it, or entries in it, cannot
 * redirect operations that are done through it: on Linux every path begins at the descriptor
 * (`/proc/self/fd/<n>/<name>`), and each step from a folder into the next refuses links.
 *
 * Where there is no /proc (macOS) paths begin at the name of the folder, and each step checks before it
 * enters: an existing link is refused, one that is put there between check and use is found by `isInPlace`
 * afterwards.
 *
 * The caller that opens it must close it.
 */
export class PinnedFolder {
  /** Of the folder itself, when it was opened. */
  readonly stats: Stats;
  /** The folders on the path to this one, the outermost first. */
  readonly above: readonly Stats[];
  readonly #calls: FolderCalls;
  readonly #name: string;
  readonly #fd: number | undefined;

  private constructor(calls: FolderCalls, name: string, opened: Opened, above: readonly Stats[]) {
    this.#calls = calls;
    this.#name = name;
    this.#fd = opened.fd;
    this.stats = opened.stats;
    this.above = above;
  }

  /** The folder that this path leads to now, links included. Throws FolderFault. */
  static async open(path: string, options: PinOptions): Promise<PinnedFolder> {
    const { fileSystem, byDescriptor = HAS_DESCRIPTOR_PATHS } = options;
    const real = await unlessMissing(fileSystem.realpath(path));
    const opened = real === undefined ? undefined : await open(fileSystem, real, real, byDescriptor);
    if (real === undefined || opened === undefined) throw new FolderFault('missing');
    return new PinnedFolder(fileSystem, real, opened, []);
  }

  /** The folder of this name in it; undefined when nothing has the name. Throws FolderFault for a link or a file. */
  async enter(name: string): Promise<PinnedFolder | undefined> {
    const byName = join(this.#name, name);
    const opened = await open(this.#calls, this.at(name), byName, this.#fd !== undefined);
    return opened && new PinnedFolder(this.#calls, byName, opened, [...this.above, this.stats]);
  }

  /** A path of what has this name in it, for calls that do not follow a link in their last component. */
  at(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/'))
      throw new Error('not the name of an entry');
    return join(this.self, name);
  }

  /** A path of the folder itself, as long as it is open. */
  get self(): string {
    return this.#fd === undefined ? this.#name : `/proc/self/fd/${this.#fd}`;
  }

  /**
   * False: the path to it was changed meanwhile, and operations through `at` may have been done elsewhere.
   */
  async isInPlace(): Promise<boolean> {
    if (this.#fd !== undefined) return true;
    return (await unlessMissing(this.#calls.realpath(this.#name))) === this.#name;
  }

  async close(): Promise<void> {
    if (this.#fd !== undefined) await this.#calls.close(this.#fd);
  }
}

interface Opened {
  readonly fd: number | undefined;
  readonly stats: Stats;
}

async function open(
  calls: FolderCalls,
  path: string,
  name: string,
  byDescriptor: boolean,
): Promise<Opened | undefined> {
  if (!byDescriptor) return look(calls, name);
  let fd: number;
  try {
    fd = await calls.open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    // Which of the two it is changes the sentence only.
    if (code === 'ENOTDIR' || code === 'ELOOP') throw faultOf(await calls.lstat(path));
    throw error;
  }
  try {
    return { fd, stats: await calls.fstat(fd) };
  } catch (error) {
    await calls.close(fd);
    throw error;
  }
}

async function look(calls: FolderCalls, name: string): Promise<Opened | undefined> {
  const stats = await calls.lstat(name);
  if (stats && !stats.isDirectory()) throw faultOf(stats);
  return stats && { fd: undefined, stats };
}

function faultOf(stats: Stats | undefined): FolderFault {
  return new FolderFault(stats?.isSymbolicLink() ? 'link' : 'not_a_folder');
}

async function unlessMissing(path: Promise<string>): Promise<string | undefined> {
  try {
    return await path;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ENOTDIR') throw new FolderFault('not_a_folder');
    throw error;
  }
}
