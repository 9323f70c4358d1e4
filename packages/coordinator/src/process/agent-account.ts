import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The account that agents run as when we are root. */
export interface AgentAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The first is for people who want to choose; the others exist everywhere and own nothing. */
const CANDIDATES = ['aizuchi-agent', 'nobody', 'games', 'daemon'];

/**
 * Undefined when we are not root: agents then run as ourselves. Never the account that owns our database's
 * files: an agent could read every message and token hash in them.
 */
export async function findAgentAccount(
  home: string,
  uid = process.getuid?.(),
): Promise<AgentAccount | undefined> {
  if (uid !== 0) return undefined;
  return chooseAgentAccount(await readFile('/etc/passwd', 'utf8'), await ownerOf(join(home, 'data')));
}

export function chooseAgentAccount(passwd: string, databaseOwner: number | undefined): AgentAccount {
  const accounts = passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid, , home] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid), home: home || '/' }] : [];
  });
  for (const name of CANDIDATES) {
    const account = accounts.find((entry) => entry.name === name);
    if (account && account.uid !== 0 && account.uid !== databaseOwner) return account;
  }
  throw new Error(`Running as root needs one of the accounts ${CANDIDATES.join(', ')} for agents.`);
}

async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).uid;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
