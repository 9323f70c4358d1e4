import { setTimeout as delay } from 'node:timers/promises';
import type { ChatLogFaultCode } from '../../contract/chat-log-fault-codes.ts';
import type { FileSystem } from '../files/file-system.ts';
import { renewHome, type TranscriptRules, timeInName } from './renew-home.ts';
import { AlteredTranscript, ChatLogFault } from './transcript-fault.ts';
import {
  assertOwnFile,
  FILE_NAME,
  inTranscriptFolder,
  isExposed,
  type OpenTranscript,
  openTranscript,
  type TranscriptPlace,
  transcriptName,
} from './transcript-place.ts';
import type { Stretch, TranscriptQueries } from './transcript-queries.ts';

/** A line and the byte at which it must begin. */
export interface PlacedLine {
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * What was in the place of the transcript, or of the folder around it, and the name under which it was put
 * aside.
 */
export interface PutAside {
  readonly code: Extract<ChatLogFaultCode, 'altered' | 'not_ours'>;
  readonly name: string;
}

/** How much of an unknown file is compared with the database before the first append. */
const TAIL_BYTES = 65_536;
/** Another process's write may be half visible; after this it is not under way any more. */
const SETTLE_MS = 20;
/**
 * One transcript on disk. The only rule: a line is written at its offset, and only when everything before it
 * is there.
 *
 * Several processes write one file without a lock (trap 13): the database has given every line its place, so
 * every process writes the same bytes to the same place, and writing them twice makes no difference. The file
 * is therefore never opened with O_APPEND, which would order lines by arrival.
 *
 * Calls must not overlap; the writer serialises them.
 */
export class TranscriptFile {
  readonly #fs: FileSystem;
  readonly #repository: TranscriptQueries;
  readonly #place: TranscriptPlace;
  readonly #rules: TranscriptRules;
  #open: OpenTranscript | undefined;
  /** The open file is known to be correct up to here. */
  #end = 0;
  /** A file that we had before was replaced: compare all of it, not only its end. */
  #suspicious = false;

  constructor(fs: FileSystem, repository: TranscriptQueries, place: TranscriptPlace, rules: TranscriptRules) {
    this.#fs = fs;
    this.#repository = repository;
    this.#place = place;
    this.#rules = rules;
  }

