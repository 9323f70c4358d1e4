/**
 * Runs the pinned Postgres on our own data folder. Creates the folder if it does not exist, adopts a server that a
 * killed launcher left running, and waits for the children that a killed postmaster left behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, findPostgresAccount, identityOf } from './account.ts';
import { type PostgresBinaries, preparePostgresBinaries } from './binaries.ts';
import { ensureCluster, superuser } from './cluster.ts';
import { findFreePort } from './free-port.ts';
import { PostgresError } from './postgres-error.ts';
import { isAlive, type Postmaster, processesIn, readPostmaster } from './postmaster-file.ts';

const startTimeoutMs = 10_000;
const stopTimeoutMs = 2_500;
const pollMs = 20;

export interface EmbeddedPostgresOptions {
  /** Created by initdb if it does not exist; its parent belongs to the account that Postgres runs as. */
  dataDir: string;
  /** Where the binaries are copied if that account cannot read the checkout. */
  copyInto: string;
  logFile: string;
  password: string;
  /** False switches off fsync and similar settings: for tests only. */
  durable: boolean;
  /** More server settings, for benchmarks. */
  settings?: Readonly<Record<string, string>>;
  /** Default: a free port. A restart passes the old one, because services have it in their URL. */
  port?: number;
  /** Aborts the start and leaves no process behind. */
  signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  readonly pid: number;
  readonly port: number;
  readonly isAdopted: boolean;
  /** Resolves when the server is gone, for any reason. */
  readonly exited: Promise<void>;
  /** Ends the server (fast shutdown) and waits for it, at most three seconds. */
  stop(): Promise<void>;
}

/** The URL for the superuser, or for the given role; the password is that of the role. */
export function postgresUrl(
  server: { port: number; password: string },
  database: string,
  role = superuser,
): string {
  return `postgres://${role}:${encodeURIComponent(server.password)}@127.0.0.1:${server.port}/${database}`;
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = await findPostgresAccount();
  const binaries = await preparePostgresBinaries({ account, copyInto: options.copyInto });
  await ensureCluster({ ...options, initdb: binaries.initdb, account });
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    options.signal?.throwIfAborted();
    const server = (await adopt(options, deadline)) ?? (await launch(options, binaries, account));
    if (server) return server;
    if (Date.now() > deadline) {
      throw new PostgresError(
        `Postgres did not start: ${await lastLine(options.logFile)} (see ${options.logFile})`,
      );
    }
    await sleep(250);
  }
}

/** Adopts a server that a killed launcher left behind, as soon as it answers; undefined if there is none. */
async function adopt(
  options: EmbeddedPostgresOptions,
  deadline: number,
): Promise<EmbeddedPostgres | undefined> {
  for (;;) {
    const postmaster = await readPostmaster(options.dataDir);
    if (!postmaster || !isAlive(postmaster.pid)) return undefined;
    const living = await processesIn(options.dataDir);
    if (living && !living.includes(postmaster.pid)) {
      // The pid now belongs to another program, which Postgres would take for a server. The file is removed only if
      // no orphan works in the folder, because it also prevents two servers on one folder.
      if (living.length > 0) return undefined;
      await rm(join(options.dataDir, 'postmaster.pid'), { force: true });
      return undefined;
    }
    if (postmaster.isReady) return adoptedServer(postmaster);
    if (Date.now() > deadline) return undefined;
    await sleep(pollMs);
  }
}

function adoptedServer(postmaster: Postmaster): EmbeddedPostgres {
  // It is not our child process, so there is no exit event.
  const exited = (async () => {
    while (isAlive(postmaster.pid)) await sleep(200, undefined, { ref: false });
  })();
  return serverHandle({ pid: postmaster.pid, port: postmaster.port, isAdopted: true, exited });
}

async function launch(
  options: EmbeddedPostgresOptions,
  binaries: PostgresBinaries,
  account: Account | undefined,
): Promise<EmbeddedPostgres | undefined> {
  const port = options.port ?? (await findFreePort());
  await mkdir(dirname(options.logFile), { recursive: true });
  const log = await open(options.logFile, 'a', 0o600);
  let child: ChildProcess;
  try {
    // A file, not a pipe: the server outlives a killed launcher. `detached` gives it its own process group, so that
    // Ctrl-C reaches only the supervisor.
    child = spawn(binaries.postgres, ['-D', options.dataDir, ...settings(port, options)], {
      ...identityOf(account),
      cwd: options.dataDir,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
    });
  } finally {
    await log.close();
  }
  const exited = new Promise<void>((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', (cause) =>
      reject(new PostgresError(`Postgres did not start: ${cause.message}`, { cause })),
    );
  });
  const { pid } = child;
  if (pid === undefined) {
    await exited;
    return undefined;
  }
  const isReady = await Promise.race([exited.then(() => false), waitUntilReady(options.dataDir, pid)]);
  return isReady ? serverHandle({ pid, port, isAdopted: false, exited }) : undefined;
}

function settings(
  port: number,
  { durable, settings: further }: Pick<EmbeddedPostgresOptions, 'durable' | 'settings'>,
): string[] {
  const values: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Without the detail of an error, which quotes the row that was refused: it may be what somebody has told an agent.
    log_error_verbosity: 'terse',
    // Our statements are short: compiling them costs more than running them.
    jit: 'off',
    // At rest a heartbeat is stored every two seconds: by default each would wake these two five times a second. What is
    // acknowledged does not depend on them.
    bgwriter_delay: '1s',
    wal_writer_delay: '1s',
    ...(durable
      ? {}
      : {
          fsync: 'off',
          synchronous_commit: 'off',
          full_page_writes: 'off',
          wal_level: 'minimal',
          max_wal_senders: '0',
          log_checkpoints: 'off',
        }),
    ...further,
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function waitUntilReady(dataDir: string, pid: number): Promise<boolean> {
  while (isAlive(pid)) {
    const postmaster = await readPostmaster(dataDir);
    if (postmaster?.pid === pid && postmaster.isReady) return true;
    await sleep(pollMs);
  }
  return false;
}

function serverHandle(server: Omit<EmbeddedPostgres, 'stop'>): EmbeddedPostgres {
  return {
    ...server,
    async stop() {
      // SIGINT is a fast shutdown; SIGTERM would wait for the clients to disconnect. After that SIGQUIT and SIGKILL,
      // which are crash-safe.
      for (const [signal, timeoutMs] of [
        ['SIGINT', stopTimeoutMs],
        ['SIGQUIT', 300],
        ['SIGKILL', 300],
      ] as const) {
        if (!isAlive(server.pid)) return;
        process.kill(server.pid, signal);
        if (await endsWithin(server.exited, timeoutMs)) return;
      }
    },
  };
}

async function endsWithin(exited: Promise<void>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([exited.then(() => true), late]);
  timer.abort();
  return ended;
}

async function lastLine(file: string): Promise<string> {
  const { size } = await stat(file);
  const handle = await open(file, 'r');
  try {
    const length = Math.min(size, 4096);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8').trim().split('\n').at(-1) ?? '';
  } finally {
    await handle.close();
  }
}
