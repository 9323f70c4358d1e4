import type { Agent } from '@aizuchi/shared/contract/agent';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Input, Select, TextArea } from '../../components/Field.tsx';
import { CronPreview } from './CronPreview.tsx';
import { readCron, timeZones } from './cron.ts';
import { cronWords } from './cron-words.ts';
import { CRON_EXAMPLES, PROMPT_MAX_LENGTH, promptProblem, type ScheduleDraft } from './schedule-draft.ts';

interface ScheduleFieldsProps {
  readonly draft: ScheduleDraft;
  readonly agents: readonly Agent[];
  /** It was to be saved: what is missing is said now. */
  readonly isTried: boolean;
  readonly onChange: (change: Partial<ScheduleDraft>) => void;
}

export function ScheduleFields({ draft, agents, isTried, onChange }: ScheduleFieldsProps) {
  const { t, i18n } = useTranslation();
  const [openedAt] = useState(() => new Date());
  const [zones] = useState(() => timeZones(draft.timeZone));
  const reading = readCron(draft.cron, draft.timeZone, openedAt);
  const problem = promptProblem(draft.prompt);
  const isKnownAgent = agents.some(({ id }) => id === draft.agentId);
  return (
    <>
      <Field label={t('schedules.agent')}>
        {(control) => (
          <Select
            {...control}
            data-testid="schedule-agent"
            value={draft.agentId}
            onChange={({ target }) => onChange({ agentId: target.value })}
          >
            {!isKnownAgent && (
              <option value={draft.agentId}>{t('schedules.agentGone', { id: draft.agentId })}</option>
            )}
            {agents.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label={t('schedules.prompt')}
        hint={t('schedules.promptHint')}
        error={
          (isTried || problem === 'promptTooLong') &&
          problem &&
          t(`schedules.${problem}`, { limit: PROMPT_MAX_LENGTH.toLocaleString(i18n.language) })
        }
      >
        {(control) => (
          <TextArea
            {...control}
            autoFocus
            data-testid="schedule-prompt"
            value={draft.prompt}
            onChange={({ target }) => onChange({ prompt: target.value })}
          />
        )}
      </Field>
      <div className="flex flex-col gap-2">
        <Field
          label={t('schedules.cron')}
          hint={t('schedules.cronHint')}
          error={
            !reading.ok && reading.problem !== 'time_zone' && t(`schedules.cronProblem.${reading.problem}`)
          }
        >
          {(control) => (
            <Input
              {...control}
              data-testid="schedule-cron"
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
              value={draft.cron}
              onChange={({ target }) => onChange({ cron: target.value })}
            />
          )}
        </Field>
        <fieldset aria-label={t('schedules.examples')} className="flex flex-wrap gap-1.5">
          {CRON_EXAMPLES.map((cron) => (
            <button
              key={cron}
              type="button"
              aria-pressed={draft.cron.trim() === cron}
              onClick={() => onChange({ cron })}
              className="min-h-6 rounded-md border border-line px-2 text-12 text-ink-2 hover:bg-hover aria-pressed:border-accent-line aria-pressed:bg-accent-soft aria-pressed:text-accent-ink pointer-coarse:min-h-9"
            >
              {cronWords(cron, i18n.language)}
            </button>
          ))}
        </fieldset>
        <CronPreview cron={draft.cron} timeZone={draft.timeZone} reading={reading} />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={t('schedules.timeZone')}
          error={!reading.ok && reading.problem === 'time_zone' && t('schedules.cronProblem.time_zone')}
        >
          {(control) => (
            <Select
              {...control}
              data-testid="schedule-zone"
              value={draft.timeZone}
              onChange={({ target }) => onChange({ timeZone: target.value })}
            >
              {zones.map((zone) => (
                <option key={zone}>{zone}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field label={t('schedules.onMissed')}>
          {(control) => (
            <Select
              {...control}
              data-testid="schedule-missed"
              value={draft.onMissed}
              onChange={({ target }) => onChange({ onMissed: target.value === 'once' ? 'once' : 'skip' })}
            >
              <option value="skip">{t('schedules.missed.skip')}</option>
              <option value="once">{t('schedules.missed.once')}</option>
            </Select>
          )}
        </Field>
      </div>
      <label className="flex items-center gap-2 text-13 pointer-coarse:min-h-9">
        <input
          type="checkbox"
          checked={draft.enabled}
          onChange={({ target }) => onChange({ enabled: target.checked })}
          className="size-4 accent-accent"
        />
        {t('schedules.enabled')}
      </label>
    </>
  );
}
