import type { Options } from '@anthropic-ai/claude-agent-sdk/core';
import type { SessionOptions } from '../../driver.ts';
import { CLAUDE_RETRIES, CLAUDE_TIMEOUTS } from '../claude-waits.ts';
import { SERVER_NAME, WITHHELD_TOOLS } from './model-tools.ts';
import { systemPromptOf } from './prompt.ts';

/** Where Claude Code runs, and as what. */
export interface ClaudeHost {
  /** The absolute path of its executable. */
  readonly executable: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The default of Claude Code when it is absent. */
  readonly model?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Longer than our server holds a call. */
const TOOL_TIMEOUT_MS = 45_000;

/**
 * The tools of Claude Code that fit a chat. Left out: what works on its own after the answer (Monitor, Cron…), what talks
 * past Aizuchi to other sessions of the host (SendMessage, ListAgents), and what needs a terminal (plan mode).
 */
const TOOLS = [
  'Bash',
  'Read',
  'Edit',
  'Write',
  'NotebookEdit',
  'Grep',
  'Glob',
  'WebFetch',
  'WebSearch',
  'Task',
  'Skill',
  'AskUserQuestion',
];

/** Set for every session, whatever the environment of the Coordinator says. */
const ALWAYS: Environment = {
  ...CLAUDE_RETRIES,
  // A session that was killed in the middle of a turn repeats it when it is resumed.
  CLAUDE_CODE_RESUME_INTERRUPTED_TURN: '1',
  // A turn is over when its answer is: nothing goes on and calls the model again.
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
  CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
  // No telemetry, no error reports, no check of the connection, no update of the program while it runs.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
};

/** What another Claude Code sets for its own children: an agent that inherits it takes itself for one of them. */
const OF_ANOTHER_SESSION =
  /^CLAUDE_CODE_(?:SESSION_|CHILD_SESSION|ENTRYPOINT|SSE_PORT|MESSAGING_|.*_FILE_DESCRIPTOR$)/;

export function claudeEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !OF_ANOTHER_SESSION.test(name));
  return Object.fromEntries(
    [...Object.entries(CLAUDE_TIMEOUTS), ...kept, ...Object.entries(ALWAYS)].flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** The parts of the options that follow from the agent and the host. */
export function queryOptions(host: ClaudeHost, session: SessionOptions, resume: string | undefined): Options {
  const { agentName, mcp, systemPrompt } = session;
  return {
    pathToClaudeCodeExecutable: host.executable,
    cwd: host.cwd,
    env: claudeEnvironment(host.env),
    ...(host.model !== undefined && { model: host.model }),
    ...(resume !== undefined && { resume }),
    // Without a title the first message would cost a request more, for one.
    title: agentName,
    includePartialMessages: true,
    // As in the terminal of the user: CLAUDE.md, settings, hooks and skills of the account and of the project count,
    // but not what they allow (policy-options.ts).
    settingSources: ['user', 'project', 'local'],
    // A prompt that was changed counts from the next start on.
    systemPrompt: {
      type: 'preset',
      preset: 'claude_code',
      append: systemPromptOf(agentName, systemPrompt),
      snapshot: false,
    },
    tools: TOOLS,
    disallowedTools: [...WITHHELD_TOOLS],
    // By stdin. Arguments are visible in the list of processes, and each command that the model runs is given the
    // environment: the token is in neither.
    mcpServersDelivery: 'initialize',
    mcpServers: {
      [SERVER_NAME]: {
        type: 'http',
        url: mcp.url,
        headers: { Authorization: `Bearer ${mcp.token}` },
        alwaysLoad: true,
        timeout: TOOL_TIMEOUT_MS,
      },
    },
  };
}