  /** Writes lines (ascending offsets) and whatever is missing before them. Returns what was put aside for that. */
  append(lines: readonly PlacedLine[]): Promise<PutAside | undefined> {
    return this.#settingAside(async () => {
      for (const run of joinRuns(lines)) await this.#appendRun(run);
    });
  }

  /** Makes the file what the database says now, looking at the end of an unknown file, or at all of it. */
  catchUp(scope: 'end' | 'whole'): Promise<PutAside | undefined> {
    return this.#settingAside(async () => {
      const { size, fresh } = await this.#look();
      if (fresh && scope === 'end') return;
      const expected = await this.#repository.expectedBytes(this.#place);
      const from = scope === 'whole' ? 0 : this.#compareFrom(size);
      await this.#bring(from, size, expected);
    });
  }

  async release(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open) await this.#fs.close(open.fd);
  }

  async #appendRun(run: PlacedLine): Promise<void> {
    const { size } = await this.#look();
    const end = run.offset + run.bytes.length;
    if (end <= this.#end && size >= this.#end) return;
    if (size < run.offset || size < this.#end) {
      await this.#bring(this.#compareFrom(size), size, end);
      return;
    }
    await this.#put(run, size);
  }

  /**
   * The size of the file that has the name now. One lstat a run: it also notices that the file was replaced,
   * removed, linked, given away or opened to others. A file met for the first time is brought up to date before anything else.
   */
  async #look(): Promise<{ size: number; fresh: boolean }> {
    if (this.#open) {
      const stats = await this.#fs.lstat(this.#open.path);
      if (stats?.ino === this.#open.ino && stats.dev === this.#open.dev) {
        assertOwnFile(stats);
        if (isExposed(stats)) throw new AlteredTranscript('others may open it');
        return { size: stats.size, fresh: false };
      }
      this.#suspicious = true;
      await this.release();
    }
    const open = await openTranscript(this.#fs, this.#place, this.#rules.roots);
    this.#open = open;
    this.#end = 0;
    if (open.isExposed) throw new AlteredTranscript('others may open it');
    // Read after the size: by then the committed lines can only be more than the written ones.
    const expected = await this.#repository.expectedBytes(this.#place);
    const from = this.#suspicious ? 0 : Math.max(0, Math.min(open.size, expected) - TAIL_BYTES);
    await this.#bring(from, open.size, expected);
    this.#suspicious = false;
    return { size: Math.max(open.size, this.#end), fresh: true };
  }

  /** The bytes before this are known; a file that became shorter was altered and must be compared again. */
  #compareFrom(size: number): number {
    return size < this.#end ? 0 : Math.max(this.#end, size - TAIL_BYTES);
  }

  /** Compares the file from `from` with the database and writes what is missing up to `to`. */
  async #bring(from: number, size: number, to: number): Promise<void> {
    if (size > to && size > (await this.#repository.expectedBytes(this.#place))) {
      throw new AlteredTranscript('longer than everything that was said');
    }
    let end = Math.min(from, to);
    for await (const stretch of this.#repository.stretches(this.#place, from, to)) {
      await this.#put(stretch, size);
      end = stretch.offset + stretch.bytes.length;
    }
    this.#end = end;
  }

  /** Compares the part of these lines that stands already (a torn line has a first part), writes the rest. */
  async #put({ offset, bytes }: Stretch, size: number): Promise<void> {
    const standing = Math.max(0, Math.min(size - offset, bytes.length));
    if (standing > 0) await this.#compare(offset, bytes.subarray(0, standing));
    await this.#write(offset + standing, bytes.subarray(standing));
    this.#end = offset + bytes.length;
  }

  async #compare(offset: number, expected: Buffer): Promise<void> {
    if (await this.#stands(offset, expected)) return;
    await delay(SETTLE_MS);
    if (!(await this.#stands(offset, expected))) throw new AlteredTranscript('other bytes than were said');
  }

  async #stands(offset: number, expected: Buffer): Promise<boolean> {
    const found = Buffer.allocUnsafe(expected.length);
    let filled = 0;
    while (filled < found.length) {
      const count = await this.#fs.read(this.#fd(), found.subarray(filled), offset + filled);
      if (count === 0) return false;
      filled += count;
    }
    return found.equals(expected);
  }

  async #write(offset: number, bytes: Buffer): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      written += await this.#fs.write(this.#fd(), bytes.subarray(written), offset + written);
    }
  }

  #fd(): number {
    if (!this.#open) throw new ChatLogFault('io_error');
    return this.#open.fd;
  }

  async #settingAside(work: () => Promise<void>): Promise<PutAside | undefined> {
    let aside: PutAside | undefined;
    try {
      await work();
      return undefined;
    } catch (error) {
      if (error instanceof AlteredTranscript) aside = await this.#setAside();
      else if (error instanceof ChatLogFault && error.code === 'not_ours') aside = await this.#renew(error);
      else throw error;
    }
    // Into a new, empty file; if that one is altered too, another process alters it right now: a fault, tried
    // again later.
    await this.#look();
    return aside;
  }

  /** Keeps the altered file under another name. Not the one that another process has put in its place meanwhile. */
  async #setAside(): Promise<PutAside | undefined> {
    const open = this.#open;
    if (!open) return undefined;
    const name = `${FILE_NAME}.altered-${timeInName()}`;
    const isDone = await inTranscriptFolder(this.#fs, this.#place, this.#rules.roots, async (folder) => {
      const stats = await this.#fs.lstat(folder.at(FILE_NAME));
      const ours = stats?.ino === open.ino && stats.dev === open.dev;
      if (ours) await this.#fs.rename(folder.at(FILE_NAME), folder.at(name));
      return ours;
    });
    await this.release();
    this.#suspicious = true;
    return isDone
      ? { code: 'altered', name: transcriptName(this.#place.agentId).replace(FILE_NAME, name) }
      : undefined;
  }

  /** A folder of another account is in the place of ours, or ours was given away. */
  async #renew(fault: ChatLogFault): Promise<PutAside> {
    await this.release();
    this.#suspicious = true;
    const name = await renewHome(this.#fs, this.#place, this.#rules, fault);
    return { code: 'not_ours', name };
  }
}

/** Joins lines that follow one another, so that a burst is one write. */
function joinRuns(lines: readonly PlacedLine[]): PlacedLine[] {
  const runs: { offset: number; end: number; parts: Buffer[] }[] = [];
  for (const { offset, bytes } of lines) {
    const last = runs.at(-1);
    if (last && last.end === offset) {
      last.parts.push(bytes);
      last.end += bytes.length;
    } else {
      runs.push({ offset, end: offset + bytes.length, parts: [bytes] });
    }
  }
  return runs.map(({ offset, parts }) => ({
    offset,
    bytes: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts),
  }));
}
