import pg from 'pg';
import type { Logger } from '../logger.ts';
import { DELTA_CHANNEL, type Delta, parseDelta } from './delta.ts';
import { type HintLine, type HintLineLimits, openHintLine } from './hint-line.ts';
import { EVERYTHING, isOfLog } from './keys.ts';
import { CHANNEL } from './notifier.ts';

export interface ListenerOptions {
  readonly url: string;
  readonly logger: Logger;
  /**
   * Called with the dirty keys of one NOTIFY, or with [EVERYTHING] after a reconnect and at each slow poll.
   */
  readonly onKeys: (keys: readonly string[]) => void;
  /** Partial answers, for processes that show them. */
  readonly onDelta?: (delta: Delta) => void;
  /** The last protection when a dying process lost hints: all readers check again. */
  readonly pollIntervalMs?: number;
  /** How often it asks whether its connection works and the log has grown without a hint. */
  readonly probeIntervalMs?: number;
  readonly limits?: HintLineLimits;
}

/**
 * Together with the time that an answer may take, this limits how long a silently cut connection is
 * unnoticed, and a change whose hint was lost.
 */
const PROBE_EVERY_MS = 1_500;
const POLL_EVERY_MS = 10_000;
/** The end of the change log. Reads only the end of its index. */
const END_OF_LOG = `select (select xid::text || '/' || id from change_log order by xid desc, id desc limit 1) as place`;
const RECONNECT_DELAYS_MS = [100, 200, 500, 1_000, 2_000];

/** One LISTEN for the whole process, on a connection of its own; it reconnects by itself. */
export class Listener {
  readonly #options: ListenerOptions;
  #line: HintLine | undefined;
  #poll: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #failures = 0;
  /** The end of the log at the last probe; undefined: not known yet. */
  #endOfLog: string | null | undefined;
  /** A hint about the log came since the last probe. */
  #hasHeard = false;
  #stopped = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Resolves once it listens (or once the first attempt has failed; it continues to try). */
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
      limits: this.#options.limits,
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
   * On a quiet connection nothing is sent: only a query shows whether it still works. The query reads the end
   * of the log: when the log has grown without a hint, a hint was lost.
   */
  #scheduleProbe(line: HintLine): void {
    this.#probe = setTimeout(() => {
      line.client.query<{ place: string | null }>({ name: 'end-of-log', text: END_OF_LOG }).then(
        ({ rows }) => this.#onProbed(line, rows[0]?.place ?? null),
        // The connection works, and the log is empty.
        (error: Error) =>
          error instanceof pg.DatabaseError ? this.#onProbed(line, null) : this.#onLost(line, error),
      );
    }, this.#options.probeIntervalMs ?? PROBE_EVERY_MS);
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
