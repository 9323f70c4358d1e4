import pg from 'pg';
import type { Logger } from '../logger.ts';
import { DELTA_CHANNEL, type Delta, parseDelta } from './delta.ts';
import { type HintLine, openHintLine } from './hint-line.ts';
import { EVERYTHING, isOfLog } from './keys.ts';
import { CHANNEL } from './notifier.ts';

export interface ListenerOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Gets the dirty keys of one NOTIFY, or [EVERYTHING] after a reconnect and at each slow poll. */
  readonly onKeys: (keys: readonly string[]) => void;
  /** Growing answers, for processes that show them. */
  readonly onDelta?: (delta: Delta) => void;
  /** The last safety net for hints that got lost with a dying process: everybody looks again. */
  readonly pollIntervalMs?: number;
}

/**
 * With the time an answer may take: how long a line that is silently cut goes unnoticed, and how long a change whose
 * hint was lost.
 */
const PROBE_EVERY_MS = 1_500;
const POLL_EVERY_MS = 5_000;
/** Where the change log ends. Nothing is read but the end of its index. */
const END_OF_LOG = `select (select xid::text || '/' || id from change_log order by xid desc, id desc limit 1) as place`;
const RECONNECT_DELAYS_MS = [100, 200, 500, 1_000, 2_000];

/** One LISTEN for the whole process, on a connection of its own; comes back by itself. */
export class Listener {
  readonly #options: ListenerOptions;
  #line: HintLine | undefined;
  #poll: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #failures = 0;
  /** Where the log ended at the last probe; undefined: not known yet. */
  #endOfLog: string | null | undefined;
  /** A hint about the log came since the last probe. */
  #hasHeard = false;
  #stopped = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Resolves once it listens (or once the first try has failed; it goes on trying). */
  async start(): Promise<void> {
    this.#poll = setInterval(
      () => this.#options.onKeys([EVERYTHING]),
      this.#options.pollIntervalMs ?? POLL_EVERY_MS,
    );
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
      if (channel === CHANNEL) return this.#onHint(payload.split(','));
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
    this.#endOfLog = undefined;
    // What was committed while nobody listened.
    this.#options.onKeys([EVERYTHING]);
    this.#scheduleProbe(line);
  }

  #onHint(keys: readonly string[]): void {
    this.#hasHeard ||= keys.some(isOfLog);
    this.#options.onKeys(keys);
  }

  /**
   * Nothing is ever said on a quiet line: only a question tells whether it still carries anything. The question is
   * where the log ends: when it has grown and no hint said so, one was lost.
   */
  #scheduleProbe(line: HintLine): void {
    this.#probe = setTimeout(() => {
      line.client.query<{ place: string | null }>({ name: 'end-of-log', text: END_OF_LOG }).then(
        ({ rows }) => this.#onProbed(line, rows[0]?.place ?? null),
        // It carries, and there is no log yet.
        (error: Error) =>
          error instanceof pg.DatabaseError ? this.#onProbed(line, null) : this.#onLost(line, error),
      );
    }, PROBE_EVERY_MS);
  }

  #onProbed(line: HintLine, endOfLog: string | null): void {
    if (this.#line !== line || this.#stopped) return;
    const hasGrown = this.#endOfLog !== undefined && endOfLog !== this.#endOfLog;
    if (hasGrown && !this.#hasHeard) this.#options.onKeys([EVERYTHING]);
    this.#endOfLog = endOfLog;
    this.#hasHeard = false;
    this.#scheduleProbe(line);
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
