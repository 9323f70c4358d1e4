import { chown, lstat, mkdir, readdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileSystem, nodeFileSystem } from '../../src/platform/files/file-system.ts';
import { makeFolder, type Room } from './transcript-support.ts';

/** The account `nobody` of most systems: when the tests run as root, whoever owns the folder is really another one. */
const STRANGER = 65_534;
const IS_ROOT = process.geteuid?.() === 0;

/** A file system on which files can belong to another account, also for tests that run as an ordinary user. */
export class StrangersFileSystem {
  readonly #given = new Set<string>();
  /** Whatever is made belongs to somebody else: a network folder that maps all accounts to one. */
  mapsOwners = false;
  readonly port: FileSystem = {
    ...nodeFileSystem,
    lstat: async (path) => this.#shown(await nodeFileSystem.lstat(path)),
    fstat: async (fd) => {
      const stats = await nodeFileSystem.fstat(fd);
      return this.#shown(stats) ?? stats;
    },
  };

  /** Gives what has this path to the other account. */
  async give(path: string): Promise<void> {
    if (IS_ROOT) return chown(path, STRANGER, STRANGER);
    const { dev, ino } = await lstat(path);
    this.#given.add(`${dev}/${ino}`);
  }

  #shown<S extends { dev: number; ino: number; uid: number }>(stats: S | undefined): S | undefined {
    const isTheirs = stats && (this.mapsOwners || this.#given.has(`${stats.dev}/${stats.ino}`));
    return isTheirs ? Object.assign(stats, { uid: STRANGER }) : stats;
  }
}

/** A folder elsewhere that looks like `.ai-pm` from inside, with a file that nobody may touch. */
export async function makeDecoy(room: Room): Promise<string> {
  const decoy = await makeFolder();
  const folder = join(decoy, 'agents', room.agentId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'chat.jsonl'), 'mine', { mode: 0o600 });
  return decoy;
}

/** Every name below a folder with what it holds. */
export async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    found[path] = entry.isFile() ? await readFile(path, 'utf8') : 'folder';
  }
  return found;
}

/**
 * A file system between whose calls an intruder exchanges `.ai-pm` for a link: at the call of that number, counted
 * from 0, and back after the next `stays` calls.
 */
export class ExchangingFileSystem {
  readonly #room: Room;
  readonly #target: string;
  readonly #at: number;
  readonly #stays: number;
  calls = 0;
  /** Descriptors that were opened and not closed. */
  open = 0;

  constructor(options: { room: Room; target: string; at: number; stays: number }) {
    this.#room = options.room;
    this.#target = options.target;
    this.#at = options.at;
    this.#stays = options.stays;
  }

  readonly port: FileSystem = {
    realpath: (path) => this.#exchanging(() => nodeFileSystem.realpath(path)),
    lstat: (path) => this.#exchanging(() => nodeFileSystem.lstat(path)),
    fstat: (fd) => this.#exchanging(() => nodeFileSystem.fstat(fd)),
    mkdir: (path, mode) => this.#exchanging(() => nodeFileSystem.mkdir(path, mode)),
    open: async (path, flags, mode) => {
      const fd = await this.#exchanging(() => nodeFileSystem.open(path, flags, mode));
      this.open += 1;
      return fd;
    },
    read: (fd, buffer, position) => this.#exchanging(() => nodeFileSystem.read(fd, buffer, position)),
    write: (fd, bytes, position) => this.#exchanging(() => nodeFileSystem.write(fd, bytes, position)),
    rename: (from, to) => this.#exchanging(() => nodeFileSystem.rename(from, to)),
    chmod: (path, mode) => this.#exchanging(() => nodeFileSystem.chmod(path, mode)),
    rmdir: (path) => this.#exchanging(() => nodeFileSystem.rmdir(path)),
    close: async (fd) => {
      this.open -= 1;
      await this.#exchanging(() => nodeFileSystem.close(fd));
    },
  };

  async #exchanging<T>(call: () => Promise<T>): Promise<T> {
    const number = this.calls;
    this.calls += 1;
    const home = join(this.#room.workingDirectory, '.ai-pm');
    if (number === this.#at) {
      await rename(home, `${home}-held`).catch(ignoreMissing);
      await symlink(this.#target, home);
    }
    try {
      return await call();
    } finally {
      if (number === this.#at + this.#stays - 1) {
        await unlink(home);
        await rename(`${home}-held`, home).catch(ignoreMissing);
      }
    }
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
