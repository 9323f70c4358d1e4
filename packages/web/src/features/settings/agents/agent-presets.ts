import { ACP_PROGRAMS, type HostProgramId } from '@aizuchi/shared/core/agents/rules/host-programs';
import type { AgentDraft } from './agent-draft.ts';

/** A program that speaks the Agent Client Protocol. Names and commands are the same in every language. */
export interface AgentPreset {
  readonly id: 'gemini' | 'codex' | 'claude';
  readonly name: string;
  /** As which hosts look for it. */
  readonly program: HostProgramId;
  readonly file: string;
  readonly args: readonly string[];
  /** What is run once on the host of the agent: to install it, and to sign in. */
  readonly install: string;
  readonly signIn: string;
}

export const AGENT_PRESETS: readonly AgentPreset[] = [
  {
    id: 'gemini',
    name: 'Gemini CLI',
    program: 'gemini',
    args: ['--acp'],
    install: 'npm install -g @google/gemini-cli',
    ...ACP_PROGRAMS.gemini,
  },
  {
    id: 'codex',
    name: 'Codex',
    program: 'codex',
    args: [],
    install: 'npm install -g @agentclientprotocol/codex-acp',
    ...ACP_PROGRAMS.codex,
  },
  {
    id: 'claude',
    name: 'Claude Code',
    program: 'claude_acp',
    args: [],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    ...ACP_PROGRAMS.claude_acp,
  },
];

/** What a click on a preset fills in. A name that a person has written stays. */
export function filledIn(preset: AgentPreset, { name }: Pick<AgentDraft, 'name'>): Partial<AgentDraft> {
  const isOwnName = name.trim() !== '' && !AGENT_PRESETS.some((other) => other.name === name.trim());
  return {
    ...(!isOwnName && { name: preset.name }),
    file: preset.file,
    args: preset.args.join('\n'),
  };
}

/** The preset that the command is of. */
export function presetOf({ file }: Pick<AgentDraft, 'file'>): AgentPreset | undefined {
  const program = file.trim().split('/').at(-1);
  return AGENT_PRESETS.find((preset) => preset.file === program);
}
