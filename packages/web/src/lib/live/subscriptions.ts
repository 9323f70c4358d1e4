import { Retry } from './retry.ts';
import type { ClientFrame } from './wire.ts';

interface Subscription {
  /** One entry for each part of the page that follows the project: the viewer id of an open chat, or undefined. */
  readonly followers: (string | undefined)[];
  readonly retry: Retry;
  /** Undefined until it is confirmed, and after it was refused. */
  cursor: string | undefined;
}

/** The followed projects of one socket: one subscription each, however many parts of the page follow it. */
export class Subscriptions {
  readonly #byProject = new Map<string, Subscription>();
  readonly #send: (frame: ClientFrame) => void;
  readonly #delayMs: (failures: number) => number;

  /** `send` drops frames while the socket is not open; `resubscribe` repeats them when it is. */
  constructor(send: (frame: ClientFrame) => void, delayMs: (failures: number) => number) {
    this.#send = send;
    this.#delayMs = delayMs;
  }

  get projectIds(): readonly string[] {
    return [...this.#byProject.keys()];
  }

  has(projectId: string): boolean {
    return this.#byProject.has(projectId);
  }

  /** Subscribes to the project until the returned function is called. */
  follow(projectId: string, viewerId: string | undefined): () => void {
    const subscription = this.#byProject.get(projectId) ?? this.#add(projectId);
    const { followers } = subscription;
    followers.push(viewerId);
    if (followers.length === 1 || viewerId !== undefined) this.#subscribe(projectId, subscription);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      followers.splice(followers.lastIndexOf(viewerId), 1);
      if (followers.length === 0) {
        this.#byProject.delete(projectId);
        subscription.retry.over();
        this.#send({ type: 'unsubscribe', projectId });
      } else if (viewerId !== undefined) this.#subscribe(projectId, subscription);
    };
  }

  /** After a reconnect: every project from its cursor on. */
  resubscribe(): void {
    for (const [projectId, subscription] of this.#byProject) this.#subscribe(projectId, subscription);
  }

  /** The server could not serve the subscription, and may have ended the one before it: repeats it after a backoff. */
  failed(projectId: string): void {
    this.#byProject.get(projectId)?.retry.later();
  }

  /** The person may not follow the project now. What changes until it is given back is not replayed. */
  refused(projectId: string): void {
    const subscription = this.#byProject.get(projectId);
    if (subscription) subscription.cursor = undefined;
  }

  /** The rights of the person may have changed: asks again for what was refused. */
  retryRefused(): void {
    for (const [projectId, subscription] of this.#byProject)
      if (subscription.cursor === undefined) this.#subscribe(projectId, subscription);
  }

  /** The server has confirmed the subscription; returns whether it had no cursor before. */
  confirmed(projectId: string, cursor: string): boolean {
    this.#byProject.get(projectId)?.retry.over();
    return this.advance(projectId, cursor);
  }

  /** Stores the cursor of a followed project; returns whether it had none before. */
  advance(projectId: string, cursor: string): boolean {
    const subscription = this.#byProject.get(projectId);
    const isFirst = subscription?.cursor === undefined;
    if (subscription) subscription.cursor = cursor;
    return isFirst;
  }

  #add(projectId: string): Subscription {
    const subscription: Subscription = {
      followers: [],
      retry: new Retry(() => this.#subscribe(projectId, subscription), this.#delayMs),
      cursor: undefined,
    };
    this.#byProject.set(projectId, subscription);
    return subscription;
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
