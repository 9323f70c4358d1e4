/** What programs that are started as agents can do on this host, and which guarantees it cannot give. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findRunAccounts, type RunAccounts } from '../../packages/coordinator/src/launch/agent-account.ts';
import { chooseMarkMethod } from '../../packages/coordinator/src/run-mark/mark-method.ts';
import type { MarkKind } from '../../packages/coordinator/src/run-mark/run-mark.ts';
import { findPostgresAccount } from '../postgres/account.ts';
import { bad, type Finding, good, note } from './finding.ts';

export async function agentFindings(home: string): Promise<Finding[]> {
  try {
    const [postgres, accounts] = await Promise.all([findPostgresAccount(), findRunAccounts(home)]);
    const { kind } = await chooseMarkMethod({ home, instanceId: 'doctor', account: accounts.agents });
    return [
      accountFinding(accounts, postgres?.name),
      heldFinding(kind, accounts.agents !== undefined),
      await reachFinding(home, accounts),
    ];
  } catch (error) {
    return [bad('accounts', error instanceof Error ? error.message : String(error))];
  }
}

function accountFinding({ agents, runner }: RunAccounts, postgres: string | undefined): Finding {
  if (!agents || !runner) return note('accounts', 'Agents run as this account.');
  return good(
    'accounts',
    `As root: Postgres runs as ${postgres}, agents as ${agents.name}, the built-in agent as ${runner.name}.`,
  );
}

function heldFinding(kind: MarkKind, isRoot: boolean): Finding {
  const onPurpose = 'a program that leaves it on purpose outlives its run';
  switch (kind) {
    case 'cgroup v2':
    case 'cgroup v1':
      return isRoot
        ? good('runs', `A control group (${kind}) holds each run: what an agent starts ends with it.`)
        : note('runs', `A control group (${kind}) holds each run; it is this account's, so ${onPurpose}.`);
    case 'group':
      return good('runs', 'A supplementary group holds each run: what an agent starts ends with it.');
    case 'limit':
      return note(
        'runs',
        'Control groups cannot be written by this account: a resource limit marks each run, and a program that lowers ' +
          'it on purpose outlives its run.',
      );
    case 'none':
      return note(
        'runs',
        'Process groups only: a process that detaches itself and clears its environment outlives its run.',
      );
  }
}

/** Lists everything that is not protected: people assume that the rest is protected. */
async function reachFinding(home: string, { agents, runner }: RunAccounts): Promise<Finding> {
  const about = 'what agents read';
  if (agents) {
    const tickets =
      agents.uid === runner?.uid ? 'tickets of built-in agents too' : 'not those of built-in agents';
    return note(
      about,
      `Nothing of Aizuchi's own. Of each other, since they share ${agents.name}: files, processes and the passkeys in ` +
        `their environments (AIZUCHI_PASSKEY; ${tickets}).`,
    );
  }
  const scope = (await readFile('/proc/sys/kernel/yama/ptrace_scope', 'utf8').catch(() => '0')).trim();
  const memory = scope === '0' ? 'and memory ' : '';
  return note(
    about,
    `All that this account can: its files, ${join(home, 'secrets')} with the database's password and the services' ` +
      `tokens, the environment ${memory}of its processes, the passkeys of other agents. As root with an account ` +
      'aizuchi-agent, or in compose, they read none of Aizuchi.',
  );
}
