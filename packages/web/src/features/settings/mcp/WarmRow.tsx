import type { SettingsView } from '@aizuchi/shared/contract/settings';
import { WARM_ON_HOVER } from '@aizuchi/shared/core/chat/rules/warming';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Select } from '../../../components/Field.tsx';
import { FixedValue, SettingRow } from '../SettingRow.tsx';
import { useSaveSetting } from './use-save-setting.ts';

const CHOICES = ['never', 'builtin', 'all'] as const;

/** Which agents are started when a pointer rests on their avatar. */
export function WarmRow({ settings }: { readonly settings: SettingsView }) {
  const { t } = useTranslation();
  const save = useSaveSetting('warmOnHover');
  const value = save.isPending ? save.variables : settings.warmOnHover;
  const chosen = CHOICES.find((choice) => WARM_ON_HOVER[choice] === value) ?? 'never';
  return (
    <SettingRow
      label={t('settings.warm')}
      hint={t('settings.warmHint')}
      error={save.error && <ErrorNote error={save.error} />}
    >
      {(control) =>
        settings.sources.warmOnHover === 'env' ? (
          <FixedValue
            id={control.id}
            testId="settings-warm"
            value={t(`settings.warmChoice.${chosen}`)}
            reason={t('settings.fixed')}
          />
        ) : (
          <Select
            {...control}
            data-testid="settings-warm"
            value={value}
            onChange={(event) => save.mutate(Number(event.target.value))}
          >
            {CHOICES.map((choice) => (
              <option key={choice} value={WARM_ON_HOVER[choice]}>
                {t(`settings.warmChoice.${choice}`)}
              </option>
            ))}
          </Select>
        )
      }
    </SettingRow>
  );
}
