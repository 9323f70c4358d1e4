export interface HeldRequest {
  readonly id: string;
  /** The NOTIFY key at which the waiter checks again (platform/change-log/keys.ts). */
  readonly key: string;
}

export type HoldOutcome<T> =
  | { kind: 'ready'; value: T }
  /** Nothing to report in time; `value` is the result of the last read. */
  | { kind: 'nothing'; value: T | undefined }
  | { kind: 'superseded' }
  | { kind: 'stopped' }
  /** The client has closed the connection: the answer would reach no reader (trap 14). */
  | { kind: 'gone' }
  | { kind: 'failed'; error: unknown };

export interface HeldCallsOptions<R extends HeldRequest, T> {
  /** One read for many waiters; an id that is missing in the answer continues to wait. */
  readonly read: (requests: readonly R[]) => Promise<ReadonlyMap<string, T>>;
  readonly isReady: (value: T) => boolean;
  /**
   * A cheaper query for the slow poll: the waiters for which a read could have a result. Without it all are
   * read.
   */
  readonly withNews?: (requests: readonly R[]) => Promise<readonly string[]>;
  /**
   * Another key at which a waiter with this value checks again, from then on until its call ends; undefined: none.
   */
  readonly alsoAt?: (value: T) => string | undefined;
  /** A read for parked waiters failed; they continue to wait. */
  readonly onReadError: (error: unknown) => void;
  /**
   * Whether a call that returns after a hold without news may wait without a read of its own, as long as no
   * hint arrived in between and `disturb` was not called. Absent: it never may.
   */
  readonly mayResume?: () => boolean;
  /**
   * Calls that hold shorter than this always read. Default 10 s: in the time of a shorter one the slow poll may not come,
   * which finds what a lost hint has announced.
   */
  readonly resumedFromMs?: number;
  readonly chunkSize?: number;
}

interface Waiter<R, T> {
  readonly request: R;
  readonly openedAt: number;
  readonly holdMs: number;
  /** The first read of this waiter has not returned yet. */
  fresh: boolean;
  expired: boolean;
  settled: boolean;
  timer: NodeJS.Timeout | undefined;
  /** See `alsoAt`. */
  otherKey: string | undefined;
  readonly resolve: (outcome: HoldOutcome<T>) => void;
}

const DEFAULT_CHUNK_SIZE = 500;
const RESUMED_FROM_MS = 10_000;

/**
 * Calls that are held until there is something to report, indexed in memory. A wake reads all its waiters
 * with one call; keys that arrive while a read is under way join the next read. A waiter always gets the
 * result of a read that began after its arrival, so an answer is never older than its question. A call that
 * returns from a hold without news, and has missed no hint, continues to wait without a read: the slow poll
 * checks it like all other waiters.
 */
export class HeldCalls<R extends HeldRequest, T> {
  readonly #options: HeldCallsOptions<R, T>;
  readonly #byKey = new Map<string, Set<Waiter<R, T>>>();
  readonly #byId = new Map<string, Set<Waiter<R, T>>>();
  /**
   * Waiters that were woken by name go before those that only check again: both lanes read at the same time.
   */
  readonly #woken = new Lane<Waiter<R, T>>((waiters) => this.#read(waiters));
  readonly #lookingAgain = new Lane<Waiter<R, T>>((waiters) => this.#lookAgain(waiters));
  /**
   * Waiters whose hold ended without news, by key; no hint for the key has arrived since. Empty after each
   * slow poll.
   */
  readonly #quiet = new Map<string, Set<string>>();
  #size = 0;
  #stopped = false;

