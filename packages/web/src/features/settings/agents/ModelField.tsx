import { PROVIDERS } from '@aizuchi/shared/core/agents/rules/providers';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Input } from '../../../components/Field.tsx';
import type { AgentFieldsProps } from './AgentFields.tsx';
import { KnownModelList } from './KnownModelList.tsx';
import { ModelList } from './ModelList.tsx';

/** The name of the model: typed, or chosen from what its address or program offers. */
export function ModelField({ draft, onChange, agentId }: AgentFieldsProps) {
  const { t } = useTranslation();
  const id = useId();
  const { takesAddress } = PROVIDERS[draft.provider];
  const choose = (model: string) => onChange({ model });
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={<span id={id}>{t('settings.model')}</span>}
        hint={t(takesAddress ? 'settings.modelHint' : 'settings.ownModelHint')}
      >
        {(control) => (
          <Input
            {...control}
            required={takesAddress}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            data-testid="agent-model"
            className="font-mono"
            value={draft.model}
            onChange={(event) => onChange({ model: event.target.value })}
          />
        )}
      </Field>
      {takesAddress ? (
        <ModelList labelledBy={id} baseUrl={draft.baseUrl.trim()} model={draft.model} onChoose={choose} />
      ) : (
        <KnownModelList labelledBy={id} draft={draft} agentId={agentId} onChoose={choose} />
      )}
    </div>
  );
}
