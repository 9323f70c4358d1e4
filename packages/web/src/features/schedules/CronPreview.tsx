import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import type { CronReading } from './cron.ts';
import { cronWords } from './cron-words.ts';
import { ZonedTime } from './ZonedTime.tsx';

interface CronPreviewProps {
  readonly cron: string;
  readonly timeZone: string;
  readonly reading: CronReading;
}

/** What the expression means: in words, and as the next times. */
export function CronPreview({ cron, timeZone, reading }: CronPreviewProps) {
  const { t, i18n } = useTranslation();
  return (
    <div role="status" data-testid="schedule-preview">
      {reading.ok && (
        <div className="rounded-md border border-line bg-canvas px-3 py-2">
          <p className="flex items-center gap-2 text-13 font-medium">
            <Icon name="clock" size={14} className="text-ink-3" />
            {cronWords(cron, i18n.language) ?? t('schedules.noWords')}
          </p>
          <p className="mt-1.5 text-12 text-ink-2">{t('schedules.nextTimes')}</p>
          <ol className="num text-12">
            {reading.next.map((at) => (
              <li key={at.getTime()}>
                <ZonedTime at={at} timeZone={timeZone} />
              </li>
            ))}
          </ol>
        </div>
      )}
    </div>
  );
}
