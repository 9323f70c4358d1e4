import { useTranslation } from 'react-i18next';
import { clockTime, exactTime, relativeTime, useNow } from '../lib/time.ts';

interface TimeProps {
  /** As the API has it. */
  readonly at: string;
  /** relative: "3m ago" · clock: 10:02. The exact one is on hover. */
  readonly format?: 'relative' | 'clock';
  readonly className?: string;
}

export function Time({ at, format = 'relative', className }: TimeProps) {
  const { i18n } = useTranslation();
  const now = useNow(30_000);
  const instant = new Date(at);
  const locale = i18n.language;
  return (
    <time dateTime={at} title={exactTime(instant, locale)} className={className}>
      {format === 'clock' ? clockTime(instant, locale) : relativeTime(instant, now, locale)}
    </time>
  );
}
