import { type CardFrame, WS_CLOSE } from '@aizuchi/shared/contract/ws';
import { type Hearer, projectNotFound, whoMaySee } from '@aizuchi/shared/core/access/person';
import {
  type LogBatch,
  type LogEntry,
  logBounds,
  readLogStretch,
} from '@aizuchi/shared/platform/change-log/change-log';
import type { Delta } from '@aizuchi/shared/platform/change-log/delta';
import { EVERYTHING } from '@aizuchi/shared/platform/change-log/keys';
import type { Clock } from '@aizuchi/shared/platform/clock';
import type { Queryable } from '@aizuchi/shared/platform/db/database';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { isPendingCard, SentCards, toApprovalFrame, toQuestionFrame } from './card-frames.ts';
import { InboxFeed, type InboxSubscriber } from './inbox-feed.ts';
import { cursorAt, decodeCursor, encodeCursor, type LogCursor } from './log-cursor.ts';
import { LogFollower, type LogPosition } from './log-follower.ts';
import { PartialAnswers, type PartialAnswersOptions } from './partial-answers.ts';
import { type FrameSources, lastAboutEach, type RenderedEntry, renderPages } from './project-frames.ts';
import { isListening, type MayHear, type Subscription, toText } from './subscription.ts';

export interface HubOptions {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sources: FrameSources;
  readonly answers: Pick<PartialAnswersOptions, 'storedMessages' | 'membersAtCard'>;
  readonly onFrame?: (count: number) => void;
}

/**
 * A gap of at most this many entries is sent inside the follower's queue. A longer one would delay the other readers.
 */
const LAST_GAP = 100;
/** Above this number, reloading by REST is cheaper than a replay. */
const MAX_REPLAYED = 5_000;

/**
 * Which socket follows which project. A new subscriber is brought up to date in three phases: (1) the entries after
 * its cursor, page by page, beside the live stream; (2) the last small gap, inside the follower's queue, so that no
 * entry can come between; (3) live. No frame is lost or sent twice between the phases.
 */
