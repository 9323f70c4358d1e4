import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Options } from '@anthropic-ai/claude-agent-sdk/core';
import type { SessionOptions } from '../../driver.ts';
import { within } from '../../within.ts';
import { linesOf } from '../process/lines.ts';
import { missingFolder } from '../process/missing-folder.ts';
import { killTree } from '../process/process-tree.ts';

export type SpawnOrder = Parameters<NonNullable<Options['spawnClaudeCodeProcess']>>[0];

/** Between SIGTERM and SIGKILL. The runner waits three seconds for a session to close. */
const GRACE_MS = 2_000;
/** A program that never ends its line does not fill the memory. */
const MAX_LINE_BYTES = 8_192;

type Voice = Pick<SessionOptions, 'log' | 'hide'>;

/** The process of Claude Code, in the process group of the runner, which the Coordinator ends as a whole. */
export class ClaudeChild {
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<void>;
  readonly #cwd: string;
  #fault: NodeJS.ErrnoException | undefined;
  #lastWords = '';

  constructor({ command, args, cwd, env, signal }: SpawnOrder, { log, hide }: Voice) {
    this.process = spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#cwd = cwd ?? '/';
    this.process.on('error', (error) => {
      this.#fault = error;
    });
    // Not `once` of node:events: that rejects with an error of the process, which may be nobody's.
    this.#exited = new Promise((resolve) => {
      if (this.process.pid === undefined) resolve();
      else this.process.once('exit', () => resolve());
    });
    void this.#hear({ log, hide });
  }

  async #hear({ log, hide }: Voice): Promise<void> {
    try {
      for await (const line of linesOf(this.process.stderr, MAX_LINE_BYTES)) {
        this.#lastWords = hide(line.toString());
        log(`claude: ${this.#lastWords}`);
      }
    } catch {
      // The pipe broke with the process.
    }
  }

  /** Why it could not be used: what the system or the program itself says is more exact than the library. */
  explain(error: unknown): unknown {
    const missing = this.#fault?.code === 'ENOENT' ? missingFolder(this.#cwd) : undefined;
    if (this.#fault) return missing ?? this.#fault;
    if (!(error instanceof Error) || this.#lastWords === '') return error;
    return new Error(`${error.message}: ${this.#lastWords}`, { cause: error });
  }

  /** How it ended, for a person. */
  get end(): string {
    return this.process.signalCode ?? `exit code ${this.process.exitCode}`;
  }

  /** SIGTERM first: then Claude Code ends the commands that it has started. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.process.kill('SIGTERM');
    await this.awaitEnd();
  }

  /** It is about to end by itself, and gets as much time as after a SIGTERM. */
  async awaitEnd(): Promise<void> {
    if (await within(GRACE_MS, this.#exited)) return;
    // Its commands run in sessions of their own.
    if (this.process.pid !== undefined) await killTree(this.process.pid);
    await this.#exited;
  }
}
