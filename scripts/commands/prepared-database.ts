import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretFile } from '@aizuchi/shared/platform/config/secrets';
import { migrate } from '@aizuchi/shared/platform/db/migrate';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { execa } from 'execa';
import { findPostgresAccount } from '../postgres/account.ts';
import { startOwnDatabase } from '../supervisor/database.ts';
import { madeOnce } from './made-once.ts';
import { root } from './steps.ts';

const cacheRoot = join(root, 'node_modules', '.cache', 'aizuchi');
/** What a new database folder depends on: the version of Postgres, the arguments of initdb, the role, the schema. */
const SOURCES = ['package.json', join('scripts', 'postgres'), join('packages', 'shared', 'migrations')];

/**
 * Creates this home with a database that has the present schema and no rows: a copy of one that is made once. A start
 * on it runs neither initdb nor the migrations, which are half of the CPU time of a first start.
 */
export async function makeHomeWithDatabase(home: string): Promise<void> {
  const prepared = await preparedDatabase();
  const data = join(home, 'data');
  for (const folder of [home, data, join(home, 'secrets')]) await mkdir(folder, { mode: 0o700 });
  const account = await findPostgresAccount();
  if (account) await chown(data, account.uid, account.gid);
  await copy(join(prepared, 'postgres'), data);
  await copy(join(prepared, 'password'), secretFile(home, 'postgresPassword'));
}

/** Returns the folder with `postgres`, the data folder, and `password`, that of its superuser. Each has 40 MB. */
async function preparedDatabase(): Promise<string> {
  return madeOnce(cacheRoot, { prefix: 'database-', key: await fingerprint() }, makeDatabase);
}

async function makeDatabase(target: string): Promise<void> {
  // Outside the checkout, which the account that Postgres runs as may be unable to enter.
  const path = await mkdtemp(join(tmpdir(), 'aizuchi-database-'));
  await chmod(path, 0o711);
  const folder = (name: string) => join(path, name);
  const home = {
    path,
    data: folder('data'),
    secrets: folder('secrets'),
    logs: folder('logs'),
    run: folder('run'),
    bin: folder('bin'),
  };
  const password = randomBytes(18).toString('base64url');
  try {
    const database = await startOwnDatabase(
      home,
      { superuser: password, services: randomBytes(18).toString('base64url') },
      { logger: createLogger('test', { level: 'silent' }), signal: new AbortController().signal },
    );
    await migrate(database.url).finally(database.stop);
    await copy(join(home.data, 'postgres'), target);
    await writeFile(join(target, 'password'), `${password}\n`, { mode: 0o600 });
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** Keeps owners and permissions. */
async function copy(from: string, to: string): Promise<void> {
  await execa('cp', ['-a', from, to]);
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.getuid?.()}`);
  for (const source of SOURCES) {
    const path = join(root, source);
    const names = source.endsWith('.json') ? [''] : (await readdir(path)).sort();
    for (const name of names) hash.update(`${name}\0`).update(await readFile(join(path, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
