import type { Conversation } from '@aizuchi/shared/contract/conversation';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/Icon.tsx';
import { clockTime } from '../../lib/time.ts';
import { isLive, outcomeOf } from './outcome.ts';
import { useOutcomeText } from './use-outcome-text.ts';

const TONES = {
  accent: 'bg-surface text-ink-2',
  neutral: 'bg-green-soft text-green-ink',
  amber: 'bg-amber-soft text-amber-ink',
  red: 'bg-red-soft text-red-ink',
} as const;

/** The end of a finished conversation: who ended it, when, and the final message. */
export function ConversationEnd({
  conversation,
  nameOf,
}: {
  readonly conversation: Conversation;
  readonly nameOf: (agentId: string) => string;
}) {
  const { t, i18n } = useTranslation();
  const words = useOutcomeText(nameOf);
  if (isLive(conversation)) return null;
  const { tone, key } = outcomeOf(conversation);
  const why = key === 'ended_by' || key === 'pending' || key === 'active' ? undefined : key;
  const { endedAt, finalMessage } = conversation;
  return (
    <footer
      className={clsx(
        'flex min-h-11 items-center gap-2 border-t border-line px-4 py-2 text-13 @xl:px-6',
        TONES[tone],
      )}
    >
      <Icon
        name={tone === 'neutral' ? 'done' : tone === 'red' ? 'warning' : 'info'}
        size={16}
        className="flex-none"
      />
      <p className="min-w-0 wrap-anywhere">
        <b className="font-semibold">{words(conversation)}</b>
        {endedAt !== null && (
          <span className="tabular-nums"> · {clockTime(new Date(endedAt), i18n.language)}</span>
        )}
        {finalMessage !== null && <span> “{finalMessage}”</span>}
        {finalMessage === null && why && <span> {t(`conversations.why.${why}`)}</span>}
      </p>
    </footer>
  );
}
