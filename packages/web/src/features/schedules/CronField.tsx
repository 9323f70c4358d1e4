import { useTranslation } from 'react-i18next';
import { Field, Input } from '../../components/Field.tsx';
import { CronPreview } from './CronPreview.tsx';
import type { CronReading } from './cron.ts';
import { cronWords } from './cron-words.ts';
import { CRON_EXAMPLES, type ScheduleDraft } from './schedule-draft.ts';

interface CronFieldProps {
  readonly draft: ScheduleDraft;
  readonly reading: CronReading;
  readonly onChange: (change: Partial<ScheduleDraft>) => void;
}

/** The cron expression, examples to choose from, and what the expression means. */
export function CronField({ draft, reading, onChange }: CronFieldProps) {
  const { t, i18n } = useTranslation();
  return (
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
  );
}
