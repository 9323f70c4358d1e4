import type { SessionOptions } from '../../driver.ts';
import type { ClaudeMessage, ClaudeResult } from './claude-message.ts';
import { ClaudeProcess } from './claude-process.ts';
import type { Permissions } from './permissions.ts';
import type { ClaudeHost } from './query-options.ts';

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The process of Claude Code, started again when it has ended, and what is known of its session. */
export class ClaudeConnection {
  readonly #host: ClaudeHost;
  readonly #options: SessionOptions;
  readonly #permissions: Permissions;
  #process: ClaudeProcess | undefined;
  #opening: Promise<ClaudeProcess> | undefined;
  #isClosed = false;
  #sessionId: string | undefined;
  #skills: readonly string[] = [];
  #costUsd = 0;
  #isResumed = false;
  #lacksHistory = false;

  constructor(host: ClaudeHost, options: SessionOptions, permissions: Permissions) {
    this.#host = host;
    this.#options = options;
    this.#permissions = permissions;
    // It comes from a file that the agent can write, and becomes an argument of the program.
    if (options.resume !== undefined && SESSION_ID.test(options.resume)) this.#sessionId = options.resume;
  }

  /** The skills and custom commands of the installation. */
  get skills(): readonly string[] {
    return this.#skills;
  }

  /** Whether the process goes on with an earlier session, which may know messages that are given again. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  /** The session that was to be continued is gone: the model knows nothing of what was said before. */
  get lacksHistory(): boolean {
    return this.#lacksHistory;
  }

  /** The running process. Rejects when it cannot be started; the next call tries again. */
  open(): Promise<ClaudeProcess> {
    if (this.#isClosed) return Promise.reject(new Error('the session is closed'));
    if (this.#process && this.#process.end === undefined) return Promise.resolve(this.#process);
    this.#opening ??= this.#start().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Learns from what the process reports. */
  learn(message: ClaudeMessage): void {
    if (message.type !== 'system' || message.subtype !== 'init') return;
    this.#skills = message.skills;
    this.#lacksHistory = false;
    if (message.session_id === this.#sessionId) return;
    this.#sessionId = message.session_id;
    void this.#options.remember(message.session_id);
  }

  /** Of this turn alone: the program counts the cost of the whole session, from 0 again after a new beginning. */
  costOf({ total_cost_usd: total }: ClaudeResult): number {
    const cost = total >= this.#costUsd ? total - this.#costUsd : total;
    this.#costUsd = total;
    return cost;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const process = this.#process ?? (await this.#opening?.catch(() => undefined));
    await process?.close();
  }

  async #start(): Promise<ClaudeProcess> {
    const process = await this.#startWith(this.#sessionId);
    if (this.#isClosed) {
      await process.close();
      throw new Error('the session is closed');
    }
    this.#process = process;
    this.#costUsd = 0;
    this.#reportModels(process);
    return process;
  }

  #reportModels(process: ClaudeProcess): void {
    const { reportModels, log } = this.#options;
    process.models().then(reportModels, (error: unknown) => log(`its models are not known: ${error}`));
  }

  async #startWith(resume: string | undefined): Promise<ClaudeProcess> {
    const { log } = this.#options;
    const common = { host: this.#host, session: this.#options, permissions: this.#permissions };
    try {
      const process = await ClaudeProcess.start({ ...common, resume });
      this.#isResumed = resume !== undefined;
      return process;
    } catch (error) {
      if (resume === undefined || !isUnknownSession(error)) throw error;
      log(`the session ${resume} is gone, a new one begins: ${error}`);
      this.#sessionId = undefined;
      this.#lacksHistory = true;
      return this.#startWith(undefined);
    }
  }
}

/** Its transcript was removed, or the working directory is another one. */
function isUnknownSession(error: unknown): boolean {
  return error instanceof Error && /No conversation found/.test(error.message);
}
