import { Retry } from './retry.ts';
import type { ClientFrame } from './wire.ts';

interface Subscription {
  /** One entry for each part of the page that follows the project: the viewer id of an open chat, or undefined. */
  readonly followers: (string | undefined)[];
  readonly retry: Retry;
  cursor: string | undefined;
  /** Refused: the person may not follow it now. */
  state: 'asked' | 'confirmed' | 'refused';
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
    if (!subscription) return;
    subscription.state = 'refused';
    subscription.cursor = undefined;
  }

  /** The rights of the person may have changed: asks again for what was refused. */
  retryRefused(): void {
    for (const [projectId, subscription] of this.#byProject)
      if (subscription.state === 'refused') this.#subscribe(projectId, subscription);
  }

  /**
   * The server has confirmed a followed project's subscription. Returns whether what was read before may be stale: the
   * cursor tells nothing, as frames of pending cards come before the first confirmation.
   */
  confirmed(projectId: string, cursor: string): boolean {
    const subscription = this.#byProject.get(projectId);
    if (!subscription) return false;
    const isFirst = subscription.state !== 'confirmed';
    subscription.state = 'confirmed';
    subscription.cursor = cursor;
    subscription.retry.over();
    return isFirst;
  }

  /** Stores the cursor of a followed project. */
  advance(projectId: string, cursor: string): void {
    const subscription = this.#byProject.get(projectId);
    if (subscription) subscription.cursor = cursor;
  }

  #add(projectId: string): Subscription {
    const subscription: Subscription = {
      followers: [],
      retry: new Retry(() => this.#subscribe(projectId, subscription), this.#delayMs),
      cursor: undefined,
      state: 'asked',
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
