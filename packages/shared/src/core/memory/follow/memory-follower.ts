import { type LogBatch, logBounds, readLog } from '../../../platform/change-log/change-log.ts';
import { EVERYTHING, isOfLog } from '../../../platform/change-log/keys.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/logger.ts';
import { storeEvents } from '../memory-store.ts';
import {
  answeredSince,
  answeredTurns,
  type FollowerPlace,
  lockOwners,
  lockPlace,
  pairsAnsweredSince,
  readPlace,
  type ScanPlace,
  savePlace,
} from './follower-queries.ts';
import { eventsOf, type TurnEvent } from './turn-events.ts';

export interface MemoryFollowerOptions {
  readonly database: Database;
  readonly logger: Logger;
  /** Called after events were stored. */
  readonly onStored?: () => void;
  /** A place that is older is not followed by the log, which may be long or pruned meanwhile. */
  readonly oldestLogMs?: number;
  /** What was answered before a time is committed so long after it. */
  readonly commitWithinMs?: number;
}

/** Between two looks: a process that writes steps wakes us with each of them. */
const BETWEEN_LOOKS_MS = 200;
/** Delays of the looks for an entry that waits for an older transaction; then, and after an error, LATER_MS. */
const LOOK_AGAIN_MS = [5, 10, 20, 50, 100];
const LATER_MS = 1_000;
const OLDEST_LOG_MS = 600_000;
/** A place without news is written so often: what a restart reads again is short. */
const SAVE_EVERY_MS = 60_000;
/** Longer than a transaction may take. */
const COMMIT_WITHIN_MS = 10_000;
/** Messages that are read at once. */
const MAX_MESSAGES = 100;
/** Events of one transaction: the readers of the change log wait for its end. */
const MAX_EVENTS = 20;

type Place = FollowerPlace & { readonly at: Date };

/**
 * Makes memories of what was answered: each turn of a chat and each message between agents once, in their order. It
 * follows the change log from a place in the database, which is moved in the transaction of the events. Of several
 * processes the one that moves it stores; the other reads the place again. After a long time away, or in a restored
 * database, the messages themselves are read since the time of the place.
 */
export class MemoryFollower {
  readonly #options: MemoryFollowerOptions;
  #place: Place | undefined;
  #savedAt = 0;
  /** The place was saved with events: a look at the messages since its time would read them again. */
  #isFresh = false;
  /** The log had entries since the place was saved. */
  #hasNews = false;
  #running: Promise<void> | undefined;
  /** A look became due while one was running. */
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #lookedAt = 0;
  #looks = 0;
  #hasFailed = false;
  #isStopped = false;
  #stored = 0;

  constructor(options: MemoryFollowerOptions) {
    this.#options = options;
  }

  /** How many events this process has stored. */
  get stored(): number {
    return this.#stored;
  }