export class SubscriptionHub {
  readonly #options: HubOptions;
  readonly #follower: LogFollower;
  readonly #live = new Map<string, Set<Subscription>>();
  readonly #inbox: InboxFeed;
  readonly #answers: PartialAnswers;
  readonly #deltas: Delta[] = [];
  /** Entries of the current stretch that were sent before an error. When it is read again, they are not sent again. */
  readonly #sent = new Set<number>();
  #subscriberCount = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    const { db, clock, logger, answers } = options;
    this.#inbox = new InboxFeed(db);
    this.#answers = new PartialAnswers({
      ...answers,
      readers: (projectId) => this.#live.get(projectId) ?? [],
      dropUnauthorized: (projectIds) => this.#dropUnauthorized(projectIds),
    });
    this.#follower = new LogFollower({
      db,
      clock,
      logger,
      deliver: (batch, at) => this.#deliver(batch, at),
      onReplaced: () => this.#closeAll(),
    });
  }

  /** The process's listener calls this. */
  onKeys(dirty: readonly string[]): void {
    if (dirty.some((key) => key === EVERYTHING || key.startsWith('l:'))) this.#follower.wake();
  }

  /** Resolves when the subscription is live or over; throws when the database is not available. */
  async join(subscription: Subscription): Promise<void> {
    this.#subscriberCount += 1;
    this.#follower.follow();
    const { since } = subscription;
    try {
      const cursor = since === undefined ? undefined : await this.#usable(since);
      await this.#catchUp(subscription, cursor, since !== undefined && cursor === undefined);
    } catch (error) {
      const isWanted = isListening(subscription);
      this.leave(subscription);
      if (isWanted) throw error;
    }
  }

  /**
   * A live subscription is asked for again, from a cursor or from now on. False if it must be replaced, because it has
   * not sent everything after that cursor. Otherwise it goes on without a gap, so that no piece of an answer is lost, and
   * the client gets the pending cards and `subscribed`; nothing if it is over. @throws when the database is not
   * available; the subscription goes on then, too
   */
  async confirm(subscription: Subscription, cursorText: string | undefined): Promise<boolean> {
    const { since, projectId, sink } = subscription;
    if (since === undefined || (cursorText !== undefined && cursorText < since)) return false;
    return this.#follower.serially(async () => {
      const position = await this.#follower.advance();
      if (!isListening(subscription)) return true;
      if (cursorText !== undefined && !this.#isReached(cursorText, position)) return false;
      const pending = await this.#pendingCards(projectId);
      await this.#dropUnauthorized([projectId]);
      if (!isListening(subscription)) return true;
      subscription.sentCards = new SentCards();
      this.#sendPendingCards(subscription, pending, position);
      sink.send(this.#subscribed(subscription, position, false));
      return true;
    });
  }

  /** Subscribes to the person's inbox. The first frame is sent at once. */
  async joinInbox(subscriber: InboxSubscriber): Promise<void> {
    this.#subscriberCount += 1;
    this.#follower.follow();
    try {
      await this.#follower.serially(() => this.#follower.advance());
      if (!subscriber.isOver) this.#inbox.join(subscriber);
    } catch (error) {
      this.leaveInbox(subscriber);
      throw error;
    }
  }

  leaveInbox(subscriber: InboxSubscriber): void {
    if (subscriber.isOver) return;
    subscriber.isOver = true;
    this.#inbox.leave(subscriber);
    this.#forgetMember();
  }

  leave(subscription: Subscription): void {
    if (subscription.isOver) return;
    subscription.isOver = true;
    const ofProject = this.#live.get(subscription.projectId);
    ofProject?.delete(subscription);
    if (ofProject?.size === 0) this.#live.delete(subscription.projectId);
    this.#forgetMember();
  }

  /**
   * Sends a piece of a partial answer to the live subscribers. The log does not hold it. It goes through the log's
   * queue, so that no piece follows its own message.
   */
  onDelta(delta: Delta): void {
    if (!this.#live.has(delta.projectId)) return;
    this.#deltas.push(delta);
    if (this.#deltas.length > 1) return;
    this.#follower
      .serially(() => this.#answers.send(this.#deltas.splice(0)))
      .catch((error: unknown) => this.#options.logger.debug({ err: error }, 'a piece of an answer was lost'));
  }

  /**
   * The cursors of all readers belong to an older history. Each reader connects again, and its cursor is answered
   * with `reset`.
   */
  #closeAll(): void {
    const live = [...this.#live.values()].flatMap((ofProject) => [...ofProject].map(({ sink }) => sink));
    for (const sink of new Set([...live, ...this.#inbox.sinks]))
      sink.close(WS_CLOSE.stopping, 'the database was restored');
  }

  #forgetMember(): void {
    this.#subscriberCount -= 1;
    if (this.#subscriberCount > 0) return;
    // The next subscriber begins at another place: the stretch is not read again.
    this.#sent.clear();
    this.#follower.pause();
  }

  /**
   * Undefined for a cursor from before a restore, and for one beyond the horizon of a database whose files were
   * restored.
   */
  async #usable(text: string): Promise<LogCursor | undefined> {
    const cursor = decodeCursor(text, this.#options.clock.now().getTime());
    if (!cursor) return undefined;
    const { horizon, epoch } = await logBounds(this.#options.db);
    return cursor.epoch === epoch && BigInt(cursor.to) <= BigInt(horizon) ? cursor : undefined;
  }

  /** Whether the cursor may be one that this process has sent. */
  #isReached(text: string, { xid, epoch }: LogPosition): boolean {
    const cursor = decodeCursor(text, this.#options.clock.now().getTime());
    return cursor?.epoch === epoch && BigInt(cursor.to) <= BigInt(xid);
  }

  async #catchUp(subscription: Subscription, from: LogCursor | undefined, isReset: boolean): Promise<void> {
    let cursor = from;
    let reset = isReset;
    while (isListening(subscription)) {
      if (cursor) {
        const replayed = await this.#replay(subscription, cursor);
        cursor = replayed;
        reset ||= replayed === undefined;
      }
      if (await this.#goLive(subscription, cursor, reset)) return;
    }
  }

  /** Sends the entries from the cursor until now. Returns undefined if there are too many. */
  async #replay(subscription: Subscription, from: LogCursor): Promise<LogCursor | undefined> {
    const rest = await this.#stretch(subscription, from, MAX_REPLAYED + 1);
    const { horizon } = await logBounds(this.#options.db);
    const since = { ...from, from: from.to, to: horizon, afterId: 0 };
    const later = await this.#stretch(subscription, since, MAX_REPLAYED + 1);
    if (rest.length + later.length > MAX_REPLAYED) return undefined;
    const kept = new Set(lastAboutEach([...rest, ...later]));
    for (const [entries, cursor] of [
      [rest, from],
      [later, since],
    ] as const) {
      const wanted = entries.filter((entry) => kept.has(entry));
      for await (const { frames } of this.#pages(wanted, cursor)) {
        if (!isListening(subscription)) break;
        await this.#requireRight(subscription);
        for (const { text } of this.#heardBy(subscription, frames.filter(isResolvedOrNoCard))) {
          if (!isListening(subscription)) break;
          await subscription.sink.sendUntilAccepted(text(subscription));
        }
      }
    }
    return { ...since, from: horizon, afterId: Number.MAX_SAFE_INTEGER };
  }

  /**
   * Runs inside the follower's queue: sends the last gap, then goes live. Returns false if the gap has grown and
   * needs a replay first.
   */
  #goLive(subscription: Subscription, cursor: LogCursor | undefined, reset: boolean): Promise<boolean> {
    return this.#follower.serially(async () => {
      if (!isListening(subscription)) return true;
      const { projectId, sink } = subscription;
      const position = await this.#follower.advance();
      // The database was restored during the replay: two histories have no gap between them.
      const isOther = cursor !== undefined && cursor.epoch !== position.epoch;
      const gap = cursor && !isOther && { ...cursor, from: cursor.to, to: position.xid, afterId: 0 };
      const entries = gap ? await this.#stretch(subscription, gap, LAST_GAP + 1) : [];
      if (entries.length > LAST_GAP) return false;
      const page = gap && (await this.#pages(entries, gap).next()).value;
      // More than one page: the queue does not wait for a slow reader.
      if (page && !page.isLast) return false;
      const frames = page ? page.frames : [];
      const pending = await this.#pendingCards(projectId);
      await this.#requireRight(subscription);
      if (!isListening(subscription)) return true;
      for (const { text } of this.#heardBy(subscription, frames.filter(isResolvedOrNoCard)))
        sink.send(text(subscription));
      this.#sendPendingCards(subscription, pending, position);
      if (!isListening(subscription)) return true;
      this.#live.set(projectId, (this.#live.get(projectId) ?? new Set()).add(subscription));
      if (!gap || reset) subscription.since = encodeCursor(cursorAt(position));
      sink.send(this.#subscribed(subscription, position, reset || isOther));
      return true;
    });
  }

  #subscribed({ projectId }: Subscription, position: LogPosition, reset: boolean): string {
    return toText({ type: 'subscribed', projectId, cursor: encodeCursor(cursorAt(position)), reset });
  }

  async #pendingCards(projectId: string): Promise<readonly CardFrame[]> {
    const { sources } = this.#options;
    const [questions, approvals] = await Promise.all([
      sources.pendingQuestions(projectId),
      sources.pendingApprovals(projectId),
    ]);
    return [...questions.map(toQuestionFrame), ...approvals.map(toApprovalFrame)];
  }

  /** Sends every pending card from the tables. Their cursors are lower than that of `subscribed`. */
  #sendPendingCards(subscription: Subscription, pending: readonly CardFrame[], position: LogPosition): void {
    const { projectId, sink, sentCards } = subscription;
    const here = cursorAt(position);
    for (const [index, body] of pending.entries()) {
      if (!isListening(subscription) || !sentCards.isNew(body)) continue;
      const cursor = encodeCursor({ ...here, afterId: here.afterId - pending.length + index });
      sink.send(toText({ ...body, projectId, cursor }));
    }
  }

  /**
   * The last read before sending, so rows that were loaded before it were visible to the person. A person who has
   * lost the project since the request gets the same error as any person who may not see it. It does not throw when
   * the subscription was ended meanwhile, by a check of its socket: the caller must look.
   */
  async #requireRight(subscription: Subscription): Promise<void> {
    const maySee = await whoMaySee(this.#options.db, [toHearer(subscription)]);
    const { projectId, personId } = toHearer(subscription);
    if (isListening(subscription) && !maySee(projectId, personId)) throw projectNotFound();
  }

  /**
   * Ends the subscriptions to these projects of people who may not see them any more; the hint that a right was
   * removed may come late or be lost. Returns the rights that it read, also for the people in `others`.
   */
  async #dropUnauthorized(projectIds: Iterable<string>, others: readonly Hearer[] = []): Promise<MayHear> {
    const subscriptions = [...new Set(projectIds)].flatMap((id) => [...(this.#live.get(id) ?? [])]);
    const maySee = await whoMaySee(this.#options.db, [...subscriptions.map(toHearer), ...others]);
    for (const subscription of subscriptions) {
      const { projectId, personId } = toHearer(subscription);
      if (isListening(subscription) && !maySee(projectId, personId)) subscription.sink.lose(subscription);
    }
    return maySee;
  }

  async #stretch(
    { projectId }: Subscription,
    cursor: LogCursor,
    limit: number,
  ): Promise<readonly LogEntry[]> {
    if (cursor.from === cursor.to) return [];
    return readLogStretch(this.#options.db, { ...cursor, projectId, limit });
  }

  /** A frame is serialized once for all readers of a project. `text` adds the project if the log entry has none. */
  async *#pages(entries: readonly LogEntry[], cursor: LogCursor) {
    for await (const { frames, isLast } of renderPages(entries, this.#options.sources))
      yield { isLast, frames: frames.map((frame) => this.#written(frame, cursor)) };
  }

  #written(frame: RenderedEntry, cursor: LogCursor) {
    const texts = new Map<string, string>();
    const text = ({ projectId }: Subscription) => {
      const known = texts.get(projectId);
      if (known !== undefined) return known;
      const position = encodeCursor({ ...cursor, afterId: frame.entry.id });
      const made = toText({ ...frame.body, projectId, cursor: position });
      texts.set(projectId, made);
      return made;
    };
    return { ...frame, text };
  }

  #heardBy<F extends RenderedEntry>({ sink, sentCards }: Subscription, frames: readonly F[]): readonly F[] {
    return frames.filter(
      ({ humanId, body }) => (humanId === undefined || humanId === sink.person.id) && sentCards.isNew(body),
    );
  }

  async #deliver(batch: LogBatch, at: number): Promise<void> {
    const followed = batch.entries.filter(
      (entry) => entry.projectId === null || this.#live.has(entry.projectId) || this.#inbox.wants(entry),
    );
    const due = lastAboutEach(followed).filter(({ id }) => !this.#sent.has(id));
    const inboxNews = await this.#inbox.news(batch.entries);
    const { from, to, epoch } = batch;
    let isInboxTold = false;
    for await (const { frames } of this.#pages(due, { from, to, epoch, afterId: 0, at })) {
      // The last read before sending: if it fails, nothing of this page was sent.
      const projectIds = frames.flatMap(({ entry }) => entry.projectId ?? []);
      const maySee = await this.#dropUnauthorized(projectIds, this.#inbox.hearers(inboxNews));
      this.#send(frames);
      this.#inbox.deliver(inboxNews, frames, maySee);
      isInboxTold = true;
      this.#answers.note(frames.map(({ entry, body }) => ({ projectId: entry.projectId ?? '', body })));
      for (const { entry } of frames) this.#sent.add(entry.id);
    }
    if (!isInboxTold && inboxNews.length > 0)
      this.#inbox.deliver(inboxNews, [], await this.#dropUnauthorized([], this.#inbox.hearers(inboxNews)));
    await this.#answers.discardEnded();
    this.#inbox.tellOfProjects(batch.entries);
    this.#sent.clear();
  }

  #send(frames: readonly (RenderedEntry & { text: (subscription: Subscription) => string })[]): void {
    let sent = 0;
    for (const frame of frames) {
      for (const subscription of this.#audience(frame)) {
        if (!subscription.sentCards.isNew(frame.body)) continue;
        subscription.sink.send(frame.text(subscription));
        sent += 1;
      }
    }
    this.#options.onFrame?.(sent);
  }

  #audience({ entry, humanId }: RenderedEntry): readonly Subscription[] {
    const members =
      entry.projectId === null
        ? [...this.#live.values()].flatMap((ofProject) => [...ofProject])
        : [...(this.#live.get(entry.projectId) ?? [])];
    return humanId === undefined ? members : members.filter(({ sink }) => sink.person.id === humanId);
  }
}

function toHearer({ projectId, sink }: Subscription): Hearer {
  return { projectId, personId: sink.person.id };
}

/** False for a pending card: those come from the tables at the end of every replay. */
function isResolvedOrNoCard({ body }: RenderedEntry): boolean {
  return !isPendingCard(body);
}
