import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

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
  /** Where the lines go instead of stderr: for tests. */
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
      redact: { paths: redactedPaths, censor: '[hidden]' },
    },
    options.destination ?? stderrDestination(),
  );
}

function stderrDestination(): DestinationStream {
  // Synchronous: the last line before a crash is the one that matters.
  const destination = pino.destination({ fd: 2, sync: true });
  destination.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of our stderr (the supervisor) is gone: nobody is left to be told.
    if (error.code !== 'EPIPE') throw error;
  });
  return destination;
}
