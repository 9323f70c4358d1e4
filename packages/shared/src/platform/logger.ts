import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { sourceStack } from './source-stack.ts';

export type { Logger } from 'pino';

const secretKeys = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-aizuchi-csrf',
  'csrf',
  'passkey',
  'token',
  'session_token',
  'sessionToken',
  'coordinator_token',
  'coordinatorToken',
  'internalToken',
  'ticket',
  'password',
  'apiKey',
  'databaseUrl',
];

/** A secret is hidden at the top and up to three levels below (`{req: {headers: {authorization}}}`). */
const redactedPaths = secretKeys.flatMap((key) => {
  const segment = /^\w+$/.test(key) ? `.${key}` : `["${key}"]`;
  const top = segment.replace(/^\./, '');
  return [top, `*${segment}`, `*.*${segment}`, `*.*.*${segment}`];
});

export interface LoggerOptions {
  level?: string;
  /** The destination of the lines instead of stderr: for tests. */
  destination?: DestinationStream;
}

/**
 * The log of one process: JSON lines on stderr. Subsystems take a child: `log.child({ subsystem: 'sweeper' })`.
 * Object first, then a short constant sentence.
 */
export function createLogger(service: string, options: LoggerOptions = {}): Logger {
  return pino(
    {
      level: options.level ?? 'info',
      base: { service, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      redact: { paths: redactedPaths, censor: '[hidden]' },
    },
    options.destination ?? stderrDestination(),
  );
}

/** As pino does it, with the lines of the sources. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const serialized = stdSerializers.err(error);
  return JSON.parse(JSON.stringify({ ...serialized, stack: sourceStack(serialized.stack) }, withoutRows));
}

/** In these Postgres quotes the row that it refused, which may be what somebody said. Also of an error within. */
const QUOTING = new Set(['detail', 'where', 'internalQuery']);

function withoutRows(this: unknown, key: string, value: unknown): unknown {
  return QUOTING.has(key) && isOfPostgres(this) ? undefined : value;
}

function isOfPostgres(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'severity' in error && 'routine' in error;
}

function stderrDestination(): DestinationStream {
  // Synchronous: the last line before a crash is the one that matters.
  const destination = pino.destination({ fd: 2, sync: true });
  destination.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of our stderr (the supervisor) has ended: nobody reads this error.
    if (error.code !== 'EPIPE') throw error;
  });
  return destination;
}
