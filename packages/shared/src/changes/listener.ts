import pg from 'pg';
import type { Logger } from '../logger.ts';
import { DELTA_CHANNEL, type Delta, parseDelta } from './delta.ts';
import { EVERYTHING } from './keys.ts';
import { CHANNEL } from './notifier.ts';

export interface ListenerOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Gets the dirty keys of one NOTIFY, or [EVERYTHING] after a reconnect and at each slow poll. */
  readonly onKeys: (keys: readonly string[]) => void;
  /** Growing answers, for processes that show them. */
  readonly onDelta?: (delta: Delta) => void;
  /** The safety net for hints that got lost with a dying process. */
  readonly pollIntervalMs?: number;
}

const RECONNECT_DELAYS_MS = [100, 200, 500, 1_000, 2_000];

/** One LISTEN for the whole process, on a connection of its own; comes back by itself. */
export class Listener {
  readonly #options: ListenerOptions;
  #client: pg.Client | undefined;
  #poll: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopped = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Resolves once it listens (or once the first try has failed; it goes on trying). */
  async start(): Promise<void> {
    this.#poll = setInterval(() => this.#options.onKeys([EVERYTHING]), this.#options.pollIntervalMs ?? 1_000);
    await this.#connect();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#poll);
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    if (this.#stopped) return;
    const client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'aizuchi-listen',
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload }) => {
      if (!payload) return;
      if (channel === CHANNEL) return this.#options.onKeys(payload.split(','));
      const delta = parseDelta(payload);
      if (delta) this.#options.onDelta?.(delta);
    });
    let lost = false;
    const onLost = (error?: Error) => {
      if (lost || this.#stopped) return;
      lost = true;
      this.#options.logger.warn({ err: error }, 'listener lost its connection');
      client.removeAllListeners('notification');
      client.end().catch(() => undefined);
      this.#scheduleReconnect();
    };
    client.on('error', onLost);
    client.on('end', () => onLost());
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      if (this.#options.onDelta) await client.query(`listen ${DELTA_CHANNEL}`);
      this.#client = client;
      this.#failures = 0;
      // What was committed while nobody listened.
      this.#options.onKeys([EVERYTHING]);
    } catch (error) {
      onLost(error instanceof Error ? error : undefined);
    }
  }

  #scheduleReconnect(): void {
    const delay = RECONNECT_DELAYS_MS[Math.min(this.#failures, RECONNECT_DELAYS_MS.length - 1)];
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.#connect(), delay);
  }
}
