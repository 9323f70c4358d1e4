import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { AgentAccount } from '../agent-account.ts';
import { CLAUDE_PREFIXES } from '../run-environment.ts';

const TIMEOUT_MS = 20_000;

const statusSchema = z.object({ loggedIn: z.boolean(), authMethod: z.string().catch('') });
type ClaudeSignIn = z.infer<typeof statusSchema>;

interface Asked {
  /** Absolute. */
  readonly file: string;
  /** The account of agents, when it is not our own. */
  readonly account: AgentAccount | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * What Claude Code itself says of its sign-in; it asks no server. Undefined when it cannot be asked, for example before
 * the first start has made it reachable for the account.
 */
export async function claudeSignIn({ file, account, env }: Asked): Promise<ClaudeSignIn | undefined> {
  if (account && !(await stat(account.home).catch(() => undefined))) return undefined;
  const passed = Object.entries(env).filter(([name]) =>
    CLAUDE_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  return parsed(
    await promisify(execFile)(file, ['auth', 'status'], {
      cwd: '/',
      env: {
        ...Object.fromEntries(passed),
        PATH: env.PATH ?? '',
        HOME: account?.home ?? env.HOME ?? '',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
      timeout: TIMEOUT_MS,
      // One that ignores SIGTERM would be waited for without an end, and every later look with it.
      killSignal: 'SIGKILL',
      ...(account && { uid: account.uid, gid: account.gid }),
    }).then(
      ({ stdout }) => stdout,
      // Not signed in is an exit code, too.
      (error: { stdout?: unknown }) => error.stdout,
    ),
  );
}

/** What a person runs to sign it in, as the account of the agents. */
export function signInCommand(command: string, account: AgentAccount | undefined): string {
  return account ? `runuser -u ${account.name} -- env HOME=${account.home} ${command}` : command;
}

function parsed(text: unknown): ClaudeSignIn | undefined {
  try {
    return statusSchema.safeParse(JSON.parse(String(text))).data;
  } catch {
    return undefined;
  }
}
