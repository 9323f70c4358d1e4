import type { Agent } from '@aizuchi/shared/contract/agent';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TextArea } from '../../../components/Field.tsx';
import { LabelsField, NameFields, ProviderFields } from '../../settings/agents/AgentFields.tsx';
import {
  type AgentDraft,
  agentDraftOf,
  labelsOf,
  providerBodyOf,
} from '../../settings/agents/agent-draft.ts';
import { RestartNote } from '../../settings/agents/RestartNote.tsx';
import { BoxForm } from './BoxForm.tsx';
import { CredentialPanel } from './CredentialPanel.tsx';
import { LimitsForm } from './LimitsForm.tsx';
import { ProviderChoice } from './ProviderChoice.tsx';
import { SetUpForm } from './SetUpForm.tsx';
import { useSaveAgent } from './use-save-agent.ts';

/** How an agent is set up, for owners. What it is started with takes effect at its next start. */
export function SetUp({ agent }: { readonly agent: Agent }) {
  return (
    <>
      <RestartNote key={agent.setUpAt} agent={agent} />
      <ProviderForm agent={agent} />
      <PromptForm agent={agent} />
      <LimitsForm agent={agent} />
      <BoxForm agent={agent} />
      <FactsForm agent={agent} />
      <CredentialPanel agent={agent} />
    </>
  );
}

interface PartProps {
  readonly agent: Agent;
}

function useDraft(agent: Agent) {
  const [draft, setDraft] = useState(() => agentDraftOf(agent));
  const change = (changed: Partial<AgentDraft>) => setDraft((before) => ({ ...before, ...changed }));
  const isChanged = (part: (draft: AgentDraft) => unknown) =>
    JSON.stringify(part(draft)) !== JSON.stringify(part(agentDraftOf(agent)));
  return { draft, change, isChanged };
}

function ProviderForm({ agent }: PartProps) {
  const { t } = useTranslation();
  const { draft, change, isChanged } = useDraft(agent);
  const save = useSaveAgent(agent);
  return (
    <SetUpForm
      title={t('agentPage.provider')}
      testId="agent-set-up"
      isChanged={isChanged(providerBodyOf)}
      save={save}
      onSave={() => save.mutate(providerBodyOf(draft))}
      note={t('agentPage.atNextStart')}
    >
      <ProviderChoice provider={draft.provider} onChange={(provider) => change({ provider })} />
      <ProviderFields draft={draft} onChange={change} agentId={agent.id} />
    </SetUpForm>
  );
}

function PromptForm({ agent }: PartProps) {
  const { t } = useTranslation();
  const { draft, change, isChanged } = useDraft(agent);
  const save = useSaveAgent(agent);
  const systemPrompt = draft.systemPrompt.trim() || null;
  return (
    <SetUpForm
      title={t('agentPage.prompt')}
      testId="agent-set-prompt"
      isChanged={isChanged((one) => one.systemPrompt.trim())}
      save={save}
      onSave={() => save.mutate({ systemPrompt })}
      note={t('agentPage.promptNote', { count: [...draft.systemPrompt.trim()].length })}
    >
      <TextArea
        aria-label={t('agentPage.prompt')}
        maxLength={100_000}
        placeholder={t('settings.systemPromptHint')}
        data-testid="agent-prompt"
        className="-m-3 w-auto! resize-y rounded-b-none! border-transparent! px-3! focus-visible:-outline-offset-2"
        value={draft.systemPrompt}
        onChange={(event) => change({ systemPrompt: event.target.value })}
      />
    </SetUpForm>
  );
}

function FactsForm({ agent }: PartProps) {
  const { t } = useTranslation();
  const { draft, change, isChanged } = useDraft(agent);
  const save = useSaveAgent(agent);
  const facts = (one: AgentDraft) => ({
    name: one.name.trim(),
    role: one.role.trim() || null,
    labels: labelsOf(one),
  });
  return (
    <SetUpForm
      title={t('agentPage.facts')}
      testId="agent-set-facts"
      isChanged={isChanged(facts)}
      save={save}
      onSave={() => save.mutate(facts(draft))}
      note={
        <>
          ID <span className="font-mono select-all">{agent.id}</span>
        </>
      }
    >
      <NameFields draft={draft} onChange={change} />
      <LabelsField draft={draft} onChange={change} />
    </SetUpForm>
  );
}
