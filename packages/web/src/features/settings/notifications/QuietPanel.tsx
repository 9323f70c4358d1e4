import type { NotificationSettings } from '@aizuchi/shared/contract/notification';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../components/Button.tsx';
import { Field, Input } from '../../../components/Field.tsx';
import { Panel } from '../../../components/Panel.tsx';
import { Switch } from '../../../components/Switch.tsx';
import type { SaveSettings } from './NotificationsSection.tsx';

interface QuietPanelProps {
  readonly settings: NotificationSettings;
  readonly save: SaveSettings;
}

const NIGHT = { from: 22 * 60, to: 7 * 60, days: [0, 1, 2, 3, 4, 5, 6] };
/** As calendars of the country show them: from Monday. */
const DAYS = [1, 2, 3, 4, 5, 6, 0];
/** A Sunday. */
const SUNDAY = Date.UTC(2026, 10, 29);

export function QuietPanel({ settings, save }: QuietPanelProps) {
  const { t, i18n } = useTranslation();
  const { quiet, timeZone } = settings;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const nameOf = (day: number) =>
    new Intl.DateTimeFormat(i18n.language, { weekday: 'short', timeZone: 'UTC' }).format(
      SUNDAY + day * 86_400_000,
    );
  const isOn = quiet !== null;
  return (
    <Panel
      title={t('notify.quiet')}
      aside={
        <Switch
          isOn={isOn}
          label={t('notify.quiet')}
          onChange={(on) => save(on ? { quiet: NIGHT, timeZone: here } : { quiet: null })}
        />
      }
    >
      {quiet && (
        <div className="flex flex-col gap-3 px-4 py-3">
          <div className="flex flex-wrap gap-3">
            {(['from', 'to'] as const).map((end) => (
              <Field key={end} label={t(`notify.${end}`)}>
                {(control) => (
                  <Input
                    {...control}
                    type="time"
                    required
                    data-testid={`quiet-${end}`}
                    className="num !w-32"
                    defaultValue={toText(quiet[end])}
                    onBlur={(event) => {
                      const minutes = toMinutes(event.currentTarget.value);
                      if (minutes !== undefined && minutes !== quiet[end])
                        save({ quiet: { ...quiet, [end]: minutes } });
                    }}
                  />
                )}
              </Field>
            ))}
          </div>
          <fieldset className="flex flex-wrap gap-1">
            <legend className="sr-only">{t('notify.days')}</legend>
            {DAYS.map((day) => (
              <label
                key={day}
                className="flex min-h-9 items-center gap-1.5 rounded-md border border-line px-2 text-12 has-checked:border-accent-line has-checked:bg-accent-soft"
              >
                <input
                  type="checkbox"
                  className="accent-accent"
                  checked={quiet.days.includes(day)}
                  onChange={({ currentTarget }) => {
                    const days = currentTarget.checked
                      ? [...quiet.days, day]
                      : quiet.days.filter((one) => one !== day);
                    if (days.length > 0) save({ quiet: { ...quiet, days } });
                  }}
                />
                {nameOf(day)}
              </label>
            ))}
          </fieldset>
          <p className="text-12 text-ink-2">
            {t('notify.quietHint', { to: toText(quiet.to) })} {t('notify.timeZone', { zone: timeZone })}
          </p>
          {timeZone !== here && (
            <Button size="sm" className="self-start" onClick={() => save({ timeZone: here })}>
              {t('notify.useZone', { zone: here })}
            </Button>
          )}
        </div>
      )}
    </Panel>
  );
}

function toText(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function toMinutes(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{2}):(\d{2})$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}
