import type { FactKind, LogEntry } from '@aizuchi/shared/changes/change-log';
import type { Queryable } from '@aizuchi/shared/db/database';
import { membershipsAmong } from '@aizuchi/shared/services/person';
import type { RenderedEntry } from './project-frames.ts';
import { type FrameSink, toText } from './subscription.ts';

/** One socket that wants to know when its person's inbox may have changed. */
export interface InboxSubscriber {
  readonly sink: FrameSink;
  /** What it follows brings its own frames. */
  follows(projectId: string): boolean;
  /** It has left, maybe while it was being let in. */
  isOver: boolean;
}

/** Facts about things that wait for people (services/inbox-service.ts). */
const KINDS: ReadonlySet<FactKind> = new Set(['message', 'run', 'task', 'question', 'unread']);
/** A busy chat must not make every page read its inbox ten times a second. */
const AT_MOST_EVERY_MS = 500;
const CHANGED = toText({ type: 'inbox_changed' });

/** Beyond the projects that a socket follows: that something may wait, and the questions themselves. */
export class InboxFeed {
  readonly #db: Queryable;
  readonly #subscribers = new Map<InboxSubscriber, { timer: NodeJS.Timeout | undefined; isDue: boolean }>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  get size(): number {
    return this.#subscribers.size;
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

  async deliver(entries: readonly LogEntry[], frames: readonly RenderedEntry[]): Promise<void> {
    if (this.size === 0) return;
    const news = entries.filter(({ kind, projectId }) => projectId !== null && KINDS.has(kind));
    if (news.length === 0) return;
    const mayHear = await this.#rights(news);
    for (const subscriber of [...this.#subscribers.keys()]) {
      const { person } = subscriber.sink;
      const isMine = ({ projectId, kind, ref }: LogEntry) =>
        projectId !== null && (kind !== 'unread' || ref.humanId === person.id) && mayHear(person, projectId);
      if (!news.some(isMine)) continue;
      for (const { entry, body } of frames) {
        const { projectId } = entry;
        if (body.type !== 'user_question' && body.type !== 'question_resolved') continue;
        if (projectId === null || subscriber.follows(projectId) || !mayHear(person, projectId)) continue;
        subscriber.sink.send(toText({ ...body, projectId }));
      }
      this.#changed(subscriber);
    }
  }

  /** One read for all: who of the listening may see which of these projects. */
  async #rights(news: readonly LogEntry[]) {
    const projectIds = [...new Set(news.flatMap(({ projectId }) => projectId ?? []))];
    const persons = [...this.#subscribers.keys()].map(({ sink }) => sink.person);
    const others = persons.filter(({ accessLevel }) => accessLevel !== 'owner').map(({ id }) => id);
    const members = await membershipsAmong(this.#db, [...new Set(others)], projectIds);
    return (person: FrameSink['person'], projectId: string) =>
      person.accessLevel === 'owner' || members.has(`${projectId}/${person.id}`);
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
