import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { type Account, identityOf } from './account.ts';
import { PostgresError } from './postgres-error.ts';

export const superuser = 'aizuchi';
const major = '18';

export interface ClusterOptions {
  dataDir: string;
  password: string;
  durable: boolean;
  initdb: string;
  account: Account | undefined;
  signal?: AbortSignal;
}

/** Creates the data folder if it does not exist, completely or not at all. */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  const { dataDir, account } = options;
  const version = await readFile(join(dataDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version?.trim() === major) return;
  if (version !== undefined) {
    throw new PostgresError(`The data in ${dataDir} is of Postgres ${version.trim()}, not ${major}.`);
  }
  const parent = dirname(dataDir);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  if (account) await chown(parent, account.uid, account.gid);
  await chmod(parent, 0o700);
  await removePartialOnes(dataDir);
  // A unique name: the initdb of a killed start may still write to the previous folder.
  const partial = `${dataDir}.partial-${process.pid}-${Date.now()}`;
  const passwordFile = `${partial}.password`;
  try {
    await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
    if (account) await chown(passwordFile, account.uid, account.gid);
    await runInitdb(options, partial, passwordFile);
    await rename(partial, dataDir);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function removePartialOnes(dataDir: string): Promise<void> {
  for (const name of await readdir(dirname(dataDir))) {
    if (!name.startsWith(`${basename(dataDir)}.partial-`)) continue;
    // A folder that is still written to is removed at the next start.
    await rm(join(dirname(dataDir), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function runInitdb(options: ClusterOptions, folder: string, passwordFile: string): Promise<void> {
  const { account, signal } = options;
  const args = [
    `--pgdata=${folder}`,
    `--pwfile=${passwordFile}`,
    `--username=${superuser}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    // Other systems may not have that locale; Postgres has one of the same name built in.
    ...(process.platform === 'linux' ? [] : ['--locale-provider=builtin']),
    ...(options.durable ? [] : ['--no-sync']),
  ];
  const running = execa(options.initdb, args, {
    ...identityOf(account),
    cwd: '/',
    // A process group of its own: Ctrl-C does not interrupt it, and an abort also ends its children.
    detached: true,
    reject: false,
    all: true,
    stdin: 'ignore',
    env: { LC_ALL: 'C' },
  });
  const giveUp = () => {
    try {
      if (running.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
    } catch (error) {
      // It has just ended; only its output is still being read.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  const result = await running;
  signal?.removeEventListener('abort', giveUp);
  signal?.throwIfAborted();
  if (result.exitCode === 0) return;
  const reason = result.all?.trim().split('\n').at(-1) || result.shortMessage || 'unknown reason';
  throw new PostgresError(`The database folder could not be made: ${reason}`);
}
