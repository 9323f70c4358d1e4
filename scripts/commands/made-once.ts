import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** What nobody has used for so long is removed. */
const KEPT_MS = 24 * 3_600_000;

/**
 * The folder `<prefix><key>` in `cache`, made by `make` when it does not exist. Several processes may call it at once, also
 * with different keys: each folder appears complete, and one that is in use is never removed. What a killed process has
 * left, and what was not used for a day, is removed.
 */
export async function madeOnce(
  cache: string,
  { prefix, key }: { readonly prefix: string; readonly key: string },
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cache, `${prefix}${key}`);
  await mkdir(cache, { recursive: true });
  if (!(await markUsed(folder))) {
    const partial = await mkdtemp(join(cache, `${prefix}partial-`));
    try {
      await make(partial);
      await rename(partial, folder);
    } catch (error) {
      // Another process was faster.
      if (!existsSync(folder)) throw error;
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    await markUsed(folder);
  }
  await removeUnused(cache, prefix);
  return folder;
}

/** False: it does not exist. */
async function markUsed(folder: string): Promise<boolean> {
  const now = new Date();
  return utimes(folder, now, now).then(
    () => true,
    () => false,
  );
}

async function removeUnused(cache: string, prefix: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(cache, name);
    const usedAt = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - usedAt > KEPT_MS) await rm(folder, { recursive: true, force: true });
  }
}
