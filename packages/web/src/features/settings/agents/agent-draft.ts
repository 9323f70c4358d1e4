import type { Agent, CreateAgentBody, UpdateAgentBody } from '@aizuchi/shared/contract/agent';
import {
  COMING_PROVIDERS,
  type ProviderName,
  USABLE_PROVIDERS,
} from '@aizuchi/shared/core/agents/rules/providers';

/** In the order of the select: providers that this version can start come first. */
export const PROVIDERS = [...USABLE_PROVIDERS, ...COMING_PROVIDERS];

/** The fields of the form; lists are text. */
export interface AgentDraft {
  readonly name: string;
  readonly role: string;
  readonly provider: ProviderName;
  readonly systemPrompt: string;
  readonly file: string;
  /** One argument a line, so that none needs quoting. */
  readonly args: string;
  readonly mode: 'resident' | 'per_work';
  /** Separated by commas. */
  readonly labels: string;
}

export function agentDraftOf(agent: Agent | undefined): AgentDraft {
  return {
    name: agent?.name ?? '',
    role: agent?.role ?? '',
    provider: agent?.provider ?? 'builtin',
    systemPrompt: agent?.systemPrompt ?? '',
    file: agent?.command?.file ?? '',
    args: agent?.command?.args.join('\n') ?? '',
    mode: agent?.command?.mode ?? 'resident',
    labels: agent?.labels.join(', ') ?? '',
  };
}

export function createBodyOf(draft: AgentDraft, id: string): CreateAgentBody {
  const command = commandOf(draft);
  const role = draft.role.trim();
  const systemPrompt = draft.systemPrompt.trim();
  return {
    type: 'ai',
    name: draft.name.trim(),
    provider: draft.provider,
    labels: labelsOf(draft),
    ...(id !== '' && { id }),
    ...(role !== '' && { role }),
    ...(systemPrompt !== '' && { systemPrompt }),
    ...(command && { command }),
  };
}

export function updateBodyOf(draft: AgentDraft): UpdateAgentBody {
  return {
    name: draft.name.trim(),
    role: draft.role.trim() || null,
    provider: draft.provider,
    systemPrompt: draft.systemPrompt.trim() || null,
    command: commandOf(draft) ?? null,
    labels: labelsOf(draft),
  };
}

/** Whether something changed that a running agent uses only after its next start. */
export function needsRestart(before: AgentDraft, after: AgentDraft): boolean {
  const whatStarts = (draft: AgentDraft) =>
    JSON.stringify([draft.provider, draft.systemPrompt.trim(), commandOf(draft) ?? null]);
  return whatStarts(before) !== whatStarts(after);
}

function commandOf({ provider, file, args, mode }: AgentDraft) {
  if (provider !== 'command') return undefined;
  const list = args.split(/\r?\n/);
  // A line break after the last argument is not another argument.
  while (list.at(-1) === '') list.pop();
  return { file: file.trim(), args: list, mode };
}

function labelsOf({ labels }: AgentDraft): string[] {
  return [...new Set(labels.split(/[,、，]/).map((label) => label.trim()))].filter((label) => label !== '');
}
