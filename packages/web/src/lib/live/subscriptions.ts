import type { ClientFrame } from './wire.ts';

interface Subscription {
  /** One entry for each part of the page that follows the project: the viewer id of an open chat, or undefined. */
  readonly followers: (string | undefined)[];
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
    const subscription = this.#byProject.get(projectId) ?? { followers: [], cursor: undefined };
    const { followers } = subscription;
    this.#byProject.set(projectId, subscription);
    followers.push(viewerId);
    if (followers.length === 1 || viewerId !== undefined) this.#subscribe(projectId, subscription);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      followers.splice(followers.lastIndexOf(viewerId), 1);
      if (followers.length === 0) {
        this.#byProject.delete(projectId);
        this.#send({ type: 'unsubscribe', projectId });
      } else if (viewerId !== undefined) this.#subscribe(projectId, subscription);
    };
  }

  /** After a reconnect: every project from its cursor on. */
  resubscribe(): void {
    for (const [projectId, subscription] of this.#byProject) this.#subscribe(projectId, subscription);
  }

  /** Stores the cursor of a followed project; returns whether it had none before. */
  advance(projectId: string, cursor: string): boolean {
    const subscription = this.#byProject.get(projectId);
    const isFirst = subscription?.cursor === undefined;
    if (subscription) subscription.cursor = cursor;
    return isFirst;
  }

  /** Of several viewers the newest is sent: its lease is renewed. */
  #subscribe(projectId: string, { cursor, followers }: Subscription): void {
    const viewerId = followers.findLast((id) => id !== undefined);
    this.#send({
      type: 'subscribe',
      projectId,
      ...(cursor !== undefined && { cursor }),
      ...(viewerId !== undefined && { viewerId }),
    });
  }
}
