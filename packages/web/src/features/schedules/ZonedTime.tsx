import { useTranslation } from 'react-i18next';
import { exactTime, useNow } from '../../lib/time.ts';
import { isSameClock, zonedTime } from './zoned-time.ts';

/** The time in the reader's time zone, and in that of the schedule if it differs. */
export function ZonedTime({ at, timeZone }: { readonly at: Date; readonly timeZone: string }) {
  const { t, i18n } = useTranslation();
  const now = useNow(30_000);
  const locale = i18n.language;
  return (
    <>
      <time dateTime={at.toISOString()} title={exactTime(at, locale)}>
        {zonedTime(at, now, locale)}
      </time>
      {!isSameClock(at, timeZone) && (
        <span className="text-ink-3">
          {' '}
          · {t('schedules.there', { zone: timeZone, at: zonedTime(at, now, locale, timeZone) })}
        </span>
      )}
    </>
  );
}
