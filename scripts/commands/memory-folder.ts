import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { freemem, platform } from 'node:os';
import { join } from 'node:path';

/** A worker's database, homes and browser profiles have at most 1.2 GiB at a time, measured. */
const BYTES_PER_WORKER = 1.6 * 2 ** 30;
const MEMORY_FILES = '/dev/shm';

/**
 * A new folder in the files that the host keeps in memory, for the temporary files of this many test workers;
 * undefined where there is none, or too little room. The caller removes it.
 */
export async function makeMemoryFolder(workers: number): Promise<string | undefined> {
  if (platform() !== 'linux') return undefined;
  const free = await statfs(MEMORY_FILES).then(
    ({ bavail, bsize }) => Math.min(bavail * bsize, freemem()),
    () => 0,
  );
  if (free < workers * BYTES_PER_WORKER) return undefined;
  const folder = await mkdtemp(join(MEMORY_FILES, 'aizuchi-'));
  // As the temp folder of a host: Postgres and agents have accounts of their own.
  await chmod(folder, 0o1777);
  return folder;
}
