import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { droppedNote } from '@aizuchi/shared/contract/run-log';

/** A log never exceeds this size; when it is reached, the newest half is kept. */
const MAX_LOG_BYTES = 2 * 1024 * 1024;

/**
 * The log of one run: 0600, limited in size, always the newest part. Each write waits for the disk, which
 * slows down a process that floods its output instead of filling our memory.
 */
export class RunLog {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: FileHandle;
  #size = 0;
  /** The number of bytes before the content of the file, and the length of the note about them. */
  #dropped = 0;
  #noteBytes = 0;
  #tail: Promise<void> = Promise.resolve();

  private constructor(path: string, file: FileHandle, maxBytes: number) {
    this.#path = path;
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  static async open(path: string, maxBytes = MAX_LOG_BYTES): Promise<RunLog> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new RunLog(path, await open(path, 'w+', 0o600), maxBytes);
  }

  /** In the order of the calls, also with several writers. */
  write(chunk: Buffer): Promise<void> {
    this.#tail = this.#tail.then(() => this.#append(chunk));
    return this.#tail;
  }

  /** Rejects when something could not be written. The file is closed all the same. */
  async close(): Promise<void> {
    try {
      await this.#tail;
    } finally {
      await this.#file.close();
    }
  }

  async #append(chunk: Buffer): Promise<void> {
    await this.#file.writeFile(chunk);
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) await this.#dropOldest();
  }

  /** Writes the newest half to a new file and renames it: a reader sees the old or the new file, whole. */
  async #dropOldest(): Promise<void> {
    const kept = Buffer.alloc(Math.floor(this.#maxBytes / 2));
    await this.#file.read(kept, 0, kept.length, this.#size - kept.length);
    const newest = kept.subarray(kept.indexOf(0x0a) + 1);
    this.#dropped += this.#size - this.#noteBytes - newest.length;
    const note = Buffer.from(droppedNote(this.#dropped));
    this.#noteBytes = note.length;
    const content = Buffer.concat([note, newest]);
    const file = await this.#replacedBy(content);
    await this.#file.close();
    this.#file = file;
    this.#size = content.length;
  }

  async #replacedBy(content: Buffer): Promise<FileHandle> {
    const partial = `${this.#path}.partial`;
    const file = await open(partial, 'w+', 0o600);
    try {
      await file.writeFile(content);
      await rename(partial, this.#path);
      return file;
    } catch (error) {
      // The disk is full.
      await file.close();
      await rm(partial, { force: true });
      throw error;
    }
  }
}

/** Removes the logs of the oldest runs, so that many small logs do not fill the disk either. */
export async function pruneRunLogs(folder: string, keep: number): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = (await readdir(folder)).map(async (name) => {
    const path = join(folder, name);
    // One that is just replaced is not there for a moment.
    const stats = await stat(path).catch(() => undefined);
    return stats ? [{ path, writtenAt: stats.mtimeMs }] : [];
  });
  const logs = (await Promise.all(found)).flat();
  const oldest = logs.sort((a, b) => b.writtenAt - a.writtenAt).slice(keep);
  for (const { path } of oldest) await rm(path, { force: true });
  return oldest.length;
}