  constructor(options: HeldCallsOptions<R, T>) {
    this.#options = options;
    const chunkSize = options.chunkSize ?? DEFAULT_CHUNK_SIZE;
    this.#woken.chunkSize = chunkSize;
    this.#lookingAgain.chunkSize = chunkSize;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Holds for at most `holdMs` (0: one read, then the answer). `onGone` receives the function to call when
   * the client leaves.
   */
  wait(request: R, holdMs: number, onGone: (leave: () => void) => void): Promise<HoldOutcome<T>> {
    if (this.#stopped) return Promise.resolve({ kind: 'stopped' });
    return new Promise((resolve) => {
      const waiter: Waiter<R, T> = {
        request,
        openedAt: Date.now(),
        holdMs,
        fresh: !this.#resumes(request, holdMs),
        expired: holdMs === 0,
        settled: false,
        timer: undefined,
        otherKey: undefined,
        resolve,
      };
      this.#enter(waiter);
      if (holdMs > 0) waiter.timer = setTimeout(() => this.#expire(waiter), holdMs);
      onGone(() => this.#settle(waiter, { kind: 'gone' }));
      if (!waiter.settled && waiter.fresh) this.#woken.add(waiter);
    });
  }

  /** The caller `id` did something else meanwhile: its open calls check again, its next wait begins with a read. */
  disturb({ id, key }: HeldRequest): void {
    this.#quiet.get(key)?.delete(id);
    for (const waiter of this.#byId.get(id) ?? []) this.#woken.add(waiter);
  }

  wake(keys: Iterable<string>): void {
    for (const key of keys) {
      this.#quiet.delete(key);
      const waiters = this.#byKey.get(key);
      if (waiters) for (const waiter of waiters) this.#woken.add(waiter);
    }
  }

  /**
   * Hints may have been missed: all waiters check again, in chunks, without delaying those that are woken.
   */
  wakeAll(): void {
    this.#quiet.clear();
    for (const waiters of this.#byId.values()) for (const waiter of waiters) this.#lookingAgain.add(waiter);
  }

  /** Ends the calls of `id` that were opened before `openedBefore` (default: all open calls). */
  supersede(id: string, openedBefore = Number.POSITIVE_INFINITY): void {
    for (const waiter of [...(this.#byId.get(id) ?? [])])
      if (waiter.openedAt < openedBefore) this.#settle(waiter, { kind: 'superseded' });
  }

  /** Answers all waiters; later ones are answered at once. */
  stop(): void {
    this.#stopped = true;
    this.#quiet.clear();
    for (const waiters of [...this.#byId.values()])
      for (const waiter of [...waiters]) this.#settle(waiter, { kind: 'stopped' });
  }

  async #lookAgain(waiters: readonly Waiter<R, T>[]): Promise<void> {
    const { withNews } = this.#options;
    const open = waiters.filter((waiter) => !waiter.settled);
    if (withNews === undefined || open.length === 0) return this.#read(open);
    try {
      const news = new Set(await withNews(open.map((waiter) => waiter.request)));
      await this.#read(open.filter((waiter) => news.has(waiter.request.id)));
    } catch (error) {
      this.#options.onReadError(error);
    }
  }

  async #read(waiters: readonly Waiter<R, T>[]): Promise<void> {
    const asked = waiters.filter((waiter) => !waiter.settled);
    if (asked.length === 0) return;
    try {
      const values = await this.#options.read(asked.map((waiter) => waiter.request));
      for (const waiter of asked) this.#apply(waiter, values.get(waiter.request.id));
    } catch (error) {
      for (const waiter of asked) if (waiter.fresh) this.#settle(waiter, { kind: 'failed', error });
      if (asked.some((waiter) => !waiter.fresh)) this.#options.onReadError(error);
    }
  }

  #apply(waiter: Waiter<R, T>, value: T | undefined): void {
    waiter.fresh = false;
    if (value !== undefined && this.#options.isReady(value)) this.#settle(waiter, { kind: 'ready', value });
    else if (waiter.expired) this.#settle(waiter, { kind: 'nothing', value });
    else if (value !== undefined) this.#listenAlso(waiter, this.#options.alsoAt?.(value));
  }

  #listenAlso(waiter: Waiter<R, T>, key: string | undefined): void {
    if (key === undefined || key === waiter.otherKey) return;
    if (waiter.otherKey !== undefined) removeFrom(this.#byKey, waiter.otherKey, waiter);
    waiter.otherKey = key;
    addTo(this.#byKey, key, waiter);
    // A hint for this key between the read and now was not heard.
    this.#woken.add(waiter);
  }

  #expire(waiter: Waiter<R, T>): void {
    waiter.expired = true;
    if (waiter.fresh) return;
    this.#settle(waiter, { kind: 'nothing', value: undefined });
    // A read that is under way for it may find news: that answer is dropped, so the next call reads again.
    const isBeingRead = this.#woken.has(waiter) || this.#lookingAgain.has(waiter);
    if (!isBeingRead && waiter.otherKey === undefined && this.#options.mayResume?.())
      addTo(this.#quiet, waiter.request.key, waiter.request.id);
  }

  /** As far as hints say, nothing has changed since its last hold. Counts for one call. */
  #resumes({ id, key }: R, holdMs: number): boolean {
    const ids = this.#quiet.get(key);
    const wasQuiet = ids?.delete(id) === true;
    if (ids?.size === 0) this.#quiet.delete(key);
    const { mayResume, resumedFromMs = RESUMED_FROM_MS } = this.#options;
    return wasQuiet && holdMs >= resumedFromMs && mayResume?.() === true;
  }

  #enter(waiter: Waiter<R, T>): void {
    addTo(this.#byId, waiter.request.id, waiter);
    addTo(this.#byKey, waiter.request.key, waiter);
    this.#size += 1;
  }

  #settle(waiter: Waiter<R, T>, outcome: HoldOutcome<T>): void {
    if (waiter.settled) return;
    waiter.settled = true;
    clearTimeout(waiter.timer);
    removeFrom(this.#byId, waiter.request.id, waiter);
    removeFrom(this.#byKey, waiter.request.key, waiter);
    if (waiter.otherKey !== undefined) removeFrom(this.#byKey, waiter.otherKey, waiter);
    this.#size -= 1;
    waiter.resolve(outcome);
  }
}

/** Reads one chunk after the other; what is added meanwhile is read next, once. */
class Lane<W> {
  chunkSize = DEFAULT_CHUNK_SIZE;
  readonly #read: (waiters: readonly W[]) => Promise<void>;
  readonly #queue = new Set<W>();
  #chunk: ReadonlySet<W> = new Set<W>();
  #running = false;

  constructor(read: (waiters: readonly W[]) => Promise<void>) {
    this.#read = read;
  }

  add(waiter: W): void {
    this.#queue.add(waiter);
    if (this.#running) return;
    this.#running = true;
    // After this tick, so that all keys of one NOTIFY go into one read.
    queueMicrotask(() => void this.#run());
  }

  /** It is read now, or will be. */
  has(waiter: W): boolean {
    return this.#queue.has(waiter) || this.#chunk.has(waiter);
  }

  async #run(): Promise<void> {
    while (this.#queue.size > 0) {
      const chunk: W[] = [];
      for (const waiter of this.#queue) {
        this.#queue.delete(waiter);
        chunk.push(waiter);
        if (chunk.length === this.chunkSize) break;
      }
      this.#chunk = new Set(chunk);
      await this.#read(chunk);
    }
    this.#chunk = new Set();
    this.#running = false;
  }
}

function addTo<V>(index: Map<string, Set<V>>, key: string, value: V): void {
  const values = index.get(key);
  if (values) values.add(value);
  else index.set(key, new Set([value]));
}

function removeFrom<V>(index: Map<string, Set<V>>, key: string, value: V): void {
  const values = index.get(key);
  values?.delete(value);
  if (values?.size === 0) index.delete(key);
}
