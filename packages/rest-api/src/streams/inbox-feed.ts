import type { FactKind, LogEntry } from '@aizuchi/shared/changes/change-log';
import type { Hearer } from '@aizuchi/shared/services/person';
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

/** Facts about things that wait for people (services/inbox-service.ts). */
const KINDS: ReadonlySet<FactKind> = new Set(['message', 'run', 'task', 'question', 'unread']);
/** A busy chat must not make every page read its inbox ten times a second. */
const AT_MOST_EVERY_MS = 500;
const CHANGED = toText({ type: 'inbox_changed' });

/** Beyond the projects that a socket follows: that something may wait, and the questions themselves. */
export class InboxFeed {
  readonly #subscribers = new Map<InboxSubscriber, { timer: NodeJS.Timeout | undefined; isDue: boolean }>();

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

  /** Whose rights `deliver` will ask for. */
  hearers(entries: readonly LogEntry[]): readonly Hearer[] {
    if (this.size === 0) return [];
    const projectIds = new Set(entries.filter(isNews).flatMap(({ projectId }) => projectId ?? []));
    const personIds = new Set([...this.#subscribers.keys()].map(({ sink }) => sink.person.id));
    return [...projectIds].flatMap((projectId) =>
      [...personIds].map((personId) => ({ projectId, personId })),
    );
  }

  /** Asks nothing and waits for nothing: what is half told could only be told again. */
  deliver(entries: readonly LogEntry[], frames: readonly RenderedEntry[], mayHear: MayHear): void {
    const news = entries.filter(isNews);
    if (news.length === 0) return;
    for (const subscriber of [...this.#subscribers.keys()]) {
      const { id } = subscriber.sink.person;
      const isMine = ({ projectId, kind, ref }: LogEntry) =>
        projectId !== null && (kind !== 'unread' || ref.humanId === id) && mayHear(projectId, id);
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

function isNews({ projectId, kind }: LogEntry): boolean {
  return projectId !== null && KINDS.has(kind);
}
