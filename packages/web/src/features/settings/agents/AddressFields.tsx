import { useTranslation } from 'react-i18next';
import { Field, Input } from '../../../components/Field.tsx';
import type { AgentFieldsProps } from './AgentFields.tsx';

/** Where the model is, and the name of the variable with its key. */
export function AddressFields({ draft, onChange }: AgentFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('settings.baseUrl')} hint={t('settings.baseUrlHint')}>
        {(control) => (
          <Input
            {...control}
            required
            type="url"
            maxLength={2_000}
            autoComplete="off"
            spellCheck={false}
            data-testid="agent-base-url"
            className="font-mono"
            value={draft.baseUrl}
            onChange={(event) => onChange({ baseUrl: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('settings.apiKeyEnv')} hint={t('settings.apiKeyEnvHint')}>
        {(control) => (
          <Input
            {...control}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            data-testid="agent-key-variable"
            className="font-mono"
            value={draft.apiKeyEnv}
            onChange={(event) => onChange({ apiKeyEnv: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
