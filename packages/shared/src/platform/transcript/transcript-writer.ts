import type { ChatLogFaultCode } from '../../contract/chat-log-fault-codes.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { Logger } from '../logger.ts';
import type { FaultBoard } from './fault-board.ts';
import type { TranscriptRules } from './renew-home.ts';
import { faultCodeOf } from './transcript-fault.ts';
import { type PlacedLine, type PutAside, TranscriptFile } from './transcript-file.ts';
import type { TranscriptPlace } from './transcript-place.ts';
import type { TranscriptQueries } from './transcript-queries.ts';

/** Lines kept in memory for one file; beyond it they are read from the database again. */
const MAX_QUEUED_BYTES = 262_144;
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/** How often a fault that stays shown for a while (an altered file) is looked at. */
const FAULT_LOOK_INTERVAL_MS = 5_000;

export interface WriterOptions {
  readonly fileSystem: FileSystem;
  readonly repository: TranscriptQueries;
  readonly faults: FaultBoard;
  readonly logger: Logger;
  readonly place: TranscriptPlace;
  readonly rules: TranscriptRules;
  /** The transcript does not wait longer for a file system. */
  readonly timeoutMs: number;
}

interface Waiter {
  readonly settle: () => void;
}

/** Queues the lines of one transcript: one write at a time, whatever came up meanwhile goes with the next. */
export class TranscriptWriter {
  readonly place: TranscriptPlace;
  readonly #options: WriterOptions;
  readonly #file: TranscriptFile;
  readonly #logger: Logger;
  #lines: PlacedLine[] = [];
  #queuedBytes = 0;
  #waiters = new Set<Waiter>();
  /** What the next round has to do besides the queued lines. */
  #catchUp: 'no' | 'end' | 'whole' = 'no';
  #draining: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  /** When to look whether the project shows a fault of this file: it may be from before this process. */
  #lookForFaultAt = 0;
  #closed = false;
  lastUsedAt = Date.now();

  constructor(options: WriterOptions) {
    this.#options = options;
    this.place = options.place;
    this.#logger = options.logger;
    this.#file = new TranscriptFile(options.fileSystem, options.repository, options.place, options.rules);
  }

  /** Nothing to do and nothing to try again: its open file may be closed. */
  get isIdle(): boolean {
    return this.#draining === undefined && this.#retry === undefined;
  }

  /** Nothing under way; it only waits to be tried again. */
  get isWaiting(): boolean {
    return this.#draining === undefined;
  }

  /** Resolves when the line is in the file, or could not be written now, or after `timeoutMs`. */
  note(offset: number, line: string): Promise<void> {
    const bytes = Buffer.from(line);
    if (this.#queuedBytes + bytes.length <= MAX_QUEUED_BYTES) {
      this.#lines.push({ offset, bytes });
      this.#queuedBytes += bytes.length;
    } else {
      this.#wantCatchUp('end');
    }
    return this.#nextRound(this.#options.timeoutMs);
  }

  /**
   * Resolves when the file (its end, or all of it) was compared and repaired, or could not be, or after
   * `timeoutMs`.
   */
  repair(scope: 'end' | 'whole', timeoutMs?: number): Promise<void> {
    this.#wantCatchUp(scope);
    return this.#nextRound(timeoutMs);
  }

