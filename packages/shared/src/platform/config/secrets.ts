import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The secrets of one home; each service is given the files of those that it needs, and no others. */
export interface Secrets {
  coordinatorToken: string;
  internalToken: string;
  /** The password of the superuser of our own database: only for the launcher. */
  postgresPassword: string;
  /** The password of the services' role there. */
  databasePassword: string;
}

const fileNames = {
  coordinatorToken: 'coordinator-token',
  internalToken: 'internal-token',
  postgresPassword: 'postgres-password',
  databasePassword: 'database-password',
} satisfies Record<keyof Secrets, string>;

/**
 * Reads `{home}/secrets`, and makes those of the named ones that are missing: 256 bit each, readable by us
 * only. One that is not named is not made: a token that no other service knows would only mislead.
 */
export async function loadSecrets(
  home: string,
  needed: ReadonlySet<keyof Secrets>,
): Promise<Partial<Secrets>> {
  const folder = join(home, 'secrets');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const secrets: Partial<Secrets> = {};
  for (const name of needed) secrets[name] = await readOrGenerate(secretFile(home, name));
  return secrets;
}

/** The path of a secret of the home; `loadSecrets` makes the file. */
export function secretFile(home: string, name: keyof Secrets): string {
  return join(home, 'secrets', fileNames[name]);
}

/** Where our own database is, with the password of the services' role: written anew at each start. */
export async function writeDatabaseUrl(home: string, url: string): Promise<string> {
  const file = join(home, 'secrets', 'database-url');
  await replace(file, url);
  return file;
}

/** The token of a Coordinator that belongs to a server elsewhere, if a person has put it here. */
export async function readCoordinatorToken(home: string): Promise<string | undefined> {
  return readSecret(secretFile(home, 'coordinatorToken'));
}

async function readOrGenerate(file: string): Promise<string> {
  const stored = await readSecret(file);
  if (stored) return stored;
  const secret = randomBytes(32).toString('base64url');
  await replace(file, secret);
  return secret;
}

/** Written as a whole or not at all: the database keeps the password, so a partial file would lock us out. */
async function replace(file: string, secret: string): Promise<void> {
  const partial = `${file}.${process.pid}.partial`;
  await writeFile(partial, `${secret}\n`, { mode: 0o600, flush: true });
  await rename(partial, file);
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
