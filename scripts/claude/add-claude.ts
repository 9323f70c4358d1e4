import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { addedClaude } from '../../packages/coordinator/src/launch/claude/claude-release.ts';
import { cachedClaude } from './claude-binary.ts';
import { claudePackage } from './claude-package.ts';
import { fetchClaude, verify } from './fetch-claude.ts';

/**
 * Puts the tested Claude Code into the home, where the Coordinator looks for it: from the cache of the tests when it is
 * there, else from the npm registry. Idempotent; returns false when it was there. Removes those of other releases, which
 * running sessions keep until they end.
 */
export async function addClaude(home: string, signal?: AbortSignal): Promise<boolean> {
  const target = addedClaude(home);
  if (existsSync(target)) return false;
  await makeFolders(home, target);
  const cached = cachedClaude();
  if (existsSync(cached)) await take(cached, target);
  else await fetchClaude(target, signal);
  for (const name of await readdir(dirname(target)))
    if (/^claude-\d/.test(name) && name !== basename(target))
      await rm(join(dirname(target), name), { force: true });
  return true;
}

/** As the supervisor makes them: accounts of agents pass through to what they may execute. */
async function makeFolders(home: string, target: string): Promise<void> {
  const passage = process.getuid?.() === 0 ? 0o711 : 0o700;
  for (const [folder, mode] of [
    [home, passage],
    [join(home, 'run'), passage],
    [dirname(target), 0o755],
  ] as const) {
    if (existsSync(folder)) continue;
    await mkdir(folder, { recursive: true, mode });
    await chmod(folder, mode);
  }
}

async function take(cached: string, target: string): Promise<void> {
  await verify(cached, claudePackage());
  const partial = `${target}.${process.pid}`;
  await link(cached, partial).catch(() => copyFile(cached, partial, constants.COPYFILE_FICLONE));
  await rename(partial, target);
}
