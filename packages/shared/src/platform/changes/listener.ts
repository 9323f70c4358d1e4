import type { Logger } from '../logger.ts';
import { DELTA_CHANNEL, type Delta, parseDelta } from './delta.ts';
import { type HintLine, openHintLine } from './hint-line.ts';
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

/** With the time an answer may take: how long a line that is silently cut goes unnoticed. */
const PROBE_EVERY_MS = 1_500;
const RECONNECT_DELAYS_MS = [100, 200, 500, 1_000, 2_000];

/** One LISTEN for the whole process, on a connection of its own; comes back by itself. */
export class Listener {
  readonly #options: ListenerOptions;
  #line: HintLine | undefined;
  #poll: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
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
    clearTimeout(this.#probe);
    await this.#line?.end();
  }

  async #connect(): Promise<void> {
    if (this.#stopped) return;
    const line = openHintLine({
      url: this.#options.url,
      applicationName: 'aizuchi-listen',
      onLost: (error) => this.#onLost(line, error),
    });
    this.#line = line;
    const { client } = line;
    client.on('notification', ({ channel, payload }) => {
      if (!payload) return;
      if (channel === CHANNEL) return this.#options.onKeys(payload.split(','));
      const delta = parseDelta(payload);
      if (delta) this.#options.onDelta?.(delta);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      if (this.#options.onDelta) await client.query(`listen ${DELTA_CHANNEL}`);
    } catch (error) {
      this.#onLost(line, error instanceof Error ? error : undefined);
      return;
    }
    if (this.#line !== line || this.#stopped) return;
    this.#failures = 0;
    // What was committed while nobody listened.
    this.#options.onKeys([EVERYTHING]);
    this.#scheduleProbe(line);
  }

  /** Nothing is ever said on a quiet line: only a question tells whether it still carries anything. */
  #scheduleProbe(line: HintLine): void {
    this.#probe = setTimeout(() => {
      line.client.query('select 1').then(
        () => this.#line === line && !this.#stopped && this.#scheduleProbe(line),
        (error: Error) => this.#onLost(line, error),
      );
    }, PROBE_EVERY_MS);
  }

  #onLost(line: HintLine, error?: Error): void {
    line.client.removeAllListeners('notification');
    line.destroy();
    if (this.#line !== line || this.#stopped) return;
    this.#line = undefined;
    clearTimeout(this.#probe);
    this.#options.logger.warn({ err: error }, 'listener lost its connection');
    this.#scheduleReconnect();
  }

  #scheduleReconnect(): void {
    const delay = RECONNECT_DELAYS_MS[Math.min(this.#failures, RECONNECT_DELAYS_MS.length - 1)];
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.#connect(), delay);
  }
}
