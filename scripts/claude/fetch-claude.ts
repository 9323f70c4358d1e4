import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setInterval } from 'node:timers/promises';
import { execa } from 'execa';
import { type ClaudePackage, claudePackage } from './claude-package.ts';

/** Size of the download; on disk it takes twice as much. */
const SIZE_MB = 175;
const REPORT_EVERY_MS = 2_000;

/**
 * Fetches the executable of Claude Code from the npm registry to this file, with progress on stderr: it is larger than
 * everything else together. It is used, never redistributed. An abort, or a kill, leaves no partial file in its place.
 */
export async function fetchClaude(target: string, signal?: AbortSignal): Promise<void> {
  const claude = claudePackage();
  await removeLeftovers(target);
  const partial = `${target}${PARTIAL}${process.pid}`;
  const cache = join(partial, 'npm-cache');
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const done = new AbortController();
  void report(cache, claude.spec, done.signal);
  try {
    const options = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--cache', cache];
    await execa('npm', ['install', '--prefix', partial, ...options, claude.spec], {
      stdio: ['ignore', 'ignore', 'inherit'],
      ...(signal && { cancelSignal: signal }),
    });
    const executable = join(partial, 'node_modules', claude.name, claude.file);
    await verify(executable, claude);
    await chmod(executable, 0o755);
    await rename(executable, target);
  } finally {
    done.abort();
    await rm(partial, { recursive: true, force: true });
  }
}

/** Throws when the file is not the one that is expected. */
export async function verify(file: string, { spec, sha256 }: ClaudePackage): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') === sha256) return;
  throw new Error(`The Claude Code of ${spec} is not the expected file: its hash differs.`);
}

const PARTIAL = '.partial-';

/** What a killed process has left beside the target. */
async function removeLeftovers(target: string): Promise<void> {
  const begin = `${basename(target)}${PARTIAL}`;
  await mkdir(dirname(target), { recursive: true });
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(begin) || isAlive(Number(name.slice(begin.length)))) continue;
    await rm(join(dirname(target), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function report(folder: string, spec: string, signal: AbortSignal): Promise<void> {
  const say = (bytes: number) => {
    const mb = Math.min(SIZE_MB, Math.round(bytes / 1_000_000));
    console.error(`fetching ${spec}: ${mb} of ${SIZE_MB} MB`);
  };
  say(0);
  try {
    for await (const _ of setInterval(REPORT_EVERY_MS, undefined, { signal })) say(await bytesIn(folder));
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
