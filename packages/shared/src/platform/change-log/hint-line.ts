import { Socket } from 'node:net';
import pg from 'pg';

/*
 * A connection that is cut silently (a NAT that dropped it, a host that lost its power) looks alive as long
 * as the kernel continues to send, a quarter of an hour. No operation here waits longer than these limits.
 */
const LIMITS = { connectMs: 3_000, answerMs: 2_000 };
const KEEP_ALIVE_AFTER_MS = 5_000;

/** How long connecting, and the answer to a statement, may take. */
export type HintLineLimits = Partial<typeof LIMITS>;

/** One connection beside the pool, for hints. A caller that finds it dead destroys it and opens another. */
export interface HintLine {
  readonly client: pg.Client;
  /** Closes it at once, on both ends if the connection still works; idempotent. */
  destroy(): void;
  /** Closes it in order, or destroys it when this is not answered in time. */
  end(): Promise<void>;
}

/**
 * Not connected yet. Connecting and each statement fail in bounded time; `onLost` is called once, however it
 * ends.
 */
export function openHintLine(options: {
  readonly url: string;
  readonly applicationName: string;
  readonly settings?: string;
  readonly limits?: HintLineLimits | undefined;
  readonly onLost: (error?: Error) => void;
}): HintLine {
  const { connectMs, answerMs } = { ...LIMITS, ...options.limits };
  // Our own socket: `client.end()` on a silent connection waits for an answer that never comes.
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: options.url,
    application_name: options.applicationName,
    ...(options.settings !== undefined && { options: options.settings }),
    stream: () => socket,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
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
      const timer = setTimeout(() => socket.destroy(), answerMs);
      await client.end().catch(() => undefined);
      clearTimeout(timer);
      socket.destroy();
    },
  };
}
