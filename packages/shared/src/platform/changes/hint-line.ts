import { Socket } from 'node:net';
import pg from 'pg';

/*
 * A line that is cut without a word (a NAT that forgot it, a host that lost its power) looks alive for as long as the
 * kernel goes on sending, a quarter of an hour. Nothing here waits longer than these.
 */
const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 2_000;
const KEEP_ALIVE_AFTER_MS = 5_000;

/** One connection beside the pool, for hints. Whoever finds it dead destroys it and opens another. */
export interface HintLine {
  readonly client: pg.Client;
  /** At once, on both ends as far as the line still carries it; idempotent. */
  destroy(): void;
  /** Says goodbye, or destroys when that is not heard in time. */
  end(): Promise<void>;
}

/** Not connected yet. Connecting and each statement fail in bounded time; `onLost` comes once, however it ends. */
export function openHintLine(options: {
  readonly url: string;
  readonly applicationName: string;
  readonly settings?: string;
  readonly onLost: (error?: Error) => void;
}): HintLine {
  // Our own socket: `client.end()` of a silent line waits for an answer that never comes.
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: options.url,
    application_name: options.applicationName,
    ...(options.settings !== undefined && { options: options.settings }),
    stream: () => socket,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  });
  let isOver = false;
  const lose = (error?: Error) => {
    if (isOver) return;
    isOver = true;
    options.onLost(error);
  };
  client.on('error', lose);
  client.on('end', () => lose());
  return {
    client,
    destroy: () => void socket.destroy(),
    async end() {
      isOver = true;
      const timer = setTimeout(() => socket.destroy(), ANSWER_TIMEOUT_MS);
      await client.end().catch(() => undefined);
      clearTimeout(timer);
      socket.destroy();
    },
  };
}
