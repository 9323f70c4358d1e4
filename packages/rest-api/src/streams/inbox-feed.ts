import type { Hearer } from '@aizuchi/shared/core/access/person';
import { inboxesConcernedBy } from '@aizuchi/shared/core/inbox/inbox-service';
import type { FactKind, LogEntry } from '@aizuchi/shared/platform/changes/change-log';
import type { Queryable } from '@aizuchi/shared/platform/db/database';
import type { RenderedEntry } from './project-frames.ts';
import { type FrameSink, type MayHear, toText } from './subscription.ts';

/** One socket that wants to know when its person's inbox may have changed. */
export interface InboxSubscriber {
  readonly sink: FrameSink;
  /** What it follows brings its own frames. */
  follows(projectId: string): boolean;
  /** It has left, maybe while it was being let in. */
  isOver: boolean;
}

/** Somebody's inbox may have changed: everybody's who sees the project, or one person's. */
export interface InboxNews {
  readonly projectId: string;
  readonly humanId?: string | undefined;
}

/** Facts about things that wait for people (core/inbox/inbox-service.ts). */
const KINDS: ReadonlySet<FactKind> = new Set(['message', 'run', 'task', 'question', 'unread']);
/** A busy chat must not make every page read its inbox ten times a second. */
const AT_MOST_EVERY_MS = 500;
const CHANGED = toText({ type: 'inbox_changed' });

/** Beyond the projects that a socket follows: that something may wait, and the questions themselves. */
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

  /** Whether an entry of a project that nobody follows must be rendered nevertheless. */
  wants(entry: LogEntry): boolean {
    return this.size > 0 && entry.kind === 'question';
  }

  /**
   * What these entries mean for inboxes. What happens to a person's message means something to that person, what agents
   * say to each other nothing: without this look each step of each chat would make every page that may see the project
   * read its inbox.
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

  /** Whose rights `deliver` will ask for. */
  hearers(news: readonly InboxNews[]): readonly Hearer[] {
    const projectIds = new Set(news.map(({ projectId }) => projectId));
    const personIds = new Set([...this.#subscribers.keys()].map(({ sink }) => sink.person.id));
    return [...projectIds].flatMap((projectId) =>
      [...personIds].map((personId) => ({ projectId, personId })),
    );
  }

  /** Asks nothing and waits for nothing: what is half told could only be told again. */
  deliver(news: readonly InboxNews[], frames: readonly RenderedEntry[], mayHear: MayHear): void {
    if (news.length === 0) return;
    for (const subscriber of [...this.#subscribers.keys()]) {
      const { id } = subscriber.sink.person;
      const isMine = ({ projectId, humanId }: InboxNews) =>
        (humanId === undefined || humanId === id) && mayHear(projectId, id);
      if (!news.some(isMine)) continue;
      for (const { entry, body } of frames) {
        const { projectId } = entry;
        if (body.type !== 'user_question' && body.type !== 'question_resolved') continue;
        if (projectId === null || subscriber.follows(projectId) || !mayHear(projectId, id)) continue;
        subscriber.sink.send(toText({ ...body, projectId }));
      }
      this.#changed(subscriber);
    }
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
    }, AT_MOST_EVERY_MS);
    state.timer.unref();
  }
}
