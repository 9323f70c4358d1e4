import type { Agent } from '@aizuchi/shared/contract/agent';
import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { IconButton } from '../../../components/Button.tsx';
import { useIsNarrow } from '../../../lib/hooks/use-media-query.ts';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { clockTime, useNow } from '../../../lib/time.ts';
import { ringOf } from '../../presence/presence.ts';

interface ChatHeadProps {
  readonly agent: Pick<Agent, 'name'>;
  readonly session: AgentSessionView | undefined;
  /** When the current start began, epoch milliseconds. */
  readonly startedAt: number | undefined;
  /** When the streamed answer began, epoch milliseconds. */
  readonly answeringSince: number | undefined;
  readonly menu: ReactNode;
  readonly onClose: () => void;
}

export function ChatHead({ agent, session, startedAt, answeringSince, menu, onClose }: ChatHeadProps) {
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const close = (
    <IconButton
      icon={isNarrow ? 'chevronLeft' : 'close'}
      label={t('common.close')}
      data-testid="chat-close"
      onClick={onClose}
    />
  );
  return (
    <header className="flex h-14 flex-none items-center gap-3 border-b border-line pr-3 pl-4.5 max-sm:gap-2.5 max-sm:px-2">
      {isNarrow && close}
      <Avatar name={agent.name} type="ai" size={28} state={ringOf(session)} />
      <div className="flex min-w-0 flex-1 flex-col">
        <h2 className="truncate text-14 font-semibold">{agent.name}</h2>
        <p
          data-testid="chat-status"
          data-status={session?.chatStatus ?? 'none'}
          className="num truncate text-12 text-ink-2"
        >
          <StatusText session={session} startedAt={startedAt} answeringSince={answeringSince} />
        </p>
      </div>
      <div className="flex flex-none">
        {menu}
        {!isNarrow && close}
      </div>
    </header>
  );
}

function StatusText({
  session,
  startedAt,
  answeringSince,
}: Pick<ChatHeadProps, 'session' | 'startedAt' | 'answeringSince'>) {
  const { t, i18n } = useTranslation();
  const status = session?.chatStatus ?? 'none';
  const isCounting = status === 'starting' || status === 'queued' || status === 'busy';
  const now = useNow(isCounting ? 100 : 1_000).getTime();
  const stopwatchText = useStopwatchText();
  if (!session) return t('chat.status.none');
  const since = Date.parse(session.since);
  const at = clockTime(new Date(since), i18n.language);
  const timeFrom = (from: number) => stopwatchText(now - from);
  switch (status) {
    case 'queued':
    case 'starting':
      return t(`chat.status.${status}`, { time: timeFrom(startedAt ?? since) });
    case 'ready':
      return session.idleAt === undefined
        ? t('chat.status.ready')
        : t('chat.status.readyUntil', { until: clockTime(new Date(session.idleAt), i18n.language) });
    case 'busy':
      return answeringSince === undefined
        ? t('chat.status.busy', { time: timeFrom(since) })
        : t('chat.status.answering', { time: timeFrom(answeringSince) });
    case 'waiting_for_person':
      return t('chat.status.waiting_for_person', { time: timeFrom(since) });
    case 'failed':
      return session.reason === 'sign_in_refused'
        ? t('chat.status.sign_in_refused', { at })
        : t('chat.status.failed', { at });
    default:
      return t(`chat.status.${status}`);
  }
}
