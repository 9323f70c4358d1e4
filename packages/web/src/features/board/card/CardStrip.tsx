import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { useNow } from '../../../lib/time.ts';
import type { Strip } from './card-strip.ts';

const STYLES = {
  working: 'border-accent-line bg-accent-soft text-accent-ink',
  starting: 'border-line text-ink-2',
  queued: 'border-line text-ink-2',
  depends: 'border-line text-ink-2',
  asks: 'border-amber-line bg-amber-soft text-amber-ink',
  failed: 'border-red-line bg-red-soft text-red-ink',
} as const;

/** What the agent of the card is doing, and for how long; or what the task waits for. */
export function CardStrip({ kind, since, waitsFor = '', others = 0 }: Strip) {
  const { t } = useTranslation();
  return (
    <p
      data-strip={kind}
      className={clsx(
        'flex h-7 items-center gap-1.5 rounded-b-[5px] border-t px-2.5 text-12 leading-4',
        STYLES[kind],
      )}
    >
      {kind === 'working' && (
        <span className="size-1.5 flex-none animate-pulse-slow rounded-full bg-accent" />
      )}
      {kind === 'starting' && <Spinner className="size-2.5" />}
      {(kind === 'queued' || kind === 'depends') && <Icon name="clock" size={14} />}
      {kind === 'asks' && <Icon name="question" size={14} />}
      {kind === 'failed' && <Icon name="warning" size={14} />}
      <span className="min-w-0 flex-1 truncate">
        {kind === 'depends'
          ? t(others === 0 ? 'board.waitsFor' : 'board.waitsForMore', { title: waitsFor, others })
          : t(`board.strip.${kind}`)}
      </span>
      {since !== undefined && <Since since={since} />}
    </p>
  );
}

function Since({ since }: { readonly since: string }) {
  const now = useNow(1_000);
  const stopwatchText = useStopwatchText();
  return <span className="num flex-none">{stopwatchText(now.getTime() - Date.parse(since), 0)}</span>;
}
