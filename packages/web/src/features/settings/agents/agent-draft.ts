import type { Agent, CreateAgentBody, UpdateAgentBody } from '@aizuchi/shared/contract/agent';
import { PROVIDERS, type ProviderName } from '@aizuchi/shared/core/agents/rules/providers';

/** The fields of the form; lists are text. */
export interface AgentDraft {
  readonly name: string;
  readonly role: string;
  readonly provider: ProviderName;
  readonly systemPrompt: string;
  readonly model: string;
  readonly baseUrl: string;
  /** The name of a variable, not a key. */
  readonly apiKeyEnv: string;
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
    model: agent?.model ?? '',
    baseUrl: agent?.baseUrl ?? '',
    apiKeyEnv: agent?.apiKeyEnv ?? '',
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
    ...given(modelOf(draft)),
    ...(command && { command }),
  };
}

export function updateBodyOf(draft: AgentDraft): UpdateAgentBody {
  return {
    name: draft.name.trim(),
    role: draft.role.trim() || null,
    systemPrompt: draft.systemPrompt.trim() || null,
    labels: labelsOf(draft),
    ...providerBodyOf(draft),
  };
}

/** Only how it runs: the provider and the fields that it has. */
export function providerBodyOf(draft: AgentDraft) {
  return { provider: draft.provider, ...modelOf(draft), command: commandOf(draft) ?? null };
}

/** The fields that the provider has; null: empty. Those that it does not have are kept, for the way back. */
function modelOf({ provider, model, baseUrl, apiKeyEnv }: AgentDraft) {
  const { takesModel, takesAddress } = PROVIDERS[provider];
  return {
    ...(takesModel && { model: model.trim() || null }),
    ...(takesAddress && { baseUrl: baseUrl.trim() || null, apiKeyEnv: apiKeyEnv.trim() || null }),
  };
}

function given({ model, baseUrl, apiKeyEnv }: ReturnType<typeof modelOf>) {
  return { ...(model && { model }), ...(baseUrl && { baseUrl }), ...(apiKeyEnv && { apiKeyEnv }) };
}

export function commandOf({ provider, file, args, mode }: AgentDraft) {
  if (!PROVIDERS[provider].takesCommand) return undefined;
  const list = args.split(/\r?\n/);
  // A line break after the last argument is not another argument.
  while (list.at(-1) === '') list.pop();
  const command = { file: file.trim(), args: list };
  // Our own runner stays and waits.
  return PROVIDERS[provider].isOwnRunner ? command : { ...command, mode };
}

export function labelsOf({ labels }: Pick<AgentDraft, 'labels'>): string[] {
  return [...new Set(labels.split(/[,、，]/).map((label) => label.trim()))].filter((label) => label !== '');
}
