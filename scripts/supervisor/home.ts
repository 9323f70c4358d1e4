import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { access, chmod, chown, mkdir, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, parse, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import { execa } from 'execa';
import { type Account, identityOf } from '../postgres/account.ts';

/** The folders of one installation. Their permissions are in the contract's table of settings. */
export interface Home {
  path: string;
  data: string;
  secrets: string;
  logs: string;
  run: string;
  /** Files that other accounts must be able to execute. */
  bin: string;
}

/**
 * Creates the home and locks it for this process. Throws ExitError (home) if it cannot be used or another instance
 * has locked it. `account`: the account that Postgres runs as, if it is not our own.
 */
export async function prepareHome(path: string, account: Account | undefined): Promise<Home> {
  const home: Home = {
    path,
    data: join(path, 'data'),
    secrets: join(path, 'secrets'),
    logs: join(path, 'logs'),
    run: join(path, 'run'),
    bin: join(path, 'run', 'bin'),
  };
  try {
    await refuseForeignFolder(path);
    // Other accounts pass through to run/bin, and can list nothing on the way.
    const passage = process.getuid?.() === 0 ? 0o711 : 0o700;
    await makeFolder(home.path, passage);
    await makeFolder(home.run, passage);
    await makeFolder(home.bin, 0o755);
    for (const folder of [home.data, home.secrets, home.logs]) await makeFolder(folder, 0o700);
    if (account) await chown(home.data, account.uid, account.gid);
  } catch (error) {
    throw homeError(path, error);
  }
  lockHome(home);
  if (account) await makeReachable(home, account);
  return home;
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await makeMissing(path, mode);
  await chmod(path, mode);
}

/**
 * Creates one folder at a time: `recursive` never returns where the system refuses a folder without an error (/proc).
 */
async function makeMissing(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await makeMissing(dirname(path), mode);
    await makeMissing(path, mode);
  }
}

/** The supervisor sets the permissions of the home, so the home must not be a folder that holds other things. */
async function refuseForeignFolder(path: string): Promise<void> {
  const real = await realpath(path).catch(() => path);
  if (real !== parse(real).root && real !== homedir() && real !== tmpdir()) return;
  throw new ExitError(exitCodes.home, `AIZUCHI_HOME ${path} must be a folder of its own.`);
}

/**
 * The lock is the system's lock on a file, held by SQLite: exactly one of two instances gets it, and it cannot
 * outlive its holder, however the holder ends. A file that contains a pid guarantees neither.
 */
function lockHome(home: Home): void {
  try {
    const file = join(home.run, 'lock');
    // Created before SQLite creates it, readable only by us: an account that can open it could lock us out.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    heldLock = new DatabaseSync(file, { timeout: 0 });
    heldLock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) {
      throw new ExitError(exitCodes.home, `Another Aizuchi is running on AIZUCHI_HOME ${home.path}.`);
    }
    throw homeError(home.path, error);
  }
}

const sqliteBusy = 5;
/** Kept referenced for the life of the process: garbage collection would release the lock. */
let heldLock: DatabaseSync | undefined;

/**
 * The account must be able to pass through every parent folder. A temporary folder of root's is opened for passage (a
 * throw-away home is in one). Any other folder belongs to a person, so it is not changed but named in the error.
 */
async function makeReachable(home: Home, account: Account): Promise<void> {
  for (let attempt = 0; attempt < 32; attempt += 1) {
    if (await canEnter(home.data, account)) return;
    const blocking = await outermostClosed(home.path, account);
    const temporary = await realpath(tmpdir());
    if (!blocking?.startsWith(temporary + sep) || (await stat(blocking)).uid !== 0) {
      throw new ExitError(
        exitCodes.home,
        `AIZUCHI_HOME ${home.path} cannot be reached by the account ${account.name}, which runs the database: ` +
          `allow it to pass with "chmod o+x ${blocking ?? dirname(home.path)}", or choose another folder.`,
      );
    }
    await chmod(blocking, ((await stat(blocking)).mode & 0o777) | 0o001);
  }
}

async function outermostClosed(path: string, account: Account): Promise<string | undefined> {
  const folders: string[] = [];
  for (let folder = await realpath(path); folder !== dirname(folder); folder = dirname(folder))
    folders.unshift(folder);
  for (const folder of folders) if (!(await canEnter(folder, account))) return folder;
  return undefined;
}

async function canEnter(folder: string, account: Account): Promise<boolean> {
  await access(folder);
  const result = await execa('sh', ['-c', 'cd "$0"', folder], {
    ...identityOf(account),
    cwd: '/',
    reject: false,
    stdio: 'ignore',
  });
  return result.exitCode === 0;
}

function homeError(path: string, cause: unknown): ExitError {
  if (cause instanceof ExitError) return cause;
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return new ExitError(exitCodes.home, `AIZUCHI_HOME ${path} cannot be used (${reason}).`, { cause });
}
