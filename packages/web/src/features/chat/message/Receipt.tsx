import type { Message } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import { Tooltip } from '../../../components/Tooltip.tsx';
import { clockTime } from '../../../lib/time.ts';
import type { StateTimes } from '../timeline/timeline-state.ts';

const ICONS = {
  stored: 'check',
  delivered: 'doubleCheck',
  answered: 'doubleCheck',
  failed: 'warning',
} as const;
const WAY = ['stored', 'delivered', 'answered'] as const;

/** The state of a message in words; on hover the states before it, with the times that this tab observed. */
export function Receipt({
  message,
  stateTimes,
}: {
  readonly message: Message;
  readonly stateTimes: StateTimes | undefined;
}) {
  const { t, i18n } = useTranslation();
  const { id, state } = message;
  const failure = failureText(t, message, i18n.language);
  const way = receiptText(t, message, { stateTimes, failure });
  return (
    <Tooltip text={way} side="left">
      <span
        data-testid={`message-state-${id}`}
        data-state={state}
        className={clsx('flex items-center gap-1', state === 'failed' && 'text-red-ink')}
      >
        <Icon
          name={ICONS[state]}
          size={14}
          className={state === 'answered' ? 'text-accent-ink' : undefined}
        />
        {t(`chat.state.${state}`)}
        <span className="sr-only">{way}</span>
      </span>
    </Tooltip>
  );
}

/** "stored → delivered 8 ms → answered 2.9 s", or "stored → failed: why". */
function receiptText(
  t: TFunction,
  { state, redelivered }: Message,
  { stateTimes = {}, failure }: { stateTimes: StateTimes | undefined; failure: string | undefined },
): string {
  if (state === 'failed' && failure !== undefined)
    return `${t('chat.receipt.stored')} → ${t('chat.receipt.failed')}: ${failure}`;
  const reached = WAY.slice(0, WAY.indexOf(state === 'failed' ? 'stored' : state) + 1);
  const parts = reached.map((one, index) => {
    const from = reached[index - 1];
    const began = from === undefined ? undefined : stateTimes[from];
    const at = stateTimes[one];
    const took = began === undefined || at === undefined ? '' : ` ${spanText(t, at - began)}`;
    return t(`chat.receipt.${one}`) + took;
  });
  return parts.join(' → ') + (redelivered ? ` (${t('chat.redelivered')})` : '');
}

/** Why a message failed; undefined: it has not. */
export function failureText(
  t: TFunction,
  { failure }: Pick<Message, 'failure'>,
  language: string,
): string | undefined {
  if (!failure) return undefined;
  const { code, params } = failure;
  if (code !== 'quota_reached' && code !== 'usage_limit') return t(`chat.failure.${code}`);
  const at = clockTime(new Date(String(params.resumesAt)), language);
  return t(`chat.failure.${code}`, { at });
}

export function spanText(t: TFunction, ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  return t('common.seconds', { seconds: seconds < 10 ? seconds.toFixed(1) : Math.round(seconds) });
}
