import { AGENT_EXECUTORS, type Agent, BOX_BOUNDS } from '@aizuchi/shared/contract/agent';
import { isImageReference } from '@aizuchi/shared/core/agents/rules/image-reference';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Input, Select } from '../../../components/Field.tsx';
import { BOX_FIELDS, boxDraftOf, boxValueOf, limitsOf } from './box-draft.ts';
import { SetUpForm } from './SetUpForm.tsx';
import { useSaveAgent } from './use-save-agent.ts';

/** The image of the runs of an agent, and what they may need, where they live in containers. */
export function BoxForm({ agent }: { readonly agent: Agent }) {
  const { t, i18n } = useTranslation();
  const stored = boxDraftOf(agent, i18n.language);
  const [draft, setDraft] = useState(stored);
  const [executor, setExecutor] = useState(agent.executor);
  const [typedImage, setTypedImage] = useState(agent.image ?? '');
  const save = useSaveAgent(agent);
  const limits = limitsOf(draft);
  const image = typedImage.trim() === '' ? null : typedImage.trim();
  const isImage = image === null || isImageReference(image);
  const isChanged =
    limits !== undefined &&
    isImage &&
    JSON.stringify([limits, executor, image]) !==
      JSON.stringify([limitsOf(stored), agent.executor, agent.image ?? null]);
  return (
    <SetUpForm
      title={t('agentPage.box.title')}
      testId="agent-set-box"
      isChanged={isChanged}
      save={save}
      onSave={() => limits !== undefined && save.mutate({ limits, executor, image })}
      note={t('agentPage.atNextStart')}
    >
      <Field label={t('agentPage.box.where')}>
        {(control) => (
          <Select
            {...control}
            data-testid="agent-box-executor"
            value={executor}
            onChange={(event) => {
              const chosen = AGENT_EXECUTORS.find((one) => one === event.target.value);
              if (chosen !== undefined) setExecutor(chosen);
            }}
          >
            {AGENT_EXECUTORS.map((one) => (
              <option key={one} value={one}>
                {t(`agentPage.box.in.${one}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <p className="text-12 text-pretty text-ink-2">{t('agentPage.box.note')}</p>
      <Field
        label={t('agentPage.box.image')}
        hint={t('agentPage.box.imageHint')}
        error={!isImage && t('agentPage.box.imageRule')}
      >
        {(control) => (
          <Input
            {...control}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-testid="agent-box-image"
            placeholder={t('agentPage.box.default')}
            value={typedImage}
            onChange={(event) => setTypedImage(event.target.value)}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-3">
        {BOX_FIELDS.map((field) => {
          const [least, most] = BOX_BOUNDS[field].map((bound) => bound.toLocaleString(i18n.language));
          return (
            <Field
              key={field}
              label={t(`agentPage.box.${field}`)}
              error={boxValueOf(draft, field) === undefined && t('agentPage.box.rule', { least, most })}
            >
              {(control) => (
                <Input
                  {...control}
                  inputMode="numeric"
                  autoComplete="off"
                  data-testid={`agent-box-${field}`}
                  className="num"
                  placeholder={t('agentPage.box.default')}
                  value={draft[field]}
                  onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
                />
              )}
            </Field>
          );
        })}
      </div>
    </SetUpForm>
  );
}
