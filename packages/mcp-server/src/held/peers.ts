import { keys } from '@aizuchi/shared/platform/change-log/keys';
import type { Clock } from '@aizuchi/shared/platform/clock';

const ANNOUNCE_INTERVAL_MS = 10_000;
/** After three missed announcements a process counts as ended. */
const FORGET_AFTER_MS = 30_000;

export interface PeersOptions {
  readonly instanceId: string;
  readonly clock: Clock;
  readonly notify: (keys: string[]) => void;
  /** A newer call of this session arrived at another process. */
  readonly onNewerCall: (sessionId: string, openedBefore: number) => void;
}

/**
 * Other mcp-server processes on the same database: a newer call at one of them ends the older call here. The
 * message travels by NOTIFY (`keys.newerCall`), and only while another process is known (`keys.peer`, every
 * 10 s): without other processes a held call must not cost a notification.
 */
export class Peers {
  readonly #options: PeersOptions;
  readonly #lastHeard = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  /** Other processes whose announcement was received lately. */
  get count(): number {
    return this.#lastHeard.size;
  }

  start(): void {
    this.#announce();
    this.#timer = setInterval(() => this.#announce(), ANNOUNCE_INTERVAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Announces that the newest call of this session is at this process. */
  announceCall(sessionId: string): void {
    if (this.#lastHeard.size === 0) return;
    const { instanceId, clock, notify } = this.#options;
    notify([keys.newerCall(instanceId, sessionId, clock.now().getTime())]);
  }

  onKeys(dirty: readonly string[]): void {
    for (const key of dirty) {
      if (key.startsWith('p:')) this.#heard(key.slice(2));
      else if (key.startsWith('h:')) this.#newerCall(key.slice(2).split('/'));
    }
  }

  #newerCall([instanceId, sessionId, openedAt]: string[]): void {
    if (instanceId === undefined || instanceId === this.#options.instanceId) return;
    this.#heard(instanceId);
    if (sessionId !== undefined && openedAt !== undefined)
      this.#options.onNewerCall(sessionId, Number(openedAt));
  }

  #heard(instanceId: string): void {
    if (instanceId === this.#options.instanceId) return;
    const isNew = !this.#lastHeard.has(instanceId);
    this.#lastHeard.set(instanceId, this.#options.clock.now().getTime());
    // A process that has just started thereby knows this one before its first held call.
    if (isNew) this.#announce();
  }

  #announce(): void {
    const now = this.#options.clock.now().getTime();
    for (const [instanceId, at] of this.#lastHeard)
      if (now - at > FORGET_AFTER_MS) this.#lastHeard.delete(instanceId);
    this.#options.notify([keys.peer(this.#options.instanceId)]);
  }
}
