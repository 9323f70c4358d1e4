import type { Agent } from '@aizuchi/shared/contract/agent';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Select, TextArea } from '../../components/Field.tsx';
import { CronField } from './CronField.tsx';
import { type CronReading, readCron, timeZones } from './cron.ts';
import { MAX_PROMPT_LENGTH, promptProblem, type ScheduleDraft } from './schedule-draft.ts';

interface ScheduleFieldsProps {
  readonly draft: ScheduleDraft;
  readonly agents: readonly Agent[];
  /** The person tried to save: from now on missing values are reported. */
  readonly isSubmitted: boolean;
  readonly onChange: (change: Partial<ScheduleDraft>) => void;
}

type FieldProps = Pick<ScheduleFieldsProps, 'draft' | 'onChange'>;

export function ScheduleFields({ draft, agents, isSubmitted, onChange }: ScheduleFieldsProps) {
  const [openedAt] = useState(() => new Date());
  const reading = readCron(draft.cron, draft.timeZone, openedAt);
  return (
    <>
      <AgentField draft={draft} agents={agents} onChange={onChange} />
      <PromptField draft={draft} isSubmitted={isSubmitted} onChange={onChange} />
      <CronField draft={draft} reading={reading} onChange={onChange} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TimeZoneField draft={draft} reading={reading} onChange={onChange} />
        <OnMissedField draft={draft} onChange={onChange} />
      </div>
      <EnabledField draft={draft} onChange={onChange} />
    </>
  );
}

function AgentField({ draft, agents, onChange }: FieldProps & Pick<ScheduleFieldsProps, 'agents'>) {
  const { t } = useTranslation();
  const isKnownAgent = agents.some(({ id }) => id === draft.agentId);
  return (
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
  );
}

function PromptField({
  draft,
  isSubmitted,
  onChange,
}: FieldProps & Pick<ScheduleFieldsProps, 'isSubmitted'>) {
  const { t, i18n } = useTranslation();
  const problem = promptProblem(draft.prompt);
  return (
    <Field
      label={t('schedules.prompt')}
      hint={t('schedules.promptHint')}
      error={
        (isSubmitted || problem === 'promptTooLong') &&
        problem &&
        t(`schedules.${problem}`, { limit: MAX_PROMPT_LENGTH.toLocaleString(i18n.language) })
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
  );
}

function TimeZoneField({ draft, reading, onChange }: FieldProps & { readonly reading: CronReading }) {
  const { t } = useTranslation();
  const [zones] = useState(() => timeZones(draft.timeZone));
  return (
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
  );
}

function OnMissedField({ draft, onChange }: FieldProps) {
  const { t } = useTranslation();
  return (
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
  );
}

function EnabledField({ draft, onChange }: FieldProps) {
  const { t } = useTranslation();
  return (
    <label className="flex items-center gap-2 text-13 pointer-coarse:min-h-9">
      <input
        type="checkbox"
        checked={draft.enabled}
        onChange={({ target }) => onChange({ enabled: target.checked })}
        className="size-4 accent-accent"
      />
      {t('schedules.enabled')}
    </label>
  );
}
