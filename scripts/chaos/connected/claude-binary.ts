import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { execa } from 'execa';

const VERSION = '0.3.330';
/** Size of the download; on disk it takes twice as much. */
const SIZE_MB = 175;
const REPORT_EVERY_MS = 2_000;

/**
 * The pinned Claude Code in the cache of this account. It is fetched from npm if it is missing, with progress,
 * because it is the largest download of this repository. It is only used, never redistributed.
 */
export async function claudeBinary(): Promise<string> {
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(cache, 'aizuchi', `claude-code-${VERSION}`);
  const binary = join(folder, 'node_modules', name, process.platform === 'win32' ? 'claude.exe' : 'claude');
  if (!existsSync(binary)) await fetchInto(folder, `${name}@${VERSION}`);
  return binary;
}

/** Downloads into a folder beside the target first, so that an interrupted download leaves no partial target. */
async function fetchInto(folder: string, spec: string): Promise<void> {
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  const done = new AbortController();
  void report(partial, spec, done.signal);
  try {
    const options = ['--no-audit', '--no-fund', '--no-package-lock', '--cache', join(partial, 'npm-cache')];
    await execa('npm', ['install', '--prefix', partial, ...options, spec]);
    await rm(join(partial, 'npm-cache'), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  } finally {
    done.abort();
    await rm(partial, { recursive: true, force: true });
  }
}

async function report(folder: string, spec: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of setInterval(REPORT_EVERY_MS, undefined, { signal })) {
      const mb = Math.min(SIZE_MB, Math.round((await bytesIn(join(folder, 'npm-cache'))) / 1_000_000));
      console.error(`fetching ${spec}: ${mb} of ${SIZE_MB} MB`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  // npm renames files while their sizes are read.
  const sizes = files.map(({ parentPath, name }) =>
    stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
