import { readFile } from 'node:fs/promises';
import { PostgresError } from './postgres-error.ts';

/** An existing account of this host that owns none of our files. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** Options of `spawn` to run as the account; empty to run as the current one. */
export interface SpawnIdentity {
  uid?: number;
  gid?: number;
}

const postgresAccounts = ['postgres', 'nobody'];

/**
 * The account that Postgres runs as. Postgres refuses root, and it looks up its user, so a number without an entry is
 * not enough. Undefined if we are not root and Postgres runs as our own account.
 */
export async function findPostgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  for (const name of postgresAccounts) {
    const account = accounts.get(name);
    if (account && account.uid !== 0) return account;
  }
  throw new PostgresError(
    `Running as root needs one of the accounts ${postgresAccounts.join(', ')} for Postgres.`,
  );
}

export function identityOf(account: Account | undefined): SpawnIdentity {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

function parsePasswd(text: string): Map<string, Account> {
  const accounts = new Map<string, Account>();
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name && uid && gid) accounts.set(name, { name, uid: Number(uid), gid: Number(gid) });
  }
  return accounts;
}
