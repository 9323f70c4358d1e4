import { USABLE_PROVIDERS } from '@aizuchi/shared/core/agents/rules/providers';
import { useTranslation } from 'react-i18next';
import { Field, Input, Select, TextArea } from '../../../components/Field.tsx';
import { type AgentDraft, PROVIDERS } from './agent-draft.ts';

interface AgentFieldsProps {
  readonly draft: AgentDraft;
  readonly onChange: (change: Partial<AgentDraft>) => void;
  readonly autoFocus?: boolean;
}

/** What an AI agent is and how it is started. */
export function AgentFields({ draft, onChange, autoFocus = false }: AgentFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
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
            value={draft.role}
            onChange={(event) => onChange({ role: event.target.value })}
          />
        )}
      </Field>
      <ProviderField draft={draft} onChange={onChange} />
      {draft.provider === 'command' && <CommandFields draft={draft} onChange={onChange} />}
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
      <Field label={t('settings.labels')} hint={t('settings.labelsHint')}>
        {(control) => (
          <Input
            {...control}
            autoComplete="off"
            value={draft.labels}
            onChange={(event) => onChange({ labels: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

function ProviderField({ draft, onChange }: AgentFieldsProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('settings.provider')} hint={t(`settings.providerHint.${draft.provider}`)}>
      {(control) => (
        <Select
          {...control}
          data-testid="agent-provider"
          value={draft.provider}
          onChange={(event) =>
            onChange({ provider: PROVIDERS.find((one) => one === event.target.value) ?? 'builtin' })
          }
        >
          {PROVIDERS.map((provider) => {
            const isUsable = USABLE_PROVIDERS.includes(provider);
            const name = t(`projects.provider.${provider}`);
            return (
              <option key={provider} value={provider} disabled={!isUsable && provider !== draft.provider}>
                {isUsable ? name : t('settings.coming', { provider: name })}
              </option>
            );
          })}
        </Select>
      )}
    </Field>
  );
}

function CommandFields({ draft, onChange }: AgentFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('settings.file')} hint={t('settings.fileHint')}>
        {(control) => (
          <Input
            {...control}
            required
            maxLength={4_096}
            autoComplete="off"
            spellCheck={false}
            data-testid="agent-file"
            className="font-mono"
            value={draft.file}
            onChange={(event) => onChange({ file: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('settings.args')} hint={t('settings.argsHint')}>
        {(control) => (
          <TextArea
            {...control}
            spellCheck={false}
            data-testid="agent-args"
            className="font-mono"
            value={draft.args}
            onChange={(event) => onChange({ args: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('settings.mode')}>
        {(control) => (
          <Select
            {...control}
            value={draft.mode}
            onChange={(event) =>
              onChange({ mode: event.target.value === 'per_work' ? 'per_work' : 'resident' })
            }
          >
            <option value="resident">{t('settings.resident')}</option>
            <option value="per_work">{t('settings.perWork')}</option>
          </Select>
        )}
      </Field>
    </>
  );
}
