import { PROVIDERS } from '@aizuchi/shared/core/agents/rules/providers';
import { useTranslation } from 'react-i18next';
import { Field, Input, Select, TextArea } from '../../../components/Field.tsx';
import type { AgentFieldsProps } from './AgentFields.tsx';

/** The program of an agent. Only one that speaks MCP itself can be started for each work. */
export function CommandFields({ draft, onChange }: AgentFieldsProps) {
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
      {!PROVIDERS[draft.provider].isOwnRunner && (
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
      )}
    </>
  );
}
