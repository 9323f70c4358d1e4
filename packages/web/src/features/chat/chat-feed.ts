import type { MessagePage } from '@aizuchi/shared/contract/chat';
import { ApiError, isCode } from '../../lib/api/api-error.ts';
import { Store } from '../../lib/store.ts';
import {
  catchUpAfter,
  EMPTY_TIMELINE,
  reduceTimeline,
  type Timeline,
  type TimelineEvent,
} from './timeline.ts';

export interface PageQuery {
  readonly after?: string;
  readonly before?: string;
  readonly limit: number;
}
export type ReadPage = (query: PageQuery, signal: AbortSignal) => Promise<MessagePage>;

const FIRST_PAGE = 50;
const PAGE = 100;
const MOST = 200;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 5_000;

/** Reads the pages of one chat and keeps its timeline; one read of a kind at a time. */
export class ChatFeed {
  readonly timeline = new Store<Timeline>(EMPTY_TIMELINE);
  /** Why the chat cannot be read; what passes by itself is tried again and is no error. */
  readonly error = new Store<unknown>(undefined);
  readonly isLoadingOlder = new Store(false);
  readonly #read: ReadPage;
  readonly #over = new AbortController();
  #catchUp: Promise<void> | undefined;
  #isBehind = false;
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

  /** Reads what may have been missed: the newest page at first, later all that came after the last synced one. */
  catchUp(): void {
    this.#isBehind = true;
    this.#catchUp ??= this.#untilCaughtUp().finally(() => {
      this.#catchUp = undefined;
    });
  }

  loadOlder(): Promise<void> {
    this.#older ??= this.#readOlder().finally(() => {
      this.#older = undefined;
      this.isLoadingOlder.set(false);
    });
    return this.#older;
  }

  /** Pages upward until the message is there; false when the chat has no such message. */
  async find(messageId: string): Promise<boolean> {
    const isThere = () => this.timeline.get().messages.some(({ id }) => id === messageId);
    if (isThere()) return true;
    try {
      await this.#read({ after: messageId, limit: 1 }, this.#over.signal);
      while (!isThere() && this.timeline.get().hasOlder) await this.#readOlder(MOST);
    } catch (error) {
      if (!isCode(error, 'message_not_found', 'network', 'unavailable') && !this.#over.signal.aborted)
        throw error;
    }
    return isThere();
  }

  async #readOlder(limit = PAGE): Promise<void> {
    const { messages, hasOlder, revision } = this.timeline.get();
    const [oldest] = messages;
    if (!hasOlder || !oldest) return;
    this.isLoadingOlder.set(true);
    const page = await this.#read({ before: oldest.id, limit }, this.#over.signal);
    this.apply({ type: 'page', kind: 'older', page, askedAt: revision });
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
        if (!(error instanceof ApiError && (error.isPassing || error.code === 'rate_limited'))) {
          this.error.set(error);
          return;
        }
        failures += 1;
        await delay(Math.min(FIRST_DELAY_MS * 2 ** failures, LONGEST_DELAY_MS), this.#over.signal);
      }
    }
  }

  async #readForward(): Promise<void> {
    let after = catchUpAfter(this.timeline.get());
    if (!this.timeline.get().isLoaded || after === undefined) {
      await this.#readNewest();
      return;
    }
    for (let hasMore = true; hasMore; ) {
      const { revision } = this.timeline.get();
      const page: MessagePage = await this.#read({ after, limit: MOST }, this.#over.signal);
      this.apply({ type: 'page', kind: 'newer', page, askedAt: revision });
      after = page.messages.at(-1)?.id ?? after;
      hasMore = page.hasMore;
    }
  }

  /**
   * Also when the oldest message that is known is still open: everything is read again from there, as the newest
   * page if that reaches so far.
   */
  async #readNewest(): Promise<void> {
    const { revision, isLoaded } = this.timeline.get();
    const page = await this.#read({ limit: isLoaded ? MOST : FIRST_PAGE }, this.#over.signal);
    this.apply({ type: 'page', kind: 'newest', page, askedAt: revision });
  }
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