  /** For the listener of the process. */
  onKeys(keys: readonly string[]): void {
    if (keys.some((key) => key === EVERYTHING || isOfLog(key)))
      this.#lookIn(Math.max(0, this.#lookedAt + BETWEEN_LOOKS_MS - performance.now()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Stores everything that is answered and committed. `isPending`: something waits for an older transaction. */
  async runOnce(): Promise<{ isPending: boolean }> {
    const { database, oldestLogMs = OLDEST_LOG_MS } = this.#options;
    const begun = await readPlace(database.db);
    const now = new Date(begun.at.getTime() + begun.staleMs);
    // Another process has moved it since, or this is the first look.
    if (this.#place === undefined || begun.at > this.#place.at) this.#place = begun;
    const place = this.#place;
    if (now.getTime() - place.at.getTime() > oldestLogMs) return this.#catchUp(place, begun, now);
    const pastOthers = this.#looks >= LOOK_AGAIN_MS.length;
    const batch = await readLog(database.db, place.position, { pastOthers });
    if (batch.epoch !== place.epoch) return this.#catchUp(place, begun, now);
    const events = await this.#eventsOf(messagesOf(batch));
    // What waits for an older transaction was committed before now, and stays to be read since that time.
    const next = { position: batch.to, epoch: batch.epoch, at: batch.pending ? place.at : now };
    this.#hasNews ||= batch.entries.length > 0;
    if (events.length === 0 && !this.#isDue()) this.#place = next;
    else await this.#store(begun, events, next);
    return { isPending: batch.pending };
  }

  /** Soon after events, so that one which is deleted is not made again from its messages; else seldom. */
  #isDue(): boolean {
    const { commitWithinMs = COMMIT_WITHIN_MS } = this.#options;
    const sinceMs = performance.now() - this.#savedAt;
    return (this.#isFresh && sinceMs >= commitWithinMs) || (this.#hasNews && sinceMs >= SAVE_EVERY_MS);
  }

  /** Reads the answered messages since the time of the place; what is in memory already is left out. */
  async #catchUp(place: Place, saved: Place, now: Date): Promise<{ isPending: boolean }> {
    const { database, logger, commitWithinMs = COMMIT_WITHIN_MS } = this.#options;
    const { horizon, epoch } = await logBounds(database.db);
    const since = new Date(Math.max(0, place.at.getTime() - commitWithinMs));
    logger.info({ since }, 'reading the messages that were answered meanwhile');
    for (const pair of await pairsAnsweredSince(database.db, since)) {
      let after: ScanPlace | undefined;
      do {
        const found = await answeredSince(database.db, pair, { since, after, limit: MAX_MESSAGES });
        const events = await this.#eventsOf(found.map(({ id }) => id));
        if (events.length > 0 && !(await this.#store(saved, events, undefined))) return { isPending: true };
        after = found.length < MAX_MESSAGES ? undefined : found.at(-1);
      } while (after && !this.#isStopped);
    }
    if (!this.#isStopped) await this.#store(saved, [], { position: horizon, epoch, at: now });
    return { isPending: true };
  }

  async #eventsOf(messageIds: readonly string[]): Promise<TurnEvent[]> {
    const { db } = this.#options.database;
    const seen = new Map<string, TurnEvent[]>();
    for (let from = 0; from < messageIds.length; from += MAX_MESSAGES) {
      // Messages that an answer answered together may stand in two of these parts.
      for (const turn of await answeredTurns(db, messageIds.slice(from, from + MAX_MESSAGES)))
        seen.set(turn.id, eventsOf(turn));
    }
    return [...seen.values()].flat();
  }

  /** False: another process has moved the place, which is read again. */
  async #store(
    saved: FollowerPlace,
    events: readonly TurnEvent[],
    next: Place | undefined,
  ): Promise<boolean> {
    for (let from = 0; from === 0 || from < events.length; from += MAX_EVENTS) {
      const part = events.slice(from, from + MAX_EVENTS);
      const isLast = from + MAX_EVENTS >= events.length;
      const isOurs = await this.#storePart(saved, part, isLast ? next : undefined);
      if (!isOurs) this.#place = undefined;
      if (!isOurs || this.#isStopped) return false;
    }
    if (next) {
      this.#place = next;
      this.#savedAt = performance.now();
      this.#isFresh = events.length > 0;
      this.#hasNews = false;
    }
    return true;
  }

  async #storePart(
    saved: FollowerPlace,
    events: readonly TurnEvent[],
    next: Place | undefined,
  ): Promise<boolean> {
    const stored = await this.#options.database.transaction(async (tx) => {
      if (!(await lockPlace(tx.db, saved))) return undefined;
      const agentIds = [...new Set(events.map(({ agentId }) => agentId))].sort();
      const projectIds = [...new Set(events.flatMap(({ projectId }) => projectId ?? []))].sort();
      const living = events.length === 0 ? new Set() : await lockOwners(tx.db, { projectIds, agentIds });
      let count = 0;
      for (const agentId of agentIds.filter((id) => living.has(id))) {
        const own = events.filter((event) => event.agentId === agentId);
        count += (await storeEvents(tx, agentId, own)).stored.length;
      }
      if (next) await savePlace(tx.db, next, next.at);
      return count;
    });
    this.#stored += stored ?? 0;
    if (stored) this.#options.onStored?.();
    return stored !== undefined;
  }

  #lookIn(ms: number): void {
    if (this.#isStopped) return;
    const dueAt = performance.now() + ms;
    if (dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (this.#running) {
      this.#isWanted = true;
      return;
    }
    this.#isWanted = false;
    this.#running = this.#lookNow().finally(() => {
      this.#running = undefined;
      if (this.#isWanted) this.#lookIn(BETWEEN_LOOKS_MS);
    });
  }

  async #lookNow(): Promise<void> {
    if (this.#isStopped) return;
    this.#lookedAt = performance.now();
    try {
      const { isPending } = await this.runOnce();
      if (isPending) this.#lookIn(LOOK_AGAIN_MS[this.#looks] ?? LATER_MS);
      this.#looks = isPending ? this.#looks + 1 : 0;
      this.#hasFailed = false;
    } catch (error) {
      this.#place = undefined;
      this.#lookIn(LATER_MS);
      // One line for a database that is away, not one each second.
      if (!this.#hasFailed) this.#options.logger.warn({ err: error }, 'could not follow the log');
      this.#hasFailed = true;
    }
  }
}

function messagesOf(batch: LogBatch): string[] {
  const ids = batch.entries.flatMap(({ kind, ref }) => (kind === 'message' ? (ref.messageId ?? []) : []));
  return [...new Set(ids)];
}
