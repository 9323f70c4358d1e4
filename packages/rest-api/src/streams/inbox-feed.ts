import type { Hearer } from '@aizuchi/shared/core/access/person';
import { inboxesConcernedBy } from '@aizuchi/shared/core/inbox/inbox-service';
import type { FactKind, LogEntry } from '@aizuchi/shared/platform/change-log/change-log';
import type { Queryable } from '@aizuchi/shared/platform/db/database';
import { isCardFrame } from './card-frames.ts';
import type { RenderedEntry } from './project-frames.ts';
import { type FrameSink, type MayHear, toText } from './subscription.ts';

/** One socket that follows its person's inbox. */
export interface InboxSubscriber {
  readonly sink: FrameSink;
  /** True for a project whose frames the socket gets by its own subscription. */
  follows(projectId: string): boolean;
  /** The socket has left, possibly before `join` was done. */
  isOver: boolean;
}

/** An inbox may have changed: those of all people who see the project, or that of one person. */
export interface InboxNews {
  readonly projectId: string;
  readonly humanId?: string | undefined;
}

/** Kinds of change events that can change an inbox (core/inbox/inbox-service.ts). */
const KINDS: ReadonlySet<FactKind> = new Set(['message', 'run', 'task', 'question', 'approval', 'unread']);
/** At most one frame in this time: a busy chat must not make every page read its inbox ten times a second. */
const MIN_FRAME_INTERVAL_MS = 500;
const CHANGED = toText({ type: 'inbox_changed' });
const PROJECTS_CHANGED = toText({ type: 'projects_changed' });

/**
 * Sends the inbox of a person to its sockets: that something may have changed, that the projects of the person may have
 * changed, and the questions and approvals of projects that the socket does not follow.
 */
export class InboxFeed {
  readonly #subscribers = new Map<InboxSubscriber, { timer: NodeJS.Timeout | undefined; isDue: boolean }>();
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  get size(): number {
    return this.#subscribers.size;
  }

  get sinks(): readonly FrameSink[] {
    return [...this.#subscribers.keys()].map(({ sink }) => sink);
  }

  join(subscriber: InboxSubscriber): void {
    this.#subscribers.set(subscriber, { timer: undefined, isDue: false });
    this.#changed(subscriber);
  }

  leave(subscriber: InboxSubscriber): void {
    clearTimeout(this.#subscribers.get(subscriber)?.timer);
    this.#subscribers.delete(subscriber);
  }

  /** True if an entry must be rendered although no socket follows its project. */
  wants(entry: LogEntry): boolean {
    return this.size > 0 && (entry.kind === 'question' || entry.kind === 'approval');
  }

  /**
   * Which inboxes these entries may change. An entry about a person's message concerns that person only, and what
   * agents say to each other concerns no inbox. Without this check each step of each chat would make every page that
   * may see the project read its inbox.
   */
  async news(entries: readonly LogEntry[]): Promise<readonly InboxNews[]> {
    if (this.size === 0) return [];
    const concerned = await inboxesConcernedBy(
      this.#db,
      entries.flatMap(({ kind, ref }) =>
        kind === 'message' && ref.messageId !== undefined ? [ref.messageId] : [],
      ),
    );
    return entries.flatMap(({ projectId, kind, ref }): InboxNews[] => {
      if (projectId === null || !KINDS.has(kind)) return [];
      if (kind === 'unread') return [{ projectId, humanId: ref.humanId }];
      if (kind !== 'message') return [{ projectId }];
      const humanId = concerned.get(ref.messageId ?? '');
      return humanId === undefined ? [] : [{ projectId, humanId: humanId ?? undefined }];
    });
  }

  /** The people and projects whose rights `deliver` needs. */
  hearers(news: readonly InboxNews[]): readonly Hearer[] {
    const projectIds = new Set(news.map(({ projectId }) => projectId));
    const personIds = new Set([...this.#subscribers.keys()].map(({ sink }) => sink.person.id));
    return [...projectIds].flatMap((projectId) =>
      [...personIds].map((personId) => ({ projectId, personId })),
    );
  }

  /** Synchronous: after an error in the middle, the frames could only be sent twice. */
  deliver(news: readonly InboxNews[], frames: readonly RenderedEntry[], mayHear: MayHear): void {
    if (news.length === 0) return;
    for (const subscriber of [...this.#subscribers.keys()]) {
      const { id } = subscriber.sink.person;
      const isMine = ({ projectId, humanId }: InboxNews) =>
        (humanId === undefined || humanId === id) && mayHear(projectId, id);
      if (!news.some(isMine)) continue;
      for (const { entry, body } of frames) {
        const { projectId } = entry;
        if (!isCardFrame(body)) continue;
        if (projectId === null || subscriber.follows(projectId) || !mayHear(projectId, id)) continue;
        subscriber.sink.send(toText({ ...body, projectId }));
      }
      this.#changed(subscriber);
    }
  }

  /** Needs no check of rights: the frame names no project, and the list that is read after it is checked. */
  tellOfProjects(entries: readonly LogEntry[]): void {
    if (!entries.some(({ kind }) => kind === 'projects')) return;
    for (const { sink } of this.#subscribers.keys()) sink.send(PROJECTS_CHANGED);
  }

  #changed(subscriber: InboxSubscriber): void {
    const state = this.#subscribers.get(subscriber);
    if (!state) return;
    if (state.timer !== undefined) {
      state.isDue = true;
      return;
    }
    subscriber.sink.send(CHANGED);
    state.timer = setTimeout(() => {
      state.timer = undefined;
      if (!state.isDue) return;
      state.isDue = false;
      this.#changed(subscriber);
    }, MIN_FRAME_INTERVAL_MS);
    state.timer.unref();
  }
}
