import type { SettingsView } from '@aizuchi/shared/contract/settings';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Select } from '../../../components/Field.tsx';
import { FixedValue, SettingRow } from '../SettingRow.tsx';
import { durationOf, withPresent } from './durations.ts';
import { useSaveSetting } from './use-save-setting.ts';

type Name = 'pendingPurposeTtlSeconds' | 'sessionIdleTimeoutSeconds' | 'turnTimeoutSeconds';

interface DurationRowProps {
  readonly name: Name;
  readonly label: string;
  readonly hint: string;
  /** In seconds; a stored value that is not among them is added. */
  readonly choices: readonly number[];
  readonly settings: SettingsView;
  readonly testId: string;
}

/** A duration setting that is stored as soon as it is chosen. */
export function DurationRow(props: DurationRowProps) {
  const { name, label, hint, choices, settings, testId } = props;
  const { t } = useTranslation();
  const words = useDurationWords();
  const save = useSaveSetting(name);
  const value = save.isPending ? save.variables : settings[name];
  const isFixed = settings.sources[name] === 'env';
  return (
    <SettingRow label={label} hint={hint} error={save.error && <ErrorNote error={save.error} />}>
      {(control) =>
        isFixed ? (
          <FixedValue id={control.id} testId={testId} value={words(value)} reason={t('settings.fixed')} />
        ) : (
          <Select
            {...control}
            data-testid={testId}
            value={value}
            onChange={(event) => save.mutate(Number(event.target.value))}
          >
            {withPresent(choices, value).map((seconds) => (
              <option key={seconds} value={seconds}>
                {words(seconds)}
              </option>
            ))}
          </Select>
        )
      }
    </SettingRow>
  );
}

function useDurationWords(): (seconds: number) => string {
  const { t } = useTranslation();
  return (seconds) => {
    if (seconds === 0) return t('settings.never');
    const { unit, count } = durationOf(seconds);
    if (unit === 'hours') return t('settings.hours', { count });
    if (unit === 'minutes') return t('settings.minutes', { count });
    return t('settings.seconds', { count });
  };
}