  #nextRound(timeoutMs: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => waiter.giveUp(), timeoutMs);
      const waiter = {
        settle: () => {
          clearTimeout(timer);
          resolve();
        },
        giveUp: () => {
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      this.#waiters.add(waiter);
      this.#kick();
    });
  }

  /** Ends retries and closes the file; waits for the work that is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    await this.#draining;
    await this.#file.release();
  }

  #wantCatchUp(scope: 'end' | 'whole'): void {
    if (this.#catchUp !== 'whole') this.#catchUp = scope;
  }

  #kick(): void {
    this.lastUsedAt = Date.now();
    this.#draining ??= this.#drain();
  }

  async #drain(): Promise<void> {
    // Lines of the same moment join the first write.
    await Promise.resolve();
    while (this.#lines.length > 0 || this.#waiters.size > 0) {
      const lines = this.#lines;
      const scope = this.#catchUp;
      const waiters = this.#waiters;
      this.#lines = [];
      this.#queuedBytes = 0;
      this.#catchUp = 'no';
      this.#waiters = new Set();
      const done = await this.#round(lines, scope);
      for (const waiter of waiters) waiter.settle();
      // With the next line or at the retry, then from the database: the lines themselves can go.
      if (!done) this.#wantCatchUp(scope === 'whole' ? 'whole' : 'end');
    }
    // In the same step as the last look at the queue: a line that comes now starts a drain of its own.
    this.#draining = undefined;
  }

  async #round(lines: PlacedLine[], scope: 'no' | 'end' | 'whole'): Promise<boolean> {
    try {
      lines.sort((a, b) => a.offset - b.offset);
      const aside = scope === 'no' ? await this.#file.append(lines) : await this.#file.catchUp(scope);
      await this.#worked(aside);
      return true;
    } catch (error) {
      await this.#failed(error);
      return false;
    }
  }

  async #worked(aside: PutAside | undefined): Promise<void> {
    if (this.#failures > 0) this.#logger.info(this.#ids(), 'chat log is written again');
    this.#failures = 0;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (aside !== undefined) {
      this.#logger.warn(
        { ...this.#ids(), ...aside },
        'chat log was not ours alone; kept aside and written anew',
      );
      await this.#showFault(aside.code, aside.name);
      return;
    }
    const now = Date.now();
    if (now < this.#lookForFaultAt) return;
    try {
      const stays = await this.#options.faults.withdraw(this.place);
      this.#lookForFaultAt = stays ? now + FAULT_LOOK_INTERVAL_MS : Number.POSITIVE_INFINITY;
    } catch (error) {
      this.#logger.warn({ ...this.#ids(), err: error }, 'could not withdraw the fault of a chat log');
    }
  }

  async #failed(error: unknown): Promise<void> {
    const code = faultCodeOf(error);
    // Logged once in a row: a full disk must not fill the log too.
    if (this.#failures === 0) this.#logger.warn({ ...this.#ids(), code, err: error }, 'chat log not written');
    this.#scheduleRetry();
    if (code === undefined) return;
    await this.#file.release().catch((cause: unknown) => {
      this.#logger.debug({ ...this.#ids(), err: cause }, 'closing a faulty chat log failed');
    });
    await this.#showFault(code);
  }

  async #showFault(code: ChatLogFaultCode, name?: string): Promise<void> {
    this.#lookForFaultAt = 0;
    try {
      await this.#options.faults.show(this.place, code, name);
    } catch (error) {
      this.#logger.warn({ ...this.#ids(), err: error }, 'could not show the fault of a chat log');
    }
  }

  #scheduleRetry(): void {
    const delay = RETRY_DELAYS_MS[Math.min(this.#failures, RETRY_DELAYS_MS.length - 1)] ?? 60_000;
    this.#failures += 1;
    clearTimeout(this.#retry);
    if (this.#closed) return;
    this.#retry = setTimeout(() => void this.#tryAgain(), delay);
    this.#retry.unref();
  }

  /** A project that has moved or ended needs no file here any more. */
  async #tryAgain(): Promise<void> {
    try {
      const directory = await this.#options.repository.workingDirectory(this.place.projectId);
      if (directory === this.place.workingDirectory) await this.repair('end');
      else this.#giveUp();
    } catch (error) {
      this.#logger.debug({ ...this.#ids(), err: error }, 'chat log not tried again yet');
      this.#scheduleRetry();
    }
  }

  #giveUp(): void {
    this.#retry = undefined;
    this.#catchUp = 'no';
  }

  #ids(): { projectId: string; agentId: string } {
    return { projectId: this.place.projectId, agentId: this.place.agentId };
  }
}
