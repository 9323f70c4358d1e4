import type { Database } from '../db/database.ts';
import { type FileSystem, nodeFileSystem, oneAtATime } from '../files/file-system.ts';
import type { Logger } from '../logger.ts';
import { FaultBoard } from './fault-board.ts';
import { quickWhereLocal } from './local-file-system.ts';
import { RENEWAL_INTERVAL_MS, type TranscriptRules } from './renew-home.ts';
import type { TranscriptPlace } from './transcript-place.ts';
import { TranscriptQueries } from './transcript-queries.ts';
import { repairTranscripts } from './transcript-repair.ts';
import { TranscriptWriter } from './transcript-writer.ts';

/** The line of a stored message, and its place according to the statement that stored it. */
export interface StoredLine extends TranscriptPlace {
  /** chat_messages.log_offset */
  readonly offset: number;
  /** transcriptLine(message) */
  readonly line: string;
}

/** chat.jsonl of every agent: the faithful transcript of what the database holds. */
export interface Transcripts {
  /**
   * Call it after the commit. Resolves when the line is in the file, at the latest after `timeoutMs`; never
   * rejects: a fault is shown at the project, and the missing lines are written later.
   */
  noteStored(entry: StoredLine): Promise<void>;
  /** Compares the whole file with the database and repairs it; never rejects. */
  repair(thread: { projectId: string; agentId: string }): Promise<void>;
  /**
   * For the start of a service: looks at the end of every live project's transcripts, as after a crash; then, one at a
   * time, at the whole of each, for what somebody changed far from the end.
   */
  repairAll(): Promise<void>;
  close(): Promise<void>;
}

export interface TranscriptOptions {
  readonly database: Database;
  readonly logger: Logger;
  readonly fileSystem?: FileSystem;
  /** Where working directories lie: below them no link is followed; without them nowhere. */
  readonly workspaceRoots?: readonly string[];
  /** Open files at most. */
  readonly maxOpenFiles?: number;
  /** How long a message waits for its line: 500 ms. */
  readonly timeoutMs?: number;
}

/** A file system that takes longer is not waited for. */
const TIMEOUT_MS = 500;
const IDLE_MS = 30_000;
const CLOSE_TIMEOUT_MS = 1_000;

export function openTranscripts(options: TranscriptOptions): Transcripts {
  return new TranscriptFiles(options);
}

class TranscriptFiles implements Transcripts {
  readonly #repository: TranscriptQueries;
  readonly #faults: FaultBoard;
  readonly #logger: Logger;
  readonly #fileSystem: FileSystem;
  readonly #rules: TranscriptRules;
  readonly #maxOpenFiles: number;
  readonly #timeoutMs: number;
  /** Least recently used first. Own code: lru-cache evicts also the one that is being written. */
  readonly #writers = new Map<string, TranscriptWriter>();
  /** One gate a working directory, held as long as one of its files is in use. */
  readonly #gates = new Map<string, WeakRef<FileSystem>>();
  readonly #sweep: NodeJS.Timeout;
  #closed = false;

  constructor(options: TranscriptOptions) {
    this.#repository = new TranscriptQueries(options.database.db);
    this.#faults = new FaultBoard(this.#repository);
    this.#logger = options.logger.child({ subsystem: 'transcript' });
    this.#fileSystem = options.fileSystem ?? nodeFileSystem;
    this.#rules = { roots: options.workspaceRoots ?? [], renewals: new Map() };
    this.#maxOpenFiles = options.maxOpenFiles ?? 256;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#sweep = setInterval(() => this.#closeIdle(), IDLE_MS / 2);
    this.#sweep.unref();
  }

  async noteStored(entry: StoredLine): Promise<void> {
    if (this.#closed) return;
    await this.#writer(entry).note(entry.offset, entry.line);
  }

  async repair(thread: { projectId: string; agentId: string }): Promise<void> {
    try {
      const workingDirectory = await this.#repository.workingDirectory(thread.projectId);
      // An agent that has never written anything needs no folder.
      if (workingDirectory === undefined || (await this.#repository.expectedBytes(thread)) === 0) return;
      if (!this.#closed) await this.#writer({ ...thread, workingDirectory }).repair('whole');
    } catch (error) {
      this.#logger.warn({ ...thread, err: error }, 'could not repair a chat log');
    }
  }

  async repairAll(): Promise<void> {
    try {
      await repairTranscripts({
        queries: this.#repository,
        writerOf: (place) => this.#writer(place),
        isClosed: () => this.#closed,
        timeoutMs: this.#timeoutMs,
      });
    } catch (error) {
      this.#logger.warn({ err: error }, 'could not repair the chat logs');
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    const closing = [...this.#writers.values()].map((writer) => this.#close(writer));
    this.#writers.clear();
    let timer: NodeJS.Timeout | undefined;
    // A file system that hangs must not delay the end of the process.
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([Promise.all(closing), timeout]);
    clearTimeout(timer);
  }

  #writer(place: TranscriptPlace): TranscriptWriter {
    const key = `${place.projectId}/${place.agentId}/${place.workingDirectory}`;
    const known = this.#writers.get(key);
    if (known) {
      this.#writers.delete(key);
      this.#writers.set(key, known);
      return known;
    }
    const writer = new TranscriptWriter({
      fileSystem: this.#gate(place.workingDirectory),
      repository: this.#repository,
      faults: this.#faults,
      logger: this.#logger,
      timeoutMs: this.#timeoutMs,
      rules: this.#rules,
      place: { projectId: place.projectId, agentId: place.agentId, workingDirectory: place.workingDirectory },
    });
    this.#writers.set(key, writer);
    if (this.#writers.size > this.#maxOpenFiles) this.#evict();
    return writer;
  }

  #gate(workingDirectory: string): FileSystem {
    const known = this.#gates.get(workingDirectory)?.deref();
    if (known) return known;
    const gate = oneAtATime(
      this.#fileSystem === nodeFileSystem
        ? quickWhereLocal(nodeFileSystem, workingDirectory)
        : this.#fileSystem,
    );
    this.#gates.set(workingDirectory, new WeakRef(gate));
    return gate;
  }

  /** Closes the files unused for longest; far above the limit also those that only wait to be tried again. */
  #evict(): void {
    for (const [key, writer] of this.#writers) {
      if (this.#writers.size <= this.#maxOpenFiles) return;
      if (writer.isIdle || (writer.isWaiting && this.#writers.size > 4 * this.#maxOpenFiles)) {
        this.#drop(key, writer);
      }
    }
  }

  #closeIdle(): void {
    const before = Date.now() - IDLE_MS;
    for (const [key, writer] of this.#writers) {
      if (writer.isIdle && writer.lastUsedAt < before) this.#drop(key, writer);
    }
    const { renewals } = this.#rules;
    for (const [directory, at] of renewals)
      if (at < Date.now() - RENEWAL_INTERVAL_MS) renewals.delete(directory);
    for (const [directory, gate] of this.#gates)
      if (gate.deref() === undefined) this.#gates.delete(directory);
  }

  #drop(key: string, writer: TranscriptWriter): void {
    this.#writers.delete(key);
    void this.#close(writer);
  }

  async #close(writer: TranscriptWriter): Promise<void> {
    try {
      await writer.close();
    } catch (error) {
      this.#logger.debug({ err: error }, 'closing a chat log failed');
    }
  }
}
