import type { ClientFrame } from './wire.ts';

interface Subscription {
  /** The viewer ids of open chats, the newest last: its lease is renewed. */
  readonly viewers: string[];
  followers: number;
  cursor: string | undefined;
}

/** The followed projects of one socket: one subscription each, however many parts of the page follow it. */
export class Subscriptions {
  readonly #byProject = new Map<string, Subscription>();
  readonly #send: (frame: ClientFrame) => void;

  /** `send` drops frames while the socket is not open; `resubscribe` repeats them when it is. */
  constructor(send: (frame: ClientFrame) => void) {
    this.#send = send;
  }

  get projectIds(): readonly string[] {
    return [...this.#byProject.keys()];
  }

  has(projectId: string): boolean {
    return this.#byProject.has(projectId);
  }

  /** Subscribes to the project until the returned function is called. */
  follow(projectId: string, viewerId: string | undefined): () => void {
    const subscription = this.#byProject.get(projectId) ?? { viewers: [], followers: 0, cursor: undefined };
    const isNew = subscription.followers === 0;
    subscription.followers += 1;
    if (viewerId !== undefined) subscription.viewers.push(viewerId);
    this.#byProject.set(projectId, subscription);
    if (isNew || viewerId !== undefined) this.#subscribe(projectId, subscription);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#unfollow(projectId, subscription, viewerId);
    };
  }

  /** After a reconnect: every project from its cursor on. */
  resubscribe(): void {
    for (const [projectId, subscription] of this.#byProject) this.#subscribe(projectId, subscription);
  }

  /** Remembers the cursor; returns whether there was none before. */
  advance(projectId: string, cursor: string): boolean {
    const subscription = this.#byProject.get(projectId);
    if (!subscription) return false;
    const isFirst = subscription.cursor === undefined;
    subscription.cursor = cursor;
    return isFirst;
  }

  #unfollow(projectId: string, subscription: Subscription, viewerId: string | undefined): void {
    subscription.followers -= 1;
    if (viewerId !== undefined) subscription.viewers.splice(subscription.viewers.lastIndexOf(viewerId), 1);
    if (subscription.followers > 0) {
      if (viewerId !== undefined) this.#subscribe(projectId, subscription);
      return;
    }
    this.#byProject.delete(projectId);
    this.#send({ type: 'unsubscribe', projectId });
  }

  #subscribe(projectId: string, { cursor, viewers }: Subscription): void {
    const viewerId = viewers.at(-1);
    this.#send({
      type: 'subscribe',
      projectId,
      ...(cursor !== undefined && { cursor }),
      ...(viewerId !== undefined && { viewerId }),
    });
  }
}
