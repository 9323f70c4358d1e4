/**
 * Runs the pinned Postgres on a data folder of ours: made when it is not there, adopted when a killed
 * launcher left it running, patient when a killed postmaster left its children behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, findPostgresAccount, identityOf } from './account.ts';
import { type PostgresBinaries, preparePostgresBinaries } from './binaries.ts';
import { ensureCluster, superuser } from './cluster.ts';
import { PostgresError } from './postgres-error.ts';
import { isAlive, type Postmaster, processesIn, readPostmaster } from './postmaster-file.ts';

const startTimeoutMs = 10_000;
const stopTimeoutMs = 2_500;
const pollMs = 20;

export interface EmbeddedPostgresOptions {
  /** Made by initdb when absent; its parent belongs to the account that Postgres runs as. */
  dataDir: string;
  /** Where the binaries go when that account cannot read the checkout. */
  copyInto: string;
  logFile: string;
  password: string;
  /** False switches fsync and its like off: for tests only. */
  durable: boolean;
  /** Further settings of the server, for benchmarks. */
  settings?: Readonly<Record<string, string>>;
  /** A free one when not given; a restart names the old one, because services hold it in their URL. */
  port?: number;
  /** Gives the start up, and leaves no process behind. */
  signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  readonly pid: number;
  readonly port: number;
  readonly isAdopted: boolean;
  /** Resolves when the server has gone, for whatever reason. */
  readonly exited: Promise<void>;
  /** Ends the server (fast shutdown) and waits for it; at most three seconds. */
  stop(): Promise<void>;
}

/** As superuser, unless another role is named; the password is that role's. */
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

/** A server that a killed launcher left behind, once it answers; undefined when there is none. */
async function adopt(
  options: EmbeddedPostgresOptions,
  deadline: number,
): Promise<EmbeddedPostgres | undefined> {
  for (;;) {
    const postmaster = await readPostmaster(options.dataDir);
    if (!postmaster || !isAlive(postmaster.pid)) return undefined;
    const living = await processesIn(options.dataDir);
    if (living && !living.includes(postmaster.pid)) {
      // The pid now belongs to some other program, which Postgres would take for a server. Only once no
      // orphan works in the folder: the file also holds the key that keeps two servers off one folder.
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
  // Not our child: there is no event to wait for.
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
    // A file, not a pipe: the server outlives a killed launcher. `detached` gives it its own process group,
    // so that a Ctrl-C reaches the supervisor only.
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
    // Our statements are short: compiling them costs more than running them.
    jit: 'off',
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
      // Fast shutdown by SIGINT: SIGTERM would wait for the clients to go. Then the crash-safe hard way.
      for (const [signal, patienceMs] of [
        ['SIGINT', stopTimeoutMs],
        ['SIGQUIT', 300],
        ['SIGKILL', 300],
      ] as const) {
        if (!isAlive(server.pid)) return;
        process.kill(server.pid, signal);
        if (await endsWithin(server.exited, patienceMs)) return;
      }
    },
  };
}

async function endsWithin(exited: Promise<void>, patienceMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(patienceMs, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([exited.then(() => true), late]);
  timer.abort();
  return ended;
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string')
    throw new Error('A TCP server has an address and a port.');
  return address.port;
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
