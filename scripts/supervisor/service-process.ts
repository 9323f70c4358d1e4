import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { type ExitCode, ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import { z } from 'zod';
import type { LogFile } from './log-file.ts';
import { terminalLog } from './readable-log.ts';
import { restartDelayMs } from './restart-delay.ts';
import type { ServiceDefinition } from './services.ts';

const readyMessage = z.object({ type: z.literal('ready'), url: z.string() });
const finalCodes = new Set<number>([
  exitCodes.configuration,
  exitCodes.portTaken,
  exitCodes.home,
  exitCodes.database,
]);
/** Number of crashes before the first success after which the start fails: more attempts would not help. */
const maxFirstAttempts = 3;
/**
 * A service that has served this long is restarted without the accumulated delay: otherwise one that crashes every
 * half minute would be away for the other half.
 */
const stableAfterMs = 10_000;

export interface ServiceProcessOptions {
  definition: ServiceDefinition;
  cwd: string;
  /** Returns the environment for a start that shall listen on `port`. */
  environment: (port: number) => NodeJS.ProcessEnv;
  port: number;
  logger: Logger;
  logFile: LogFile;
  /** Called each time it serves, also after a restart. */
  onServing: () => void;
}

/** An entry of `run/services.json`. */
export interface ServiceEntry {
  name: string;
  pid: number;
  url: string;
  startedAt: string;
}

interface Attempt {
  child: ChildProcess;
  ready: Promise<ServiceEntry>;
  exited: Promise<ServiceExit>;
}

interface ServiceExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** One service across all its restarts: the url stays the same, the process changes. */
export class ServiceProcess {
  readonly #options: ServiceProcessOptions;
  readonly #stopping = new AbortController();
  #current: Attempt | undefined;
  #entry: ServiceEntry | undefined;
  #watching: Promise<void> | undefined;
  #port: number;

  constructor(options: ServiceProcessOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  get entry(): ServiceEntry | undefined {
    return this.#entry;
  }

  /** Resolves when it serves. Throws ExitError if it never will: bad configuration, port in use, crashes. */
  async start(): Promise<ServiceEntry> {
    for (let failures = 0; ; ) {
      const attempt = this.#launch();
      const outcome = await Promise.race([attempt.ready, attempt.exited]);
      if ('url' in outcome) {
        this.#watching = this.#watch(attempt);
        return outcome;
      }
      this.#stopping.signal.throwIfAborted();
      failures += 1;
      this.#throwIfFinal(outcome, failures);
      await this.#pause(failures - 1);
      this.#stopping.signal.throwIfAborted();
    }
  }

  /** Sends SIGTERM, then SIGKILL after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping.abort();
    const attempt = this.#current;
    if (attempt) {
      attempt.child.kill('SIGTERM');
      const timer = setTimeout(() => attempt.child.kill('SIGKILL'), timeoutMs);
      await attempt.exited;
      clearTimeout(timer);
    }
    await this.#watching;
  }

  #throwIfFinal(exit: ServiceExit, failures: number): void {
    const { name } = this.#options.definition;
    if (exit.code !== null && finalCodes.has(exit.code)) {
      // It has written the reason to its stderr, which is also ours.
      throw new ExitError(exit.code as ExitCode, `${name} could not start.`);
    }
    if (failures >= maxFirstAttempts) {
      throw new ExitError(
        exitCodes.failed,
        `${name} could not start: it ended ${failures} times (see its log).`,
      );
    }
  }

  async #watch(first: Attempt): Promise<void> {
    let attempt = first;
    for (let failures = 0; ; ) {
      const servingSince = Date.now();
      const exit = await attempt.exited;
      if (this.#stopping.signal.aborted) return;
      if (Date.now() - servingSince > stableAfterMs) failures = 0;
      this.#options.logger.error({ ...exit, failures }, 'service ended, restarting it');
      await this.#pause(failures);
      if (this.#stopping.signal.aborted) return;
      failures += 1;
      attempt = this.#launch();
    }
  }

  async #pause(failures: number): Promise<void> {
    await sleep(restartDelayMs(failures), undefined, { signal: this.#stopping.signal }).catch(
      (error: unknown) => {
        if (!this.#stopping.signal.aborted) throw error;
      },
    );
  }

  #launch(): Attempt {
    const { definition, cwd, environment, logger } = this.#options;
    // `detached` gives it its own process group: Ctrl-C reaches only the supervisor, which then ends all services in
    // order. The IPC channel shows the service when the supervisor dies.
    const child = spawn(process.execPath, [...(definition.nodeArguments ?? []), definition.entry], {
      cwd,
      env: environment(this.#port),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const startedAt = new Date().toISOString();
    for (const stream of [child.stdout, child.stderr]) {
      const log = terminalLog(process.stderr);
      stream?.on('data', (chunk: Buffer) => {
        log.write(chunk);
        this.#options.logFile.write(chunk);
      });
      stream?.once('end', log.end);
    }
    const exited = new Promise<ServiceExit>((resolve) => {
      child.once('error', (error) => {
        logger.error({ err: error }, 'service could not be spawned');
        resolve({ code: null, signal: null });
      });
      // 'close', not 'exit': by then all its output has been read. A grandchild may hold the pipes.
      child.once('close', (code, signal) => resolve({ code, signal }));
      child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal }), 200));
    });
    const ready = new Promise<ServiceEntry>((resolve) => {
      child.on('message', (message) => {
        const parsed = readyMessage.safeParse(message);
        if (!parsed.success || child.pid === undefined) return;
        this.#entry = {
          name: definition.name,
          pid: child.pid,
          url: reachableUrl(parsed.data.url),
          startedAt,
        };
        // Other services and people use this url, so a restart listens on the same port.
        this.#port = Number(new URL(parsed.data.url).port) || this.#port;
        logger.info({ url: this.#entry.url, servicePid: child.pid }, 'service serves');
        this.#options.onServing();
        resolve(this.#entry);
      });
    });
    this.#current = { child, ready, exited };
    return this.#current;
  }
}

export function reachableUrl(given: string): string {
  const url = new URL(given);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  return url.href.replace(/\/$/, '');
}
