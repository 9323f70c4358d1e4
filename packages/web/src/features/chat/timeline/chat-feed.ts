import type { Message, MessagePage } from '@aizuchi/shared/contract/chat';
import { isCode } from '../../../lib/api/api-error.ts';
import { isTemporary } from '../../../lib/api/temporary-error.ts';
import { backoffMs } from '../../../lib/backoff.ts';
import { delay } from '../../../lib/delay.ts';
import { Store } from '../../../lib/store.ts';
import { FIRST_PAGE_SIZE } from '../limits.ts';
import { EMPTY_TIMELINE, reduceTimeline, type Timeline, type TimelineEvent } from './timeline.ts';
import { catchUpFrom } from './timeline-messages.ts';

export interface PageQuery {
  readonly after?: string;
  readonly before?: string;
  readonly limit: number;
}
export type ReadPage = (
  query: PageQuery,
  signal: AbortSignal,
) => Promise<
  MessagePage & {
    /** It was read before the socket listened: newer messages may be missing. */
    readonly isEarly?: boolean;
  }
>;

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 200;
/** An agent that is being started then has the server for itself. */
const AFTER_EARLY_MS = 500;
const BACKOFF = { firstMs: 500, longestMs: 5_000 };

/** Reads the pages of one chat into its timeline, with at most one catch-up and one read of older pages at a time. */
export class ChatFeed {
  readonly timeline = new Store<Timeline>(EMPTY_TIMELINE);
  /** Why the chat cannot be read; temporary failures are retried and not reported. */
  readonly error = new Store<unknown>(undefined);
  readonly isLoadingOlder = new Store(false);
  readonly #read: ReadPage;
  readonly #over = new AbortController();
  #catchUp: Promise<void> | undefined;
  #isBehind = false;
  /** Counts how often frames may have been missed. */
  #gaps = 0;
  #older: Promise<void> | undefined;

  constructor(read: ReadPage) {
    this.#read = read;
  }

  apply(event: TimelineEvent): void {
    this.timeline.set(reduceTimeline(this.timeline.get(), event));
  }

  stop(): void {
    this.#over.abort();
  }

  /** Reads what may have been missed: at first the newest page, later everything after the last synced message. */
  catchUp(): void {
    this.#gaps += 1;
    this.#isBehind = true;
    this.#catchUp ??= this.#untilCaughtUp().finally(() => {
      this.#catchUp = undefined;
    });
  }

  /** Reads one older page, or all pages back to the message `untilId`, which are then added together. */
  loadOlder(limit = PAGE_SIZE, untilId?: string): Promise<void> {
    this.#older ??= this.#readOlder(limit, untilId).finally(() => {
      this.#older = undefined;
      this.isLoadingOlder.set(false);
    });
    return this.#older;
  }

  /** Loads older pages until the message is there; false when the chat has no such message. */
  async find(messageId: string): Promise<boolean> {
    const isThere = () => this.timeline.get().messages.some(({ id }) => id === messageId);
    if (isThere()) return true;
    try {
      await this.#read({ after: messageId, limit: 1 }, this.#over.signal);
      // Otherwise a page that is already being read would be read twice.
      await this.#older;
      if (!isThere()) await this.loadOlder(MAX_PAGE_SIZE, messageId);
    } catch (error) {
      if (!isCode(error, 'message_not_found', 'network', 'unavailable') && !this.#over.signal.aborted)
        throw error;
    }
    return isThere();
  }

  async #readOlder(limit: number, untilId: string | undefined): Promise<void> {
    const { messages, hasOlder, revision } = this.timeline.get();
    let [oldest] = messages;
    if (!hasOlder || !oldest) return;
    this.isLoadingOlder.set(true);
    const gaps = this.#gaps;
    const pages: Message[][] = [];
    let isFound = untilId === undefined;
    for (let hasMore = true; hasMore && oldest; ) {
      const page = await this.#read({ before: oldest.id, limit }, this.#over.signal);
      pages.unshift(page.messages);
      isFound ||= page.messages.some(({ id }) => id === untilId);
      hasMore = page.hasMore && !isFound;
      if (!hasMore)
        this.apply({
          type: 'page',
          kind: 'older',
          page: { ...page, messages: pages.flat() },
          revisionAtRequest: revision,
        });
      [oldest] = page.messages;
    }
    // Frames of these messages may have been missed while they were read.
    if (this.#gaps !== gaps) this.catchUp();
  }

  async #untilCaughtUp(): Promise<void> {
    for (let failures = 0; this.#isBehind && !this.#over.signal.aborted; ) {
      this.#isBehind = false;
      try {
        await this.#readForward();
        failures = 0;
        this.error.set(undefined);
      } catch (error) {
        if (this.#over.signal.aborted) return;
        this.#isBehind = true;
        if (!isTemporary(error)) {
          this.error.set(error);
          return;
        }
        failures += 1;
        await delay(backoffMs(failures, BACKOFF), this.#over.signal);
      }
    }
  }

  async #readForward(): Promise<void> {
    const from = this.timeline.get().isLoaded ? catchUpFrom(this.timeline.get()) : undefined;
    if (!from) {
      const { isEarly } = await this.#readPage('newest', { limit: FIRST_PAGE_SIZE });
      if (!isEarly) return;
      await delay(AFTER_EARLY_MS, this.#over.signal);
      this.#isBehind = true;
      return;
    }
    let { after } = from;
    for (let hasMore = true; hasMore; ) {
      const page = await this.#readPage('newer', { after, limit: MAX_PAGE_SIZE });
      after = page.messages.at(-1)?.id ?? after;
      hasMore = page.hasMore;
    }
    if (from.isOldest) await this.#refresh(from.after);
  }

  /** Reads one message again: as the last one before its successor, because there is no query by id. */
  async #refresh(messageId: string): Promise<void> {
    for (let isRefreshed = false; !isRefreshed; ) {
      const { messages } = this.timeline.get();
      const next = messages[messages.findIndex(({ id }) => id === messageId) + 1];
      const page = await this.#readPage('refresh', { limit: 1, ...(next && { before: next.id }) });
      // Another message came between the two: it is the successor now.
      isRefreshed = page.messages.every(({ id }) => id === messageId);
    }
  }

  async #readPage(kind: 'newest' | 'newer' | 'refresh', query: PageQuery) {
    const { revision } = this.timeline.get();
    const page = await this.#read(query, this.#over.signal);
    this.apply({ type: 'page', kind, page, revisionAtRequest: revision });
    return page;
  }
}
