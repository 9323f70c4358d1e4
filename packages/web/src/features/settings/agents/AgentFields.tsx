import { PROVIDERS } from '@aizuchi/shared/core/agents/rules/providers';
import { useTranslation } from 'react-i18next';
import { Field, Input, TextArea } from '../../../components/Field.tsx';
import { AcpPresets } from './AcpPresets.tsx';
import { AddressFields } from './AddressFields.tsx';
import type { AgentDraft } from './agent-draft.ts';
import { CommandFields } from './CommandFields.tsx';
import { ModelField } from './ModelField.tsx';

export interface AgentFieldsProps {
  readonly draft: AgentDraft;
  readonly onChange: (change: Partial<AgentDraft>) => void;
  readonly autoFocus?: boolean;
  /** Absent: it is being made. */
  readonly agentId?: string;
}

/** What the chosen provider needs: the one place for the fields of a provider, in the dialog and on the agent's page. */
export function ProviderFields({ draft, onChange, agentId }: AgentFieldsProps) {
  const provider = PROVIDERS[draft.provider];
  return (
    <>
      {draft.provider === 'acp' && <AcpPresets draft={draft} onChange={onChange} />}
      {provider.takesAddress && <AddressFields draft={draft} onChange={onChange} />}
      {provider.takesModel && (
        <ModelField draft={draft} onChange={onChange} {...(agentId !== undefined && { agentId })} />
      )}
      {provider.takesCommand && <CommandFields draft={draft} onChange={onChange} />}
    </>
  );
}

/** Name and role, side by side where there is room. */
export function NameFields({ draft, onChange, autoFocus = false }: AgentFieldsProps) {
  const { t } = useTranslation();
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t('settings.name')}>
        {(control) => (
          <Input
            {...control}
            required
            maxLength={200}
            autoFocus={autoFocus}
            autoComplete="off"
            data-testid="agent-name"
            value={draft.name}
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('settings.role')} hint={t('settings.roleHint')}>
        {(control) => (
          <Input
            {...control}
            maxLength={200}
            autoComplete="off"
            data-testid="agent-role"
            value={draft.role}
            onChange={(event) => onChange({ role: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

export function PromptField({ draft, onChange }: AgentFieldsProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('settings.systemPrompt')} hint={t('settings.systemPromptHint')}>
      {(control) => (
        <TextArea
          {...control}
          maxLength={100_000}
          data-testid="agent-prompt"
          value={draft.systemPrompt}
          onChange={(event) => onChange({ systemPrompt: event.target.value })}
        />
      )}
    </Field>
  );
}

export function LabelsField({ draft, onChange }: AgentFieldsProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('settings.labels')} hint={t('settings.labelsHint')}>
      {(control) => (
        <Input
          {...control}
          autoComplete="off"
          data-testid="agent-labels"
          value={draft.labels}
          onChange={(event) => onChange({ labels: event.target.value })}
        />
      )}
    </Field>
  );
}
