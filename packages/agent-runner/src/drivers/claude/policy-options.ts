import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Options } from '@anthropic-ai/claude-agent-sdk/core';
import { z } from 'zod';
import type { Permissions } from './permissions.ts';
import type { ClaudeHost } from './query-options.ts';

/** What settings refuse, or have asked about. */
interface Restrictions {
  readonly deny: string[];
  readonly ask: string[];
}

const rulesSchema = z.array(z.string()).catch([]);
const settingsSchema = z.object({
  permissions: z.object({ deny: rulesSchema, ask: rulesSchema }).catch({ deny: [], ask: [] }),
});

/** A rule for files whose path begins at the folder of the settings. A second slash is the root of the file system. */
const BESIDE_SETTINGS = /^(Read|Edit|Write|NotebookEdit|Glob|Grep)\(\/(?!\/)/;

/**
 * Who permits what: a person, by the policy of the project. What the settings of the account and of the folder allow
 * does not count, nor what skills and commands of the folder bring with them: the agent may be able to write all of them.
 * What settings refuse still does. Where an administrator has managed settings, Claude Code takes those instead of ours.
 */
export async function policyOptions(
  host: ClaudeHost,
  { canUseTool, beforeTool }: Pick<Permissions, 'canUseTool' | 'beforeTool'>,
): Promise<Partial<Options>> {
  return {
    canUseTool,
    hooks: { PreToolUse: [{ hooks: [beforeTool] }] },
    // Also under `allow_edits`: in `acceptEdits` commands such as rm and mv are not asked for either.
    permissionMode: 'default',
    managedSettings: {
      allowManagedPermissionRulesOnly: true,
      permissions: { ...(await restrictionsOf(host)) },
    },
    // In a sandbox of the user's settings commands would run without a question.
    settings: { sandbox: { autoAllowBashIfSandboxed: false } },
  };
}

async function restrictionsOf({ cwd, env }: ClaudeHost): Promise<Restrictions> {
  const account = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude');
  const [ofAccount, ...ofFolder] = await Promise.all([
    restrictionsIn(join(account, 'settings.json')),
    restrictionsIn(join(cwd, '.claude', 'settings.json')),
    restrictionsIn(join(cwd, '.claude', 'settings.local.json')),
  ]);
  // A managed rule begins at the working directory, as those of the folder do.
  const anchored = (rule: string) => rule.replace(BESIDE_SETTINGS, (_, tool) => `${tool}(/${account}/`);
  return {
    deny: [...ofAccount.deny.map(anchored), ...ofFolder.flatMap(({ deny }) => deny)],
    ask: [...ofAccount.ask.map(anchored), ...ofFolder.flatMap(({ ask }) => ask)],
  };
}

/** None where there is no such file, or Claude Code could not read it either. */
async function restrictionsIn(file: string): Promise<Restrictions> {
  try {
    return settingsSchema.parse(JSON.parse(await readFile(file, 'utf8'))).permissions;
  } catch {
    return { deny: [], ask: [] };
  }
}
