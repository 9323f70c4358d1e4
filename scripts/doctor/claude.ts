/** Which Claude Code the agents of provider claude would use on this host, and whether it is signed in. */
import { stat } from 'node:fs/promises';
import type { RawEnv } from '@aizuchi/shared/platform/config/env';
import {
  type AgentAccount,
  agentHome,
  findRunAccounts,
} from '../../packages/coordinator/src/launch/agent-account.ts';
import {
  ClaudeFinder,
  type FoundClaude,
} from '../../packages/coordinator/src/launch/claude/claude-finder.ts';
import { OLDEST_CLAUDE } from '../../packages/coordinator/src/launch/claude/claude-release.ts';
import { claudeSignIn, signInCommand } from '../../packages/coordinator/src/launch/claude/claude-sign-in.ts';
import { type Finding, good, note } from './finding.ts';

const ABOUT = 'claude';
const ADD = 'npm run add-claude';

/** None of it stands in the way of a start: other agents need no Claude Code. */
export async function claudeFindings(home: string, env: RawEnv): Promise<Finding[]> {
  // Whether there is an account for agents is said elsewhere.
  const { agents } = await findRunAccounts(home).catch(() => ({ agents: undefined }));
  const account = agents && (await withKnownHome(home, agents));
  const finder = new ClaudeFinder({ home, account, mayCopy: false });
  const { found, passedOver } = await finder.find(env.PATH ?? '');
  const findings: Finding[] = [];
  if (passedOver) findings.push(passedOverFinding(passedOver, found));
  if (found) findings.push(await signInFinding(found, account, env));
  else if (!passedOver)
    findings.push(
      note(
        ABOUT,
        `There is no Claude Code: only agents of provider claude need it. Install it, or run ${ADD}.`,
      ),
    );
  return findings;
}

function passedOverFinding(
  { file, version }: { file: string; version?: string },
  found: FoundClaude | undefined,
): Finding {
  const why =
    version === undefined
      ? `${file} cannot be executed by the account of agents`
      : `${file} is Claude Code ${version}, older than ${OLDEST_CLAUDE}`;
  const remedy = found ? `${found.file} is used instead` : `update or install it, or run ${ADD}`;
  return note(ABOUT, `${why}: ${remedy}.`);
}

async function signInFinding(
  { file, version }: FoundClaude,
  account: AgentAccount | undefined,
  env: RawEnv,
): Promise<Finding> {
  const what = `Claude Code ${version} (${file})`;
  const status = await claudeSignIn({ file, account, env });
  if (status?.loggedIn) return good(ABOUT, `${what} is signed in: ${status.authMethod}.`);
  if (!status) return note(ABOUT, `${what}. Whether it is signed in can be seen after the first start.`);
  const signIn = signInCommand(`${file} auth login`, account);
  return note(ABOUT, `${what} is not signed in. Run: ${signIn}, or set ANTHROPIC_API_KEY.`);
}

async function withKnownHome(home: string, account: AgentAccount): Promise<AgentAccount> {
  const owner = await stat(account.home).catch(() => undefined);
  return owner?.uid === account.uid ? account : { ...account, home: agentHome(home, account) };
}
