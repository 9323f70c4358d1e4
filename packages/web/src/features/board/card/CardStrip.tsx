import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { useNow } from '../../../lib/time.ts';
import type { StripKind } from './card-strip.ts';

const STYLES = {
  working: 'border-accent-line bg-accent-soft text-accent-ink',
  starting: 'border-line text-ink-2',
  waiting: 'border-amber-line bg-amber-soft text-amber-ink',
  failed: 'border-red-line bg-red-soft text-red-ink',
} as const;

/** What the agent of the card is doing, and for how long. */
export function CardStrip({
  kind,
  session,
}: {
  readonly kind: StripKind;
  readonly session: AgentSessionView;
}) {
  const { t } = useTranslation();
  const now = useNow(1_000);
  const stopwatchText = useStopwatchText();
  return (
    <p
      className={clsx(
        'flex h-7 items-center gap-1.5 rounded-b-[5px] border-t px-2.5 text-12 leading-4',
        STYLES[kind],
      )}
    >
      {kind === 'working' && (
        <span className="size-1.5 flex-none animate-pulse-slow rounded-full bg-accent" />
      )}
      {kind === 'starting' && <Spinner className="size-2.5" />}
      {kind === 'waiting' && <Icon name="question" size={14} />}
      {kind === 'failed' && <Icon name="warning" size={14} />}
      <span className="min-w-0 flex-1 truncate">{t(`board.strip.${kind}`)}</span>
      <span className="num flex-none">{stopwatchText(now.getTime() - Date.parse(session.since), 0)}</span>
    </p>
  );
}
