import type { NotificationSettings } from '@aizuchi/shared/contract/notification';
import { CATEGORIES } from '@aizuchi/shared/core/notifications/rules/categories';
import { useTranslation } from 'react-i18next';
import { Panel } from '../../../components/Panel.tsx';
import type { SaveSettings } from './NotificationsSection.tsx';

interface CategoriesPanelProps {
  readonly rules: NotificationSettings['rules'];
  readonly save: SaveSettings;
}

const ROW =
  'grid grid-cols-[minmax(0,1fr)_64px_64px] items-center gap-x-2 px-4 sm:grid-cols-[minmax(0,1fr)_88px_88px]';

/** What is sent, and what also in quiet hours. */
export function CategoriesPanel({ rules, save }: CategoriesPanelProps) {
  const { t } = useTranslation();
  return (
    <Panel title={t('notify.what')}>
      <div className={`${ROW} min-h-8 text-center text-12 text-ink-2`} aria-hidden="true">
        <span />
        <span>{t('notify.send')}</span>
        <span>{t('notify.inQuiet')}</span>
      </div>
      {CATEGORIES.map((category) => {
        const rule = rules[category];
        const what = t(`notify.category.${category}`);
        return (
          <div key={category} className={`${ROW} py-2`}>
            <div className="min-w-0">
              <h3 className="text-13 font-medium">{what}</h3>
              <p className="text-12 text-pretty text-ink-2">{t(`notify.categoryHint.${category}`)}</p>
            </div>
            <Check
              label={t('notify.sendsOf', { what })}
              isOn={rule.sends}
              onChange={(sends) => save({ rules: { [category]: { ...rule, sends } } })}
            />
            <Check
              label={t('notify.inQuietOf', { what })}
              isOn={rule.sends && rule.inQuiet}
              isOff={!rule.sends}
              onChange={(inQuiet) => save({ rules: { [category]: { ...rule, inQuiet } } })}
            />
          </div>
        );
      })}
    </Panel>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly isOff?: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Check({ label, isOn, isOff = false, onChange }: CheckProps) {
  return (
    <span className="grid min-h-9 place-items-center">
      <input
        type="checkbox"
        aria-label={label}
        checked={isOn}
        disabled={isOff}
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="size-4 accent-accent"
      />
    </span>
  );
}
