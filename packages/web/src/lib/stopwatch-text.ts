import { useTranslation } from 'react-i18next';
import { stopwatch } from './time.ts';

/** "2.1 s", "4:12", "2:29:00": always with a unit or a colon. */
export function useStopwatchText(): (ms: number, digits?: 0 | 1) => string {
  const { t } = useTranslation();
  return (ms, digits) =>
    ms < 60_000 ? t('common.seconds', { seconds: stopwatch(ms, digits) }) : stopwatch(ms);
}
