/**
 * The common part of every service's `main.ts`: report the address, stop on request or when the supervisor
 * has ended, and exit with one clear sentence and the exit code of the contract. Own code: close-with-grace
 * exits with 0 or 1 only and does not notice the end of the supervisor.
 */
import { setFlagsFromString } from 'node:v8';
import type { Logger } from './logger.ts';
import { sourceStack } from './source-stack.ts';

export const exitCodes = {
  stopped: 0,
  failed: 1,
  configuration: 2,
  portTaken: 3,
  home: 4,
  database: 5,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Below the supervisor's time-out, which is below the ten seconds of the contract. */
const stopDeadlineMs = 6_000;

/** The process cannot continue; the message is one sentence for the person who started it. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.exitCode = exitCode;
  }
}

export interface RunningService {
  /** The real address: with port 0 the system has chosen the port. */
  url: string;
  /** Resolves when the process notices, while it serves, that it cannot continue; then it is stopped. */
  readonly failed?: Promise<ExitError>;
  /** Takes no new work, finishes the current work, closes what is open. */
  stop(): Promise<void>;
}

/** The message that a service sends to its supervisor once it serves. */
export interface ReadyMessage {
  type: 'ready';
  url: string;
}

/** Tells the supervisor, if there is one, that the service serves at `url`. */
export function announceReady(ready: { url: string }): void {
  process.send?.({ type: 'ready', url: ready.url } satisfies ReadyMessage);
}

/**
 * The whole life of a service process: starts, announces, waits for SIGTERM, SIGINT or the end of the
 * supervisor, stops, exits. Returns at once; never throws.
 */
export function runService(options: { logger: Logger; start: () => Promise<RunningService> }): void {
  const { logger } = options;
  // When a process comes to rest, V8 collects its whole heap twice, with 105 s between: the first time gives back half
  // of it, the second one nearly nothing, for 0.1 s of CPU. A V8 that does not know the flag says so and goes on.
  setFlagsFromString('--memory-reducer-gc-count=1');
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    process.exit(exitCodes.failed);
  });
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'unhandled rejection');
    process.exit(exitCodes.failed);
  });
  const stopRequested = waitForStopRequest();
  options.start().then(
    async (service) => {
      announceReady(service);
      logger.info({ url: service.url }, 'serving');
      const reason = await Promise.race([stopRequested, ...(service.failed ? [service.failed] : [])]);
      const failure = reason instanceof ExitError ? reason : undefined;
      logger.info({ reason: failure?.message ?? reason }, 'stopping');
      await stopInTime(service, logger, failure);
    },
    (error: unknown) => exitWith(error),
  );
  // The stop came before the service was ready: nothing is open that needs an orderly end.
  stopRequested.then(() => setTimeout(() => process.exit(exitCodes.stopped), stopDeadlineMs + 500).unref());
}

/** Resolves with the reason when this process is told to stop, or when its supervisor has ended. */
export function waitForStopRequest(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    process.once('disconnect', () => resolve('supervisor gone'));
  });
}

async function stopInTime(service: RunningService, logger: Logger, failure?: ExitError): Promise<never> {
  const timer = setTimeout(() => {
    logger.error('did not stop in time');
    process.exit(exitCodes.failed);
  }, stopDeadlineMs);
  try {
    await service.stop();
  } catch (error) {
    logger.error({ err: error }, 'stopping failed');
    process.exit(exitCodes.failed);
  }
  clearTimeout(timer);
  if (failure !== undefined) exitWith(failure);
  process.exit(exitCodes.stopped);
}

/** Ends the process: one sentence on stderr and the exit code that belongs to the error. */
export function exitWith(error: unknown): never {
  const exit = toExitError(error);
  if (exit) {
    process.stderr.write(`${exit.message}\n`);
    process.exit(exit.exitCode);
  }
  const text = error instanceof Error ? sourceStack(error.stack ?? error.message) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCodes.failed);
}

/** Recognises the system's refusals of a listening address; any other unexpected error stays unexpected. */
function toExitError(error: unknown): ExitError | undefined {
  if (error instanceof ExitError) return error;
  if (!isListenError(error)) return undefined;
  const place = `${error.address ?? 'this host'} port ${error.port ?? '?'}`;
  if (error.code === 'EADDRINUSE') {
    return new ExitError(exitCodes.portTaken, `${place} is already in use by another program.`, {
      cause: error,
    });
  }
  return new ExitError(exitCodes.configuration, `Cannot listen on ${place}: ${error.code}.`, {
    cause: error,
  });
}

interface ListenError extends Error {
  code: string;
  address?: string;
  port?: number;
}

function isListenError(error: unknown): error is ListenError {
  return (
    error instanceof Error &&
    'syscall' in error &&
    (error.syscall === 'listen' || error.syscall === 'bind' || error.syscall === 'getaddrinfo') &&
    'code' in error &&
    typeof error.code === 'string'
  );
}
