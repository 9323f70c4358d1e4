import { chmod, chown, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The account that agents run as when we are root. */
export interface AgentAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The first is for people who want to choose; the others exist on every system and own nothing. */
const CANDIDATES = ['aizuchi-agent', 'nobody', 'games', 'daemon'];

/**
 * The accounts of the processes of runs; both are absent when we are not root: then all processes run as our
 * account.
 */
export interface RunAccounts {
  /** The account of programs that people chose, and of their children. */
  readonly agents: AgentAccount | undefined;
  /**
   * The account of our own runner, which holds its ticket in memory: an agent can read the memory of
   * processes of its own account. The runner touches no file, so any other account is sufficient.
   */
  readonly runner: AgentAccount | undefined;
}

/**
 * Never the account that owns the files of our database: an agent could read every message and token hash in
 * them.
 */
export async function findRunAccounts(home: string, uid = process.getuid?.()): Promise<RunAccounts> {
  if (uid !== 0) return { agents: undefined, runner: undefined };
  return chooseRunAccounts(await readFile('/etc/passwd', 'utf8'), await ownerOf(join(home, 'data')));
}

/** When there is only one such account, the runner uses it too. Throws when there is none. */
export function chooseRunAccounts(passwd: string, databaseOwner: number | undefined): Required<RunAccounts> {
  const accounts = passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid, , home] = line.split(':');
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid), home: home || '/' }] : [];
  });
  const found: AgentAccount[] = [];
  for (const name of CANDIDATES) {
    const account = accounts.find((entry) => entry.name === name);
    if (!account || account.uid === 0 || account.uid === databaseOwner) continue;
    if (found.every(({ uid }) => uid !== account.uid)) found.push(account);
  }
  const [agents, runner] = found;
  if (agents) return { agents, runner: runner ?? agents };
  throw new Error(`Running as root needs one of the accounts ${CANDIDATES.join(', ')} for agents.`);
}

/**
 * Claude Code and other programs keep their sessions in the home of their account. Accounts such as nobody have none, so
 * they get one in ours, which only they can read. Idempotent; needs root.
 */
export async function withHome(home: string, account: AgentAccount): Promise<AgentAccount> {
  if ((await ownerOf(account.home)) === account.uid) return account;
  const folder = agentHome(home, account);
  await mkdir(dirname(folder), { recursive: true, mode: 0o711 });
  await chmod(dirname(folder), 0o711);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
  return { ...account, home: folder };
}

/** Where the home of an account is that has none. */
export function agentHome(home: string, { name }: Pick<AgentAccount, 'name'>): string {
  return join(home, 'agent-homes', name);
}

async function ownerOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).uid;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
