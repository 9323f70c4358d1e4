import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { useNow } from '../../lib/time.ts';
import { countdown } from './countdown.ts';

const SOON_MS = 60_000;

/** How long the agent will wait. Only the server decides when the time is over. */
export function Deadline({ at }: { readonly at: string }) {
  const { t } = useTranslation();
  const left = Math.max(0, Date.parse(at) - useNow(1_000).getTime());
  return (
    <span
      role="timer"
      className={clsx('flex flex-none items-center gap-1', left < SOON_MS && 'text-amber-ink')}
    >
      <Icon name="clock" size={14} />
      {t('questions.left', { time: countdown(left) })}
    </span>
  );
}
