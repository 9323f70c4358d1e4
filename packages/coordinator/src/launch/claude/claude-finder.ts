import { execFile } from 'node:child_process';
import { constants, type Stats } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentAccount } from '../agent-account.ts';
import { findExecutable } from '../executables.ts';
import { addedClaude, isOlder, OLDEST_CLAUDE, TESTED_CLAUDE } from './claude-release.ts';

export interface FoundClaude {
  readonly file: string;
  readonly version: string;
}

/** What was found on PATH and cannot be used; absent when nothing was found. */
interface UnusableClaude {
  readonly file: string;
  /** Undefined: it could not be run. */
  readonly version?: string;
}

export type ClaudeSearch =
  | { readonly found: FoundClaude; readonly passedOver?: UnusableClaude }
  | { readonly found?: undefined; readonly passedOver?: UnusableClaude };

export interface ClaudeFinderOptions {
  readonly home: string;
  /** The account of agents, when it is not our own. */
  readonly account: AgentAccount | undefined;
  /** False: only looks; a program that is not copied yet is found where it is. */
  readonly mayCopy?: boolean;
  /** How long the program may take to say its version. */
  readonly versionLimitMs?: number;
}

const VERSION_LIMIT_MS = 20_000;
/** Copies for the accounts of agents, of a program that they cannot reach. */
const COPY = 'claude-of-host-';
const SCRIPT = Buffer.from('#!');

/**
 * The Claude Code that runs here are executed with: the one on PATH when it is new enough, else the one that was added.
 * What was found is looked up again when its file has changed: Claude Code updates itself.
 */
export class ClaudeFinder {
  readonly #options: ClaudeFinderOptions;
  readonly #known = new Map<string, Promise<FoundClaude | undefined>>();

  constructor(options: ClaudeFinderOptions) {
    this.#options = options;
  }

  async find(path: string): Promise<ClaudeSearch> {
    const onPath = await findExecutable('claude', '/', path);
    const usable = onPath === undefined ? undefined : await this.#usable(onPath, path);
    if (usable && !isOlder(usable.version, OLDEST_CLAUDE)) return { found: usable };
    const passedOver = onPath === undefined ? {} : { passedOver: { file: onPath, ...versionOf(usable) } };
    const added = addedClaude(this.#options.home);
    if (!(await stat(added).catch(() => undefined))) return passedOver;
    return { ...passedOver, found: { file: added, version: TESTED_CLAUDE.version } };
  }

  async #usable(file: string, path: string): Promise<FoundClaude | undefined> {
    const real = await realpath(file);
    const stats = await stat(real);
    const key = [real, stats.ino, stats.mtimeMs, stats.size].join(' ');
    const known = this.#known.get(key) ?? this.#examine(real, stats, path);
    this.#known.set(key, known);
    const usable = await known;
    // A busy machine may have been too slow: it is tried again.
    if (!usable) this.#known.delete(key);
    return usable;
  }

  /** Undefined when the account of agents cannot run it. */
  async #examine(file: string, stats: Stats, path: string): Promise<FoundClaude | undefined> {
    const { account, mayCopy = true, versionLimitMs: limitMs = VERSION_LIMIT_MS } = this.#options;
    const usable = await examined(file, { path, account, limitMs });
    if (usable || !account || (await isScript(file))) return usable;
    const copy = await this.#copyOf(file, stats, mayCopy);
    return copy === undefined
      ? examined(file, { path, account: undefined, limitMs })
      : examined(copy, { path, account, limitMs });
  }

  /**
   * The home of root is closed to the accounts of agents. A program of one file is linked, or copied, to where they can
   * execute it. A script needs more than its file.
   */
  async #copyOf(file: string, stats: Stats, mayCopy: boolean): Promise<string | undefined> {
    const folder = dirname(addedClaude(this.#options.home));
    const copy = join(folder, `${COPY}${stats.ino}-${Math.round(stats.mtimeMs)}`);
    if (await stat(copy).catch(() => undefined)) return copy;
    if (!mayCopy) return undefined;
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const old = (await readdir(folder)).filter((name) => name.startsWith(COPY));
    // A process that runs it keeps its file.
    for (const name of old) await rm(join(folder, name), { force: true });
    const partial = `${copy}.${process.pid}`;
    await link(file, partial).catch(() => copyFile(file, partial, constants.COPYFILE_FICLONE));
    await rename(partial, copy);
    return copy;
  }
}

/** Undefined when the account cannot execute it, or it is broken. */
async function examined(
  file: string,
  {
    path,
    account,
    limitMs,
  }: { readonly path: string; readonly account: AgentAccount | undefined; readonly limitMs: number },
): Promise<FoundClaude | undefined> {
  try {
    const { stdout } = await promisify(execFile)(file, ['--version'], {
      cwd: '/',
      env: { PATH: path, ...(account && { HOME: account.home }) },
      timeout: limitMs,
      // One that ignores SIGTERM would be waited for without an end, and every run with it.
      killSignal: 'SIGKILL',
      ...(account && { uid: account.uid, gid: account.gid }),
    });
    const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
    return version === undefined ? undefined : { file, version };
  } catch {
    // The next one is tried.
    return undefined;
  }
}

function versionOf(claude: FoundClaude | undefined): { version?: string } {
  return claude ? { version: claude.version } : {};
}

async function isScript(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(SCRIPT.length), 0, SCRIPT.length, 0);
    return buffer.equals(SCRIPT);
  } finally {
    await handle.close();
  }
}
