import { basename } from 'node:path';
import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import { CLAUDE_RETRIES, CLAUDE_TIMEOUTS } from '../claude-waits.ts';
import { toolNameOf } from './turn/tool-name.ts';

/** What is particular to an agent program. All of it was seen by running the program (docs/providers.md). */
export interface KnownAgent {
  /** For people. */
  readonly title: string;
  /** Names of its executable or script. */
  readonly programs: readonly string[];
  /** How it names itself when it is initialised. */
  readonly names: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the host has not set. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** What the key of the agent, when it has one, is called by the program. */
  readonly keyVariable?: string;
  /** What a person runs to sign in. */
  readonly signIn: string;
  /** Modes in which it asks about each edit and each command; the first that it offers is set. */
  readonly modes: readonly string[];
  /** Pieces of text that are a notice of the program, and no answer; and those that say nothing to a person. */
  readonly notice?: RegExp;
  readonly ignored?: RegExp;
  /** Lines of its log on stderr, which say nothing about why it ended. */
  readonly chatter?: RegExp;
  /** What it writes into the detail of a command beside its output. */
  readonly noise?: RegExp;
  /**
   * The tool of an MCP server named `aizuchi` that a call is for. Only what the program says counts: titles of commands
   * and inputs of tools are written by the model.
   */
  readonly ownTool: (call: ToolCallUpdate) => string | undefined;
  /** It puts MCP headers into the arguments of a process of its own, and fills in `${VARIABLE}` in them. */
  readonly fillsInHeaders?: true;
  /** A session is erased when it is loaded in the minute of the clock in which it was made, or for a second time. */
  readonly erasesOnLoad?: true;
  /** It sends what it replays after it has answered that the session is loaded. */
  readonly replaysLate?: true;
  /** Members of `_meta` of a new session. `instructions`: ours, for the system prompt. */
  readonly meta?: (instructions: string) => Readonly<Record<string, unknown>>;
}

const GEMINI: KnownAgent = {
  title: 'Gemini CLI',
  programs: ['gemini', 'gemini.js', 'gemini-cli'],
  names: ['gemini-cli'],
  // Without it the program starts itself a second time: 142 MB and two seconds.
  env: { GEMINI_CLI_NO_RELAUNCH: '1' },
  keyVariable: 'GEMINI_API_KEY',
  signIn: 'gemini',
  modes: ['default'],
  ignored: /^\[MODE_UPDATE\] /,
  noise: /^\[current working directory [^\]\n]*\]\s*/,
  // The title of a command is of the kind "execute".
  ownTool: ({ kind, title }) =>
    kind === 'other' ? /^(\w+) \(aizuchi MCP Server\)$/.exec(title ?? '')?.[1] : undefined,
  erasesOnLoad: true,
  replaysLate: true,
};

const CODEX: KnownAgent = {
  title: 'Codex',
  programs: ['codex-acp'],
  names: ['codex-acp', '@agentclientprotocol/codex-acp'],
  env: { NO_BROWSER: '1' },
  keyVariable: 'OPENAI_API_KEY',
  signIn: 'codex-acp login',
  // Not "agent": there a model decides what a person is asked. In "workspace-write" commands are not asked about.
  modes: ['read-only'],
  notice: /^Warning: /,
  ownTool: ({ title, _meta }) =>
    _meta?.is_mcp_tool_call === true ? /^mcp\.aizuchi\.(\w+)$/.exec(title ?? '')?.[1] : undefined,
};

const CLAUDE: KnownAgent = {
  title: 'Claude Code',
  programs: ['claude-agent-acp', 'claude-code-acp'],
  names: ['@agentclientprotocol/claude-agent-acp', '@zed-industries/claude-code-acp'],
  // Else each turn costs a second request: a guess of what the person writes next.
  env: { ...CLAUDE_RETRIES, CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false' },
  defaults: CLAUDE_TIMEOUTS,
  keyVariable: 'ANTHROPIC_API_KEY',
  signIn: 'claude-agent-acp --cli auth login',
  // It starts in "auto", where it asks nobody.
  modes: ['default'],
  fillsInHeaders: true,
  chatter: /^(?:\[[\w/-]+\] |claude auth status )/,
  ownTool: (call) => /^mcp__aizuchi__(\w+)$/.exec(toolNameOf(call) ?? '')?.[1],
  meta: (append) => ({ systemPrompt: { append } }),
};

/** For a program that nobody has looked at: the common names of modes that ask. */
const OTHER: KnownAgent = {
  title: '',
  programs: [],
  names: [],
  env: {},
  signIn: '',
  modes: ['default', 'ask', 'manual', 'read-only'],
  ownTool: ({ name }) => /^(?:mcp_+)?aizuchi_+(\w+)$/.exec(name ?? '')?.[1],
};

const KNOWN: readonly KnownAgent[] = [GEMINI, CODEX, CLAUDE];

export interface Program {
  /** The absolute path of the executable. */
  readonly file: string;
  readonly args: readonly string[];
}

/** By its command, before it runs: `gemini --acp`, but also `node …/gemini.js --acp` and `npx codex-acp`. */
export function agentOfProgram({ file, args }: Program): KnownAgent {
  const names = [file, ...args.filter((argument) => !argument.startsWith('-'))].map((part) =>
    basename(part).replace(/@[^@]*$/, ''),
  );
  const known = KNOWN.find(({ programs }) => programs.some((program) => names.includes(program)));
  return known ?? { ...OTHER, title: basename(file), signIn: basename(file) };
}

/** By how it names itself, else what its command says. */
export function agentNamed(name: string | undefined, fallback: KnownAgent): KnownAgent {
  return KNOWN.find(({ names }) => name !== undefined && names.includes(name)) ?? fallback;
}
