import { delimiter, isAbsolute } from 'node:path';
import { execa } from 'execa';
import { type RawName, rawNames } from './on-disk.ts';

/** The account that git runs as when we are root: that of the agents, never ours. */
export interface GitAccount {
  readonly uid: number;
  readonly gid: number;
}

/** Where a git command works; each path is absolute. */
export interface GitPlace {
  readonly gitDir: string;
  readonly index?: string;
  readonly workTree?: string;
  /** Where new objects are stored, when not in `gitDir`. */
  readonly objects?: string;
  /** The file that says where the history of a shallow clone ends. */
  readonly shallowFile?: string;
}

export interface GitOptions {
  readonly place?: GitPlace;
  readonly cwd?: string;
  readonly input?: Uint8Array | string;
  /** Exit codes that are results. */
  readonly expected?: readonly number[];
  /** What exceeds this is cut, and the command ended. */
  readonly maxBytes?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly isCut: boolean;
}

/** A git command ended with an exit code that is no result, or not in time. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
  readonly stderr: string;

  constructor(command: string, stderr: string, options?: ErrorOptions) {
    super(`git ${command}: ${reasonIn(stderr)}`, options);
    this.stderr = stderr;
  }
}

/** git also says what it does. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n');
  return lines.find((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? '';
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Nothing that a repository contains starts a program: no hooks, no monitor of the file system, no fetching of missing
 * objects, no replaced objects, nothing of the configuration of the host. Filters, merge drivers, external diffs and
 * textconv are named by attributes, but defined only in a configuration: commands that read files of the agent run with
 * our own git directory (private-git.ts), which defines none.
 */
const ENVIRONMENT = {
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_EDITOR: ':',
  GIT_AUTHOR_NAME: 'Aizuchi',
  GIT_AUTHOR_EMAIL: 'aizuchi@aizuchi.invalid',
  GIT_COMMITTER_NAME: 'Aizuchi',
  GIT_COMMITTER_EMAIL: 'aizuchi@aizuchi.invalid',
};
const CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.bare=false',
  'core.pager=cat',
  'submodule.recurse=false',
  'diff.ignoreSubmodules=all',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
].flatMap((setting) => ['-c', setting]);

/** The git program of the host, with everything switched off by which a repository could start programs. */
export class Git {
  readonly #file: string;
  readonly #path: string;
  readonly #account: GitAccount | undefined;

  /** @param file the absolute path of the program */
  constructor(file: string, path: string, account: GitAccount | undefined) {
    this.#file = file;
    // A relative folder would be searched below the folder of an agent.
    this.#path = path.split(delimiter).filter(isAbsolute).join(delimiter);
    this.#account = account;
  }

  /** Throws GitFailed. */
  async run(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    const { expected = [0], maxBytes = MAX_BYTES } = options;
    const result = await execa(this.#file, [...CONFIG, ...args], {
      ...this.#processOptions(options),
      maxBuffer: maxBytes,
      ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    });
    const isCut = result.isMaxBuffer;
    if (isCut && options.maxBytes !== undefined)
      return { code: 0, stdout: Buffer.from(result.stdout), isCut };
    const code = result.exitCode ?? -1;
    if (!expected.includes(code)) throw failed(args, result);
    return { code, stdout: Buffer.from(result.stdout), isCut: false };
  }

  /** The output without its last line break. */
  async text(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { stdout } = await this.run(args, options);
    return stdout.toString().replace(/\n$/, '');
  }

  /** The output of a command with `-z`. */
  async list(args: readonly string[], options: GitOptions = {}): Promise<RawName[]> {
    return rawNames((await this.run(args, options)).stdout);
  }

  /** The output of one command becomes the input of another one. Throws GitFailed. */
  async pipe(from: { args: string[]; options: GitOptions }, to: { args: string[]; options: GitOptions }) {
    const { input = '', ...first } = from.options;
    const source = execa(this.#file, [...CONFIG, ...from.args], {
      ...this.#processOptions(first),
      input,
      buffer: { stdout: false },
    });
    const target = execa(this.#file, [...CONFIG, ...to.args], {
      ...this.#processOptions(to.options),
      input: source.stdout,
    });
    const [sent, received] = await Promise.all([source, target]);
    if (sent.exitCode !== 0) throw failed(from.args, sent);
    if (received.exitCode !== 0) throw failed(to.args, received);
  }

  /** Another program of the host, as the same account: for files that belong to it. */
  async program(file: string, args: readonly string[]): Promise<void> {
    await execa(file, args, {
      cwd: '/',
      env: { PATH: this.#path, LC_ALL: 'C' },
      extendEnv: false,
      stdin: 'ignore',
      timeout: TIMEOUT_MS,
      ...this.#account,
    });
  }

  #processOptions({ place, cwd = '/', env }: GitOptions) {
    return {
      cwd,
      extendEnv: false,
      env: { ...ENVIRONMENT, PATH: this.#path, ...(place && environmentOf(place)), ...env },
      encoding: 'buffer' as const,
      stripFinalNewline: false,
      reject: false as const,
      timeout: TIMEOUT_MS,
      ...this.#account,
    };
  }
}

function environmentOf(place: GitPlace): Record<string, string> {
  return {
    GIT_DIR: place.gitDir,
    ...(place.index !== undefined && { GIT_INDEX_FILE: place.index }),
    ...(place.workTree !== undefined && { GIT_WORK_TREE: place.workTree }),
    ...(place.objects !== undefined && { GIT_OBJECT_DIRECTORY: place.objects }),
    ...(place.shallowFile !== undefined && { GIT_SHALLOW_FILE: place.shallowFile }),
  };
}

function failed(
  args: readonly string[],
  result: { readonly stderr?: unknown; readonly cause?: unknown; readonly timedOut: boolean },
): GitFailed {
  const stderr = result.stderr instanceof Uint8Array ? Buffer.from(result.stderr).toString().trim() : '';
  const sentence = result.timedOut
    ? `not within ${TIMEOUT_MS / 1_000} s`
    : stderr || 'ended without a reason';
  return new GitFailed(args[0] ?? '', sentence, { cause: result.cause });
}

/** The output of a command with `-z`, for people: names that are no UTF-8 keep no more than their look. */
export function splitNul(output: Buffer): string[] {
  const parts = output.toString().split('\0');
  parts.pop();
  return parts;
}
