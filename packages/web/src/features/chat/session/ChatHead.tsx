import type { Agent } from '@aizuchi/shared/contract/agent';
import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../components/Avatar.tsx';
import { Button, IconButton } from '../../../components/Button.tsx';
import { KeyCap } from '../../../components/KeyCap.tsx';
import { useIsNarrow } from '../../../lib/hooks/use-media-query.ts';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { clockTime, stopwatch, useNow } from '../../../lib/time.ts';
import { ringOf } from '../../presence/presence.ts';
import { startsWithMessage } from './use-agent-session.ts';

interface ChatHeadProps {
  readonly agent: Pick<Agent, 'name'>;
  readonly session: AgentSessionView | undefined;
  /** The name of the agent that works in the folder, while this one waits for it. */
  readonly waitsFor: string | undefined;
  /** When the current start began, epoch milliseconds. */
  readonly startedAt: number | undefined;
  /** The words of its answer arrive. */
  readonly isAnswering: boolean;
  /** When the oldest open approval was asked for, epoch milliseconds. */
  readonly approvalSince: number | undefined;
  /** Absent while there is nothing to stop, and for people who may not. */
  readonly onStop: (() => void) | undefined;
  readonly menu: ReactNode;
  readonly onClose: () => void;
}

export function ChatHead(props: ChatHeadProps) {
  const { agent, session, approvalSince, onStop, menu, onClose } = props;
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
    <header className="@container flex h-14 flex-none items-center gap-3 border-b border-line pr-3 pl-4.5 max-sm:gap-2.5 max-sm:px-2">
      {isNarrow && close}
      <Avatar name={agent.name} type="ai" size={28} state={ringOf(session)} />
      <div className="flex min-w-0 flex-1 flex-col">
        <h2 className="truncate text-14 font-semibold">{agent.name}</h2>
        <p
          data-testid="chat-status"
          data-status={session?.chatStatus ?? 'none'}
          className="num truncate text-12 text-ink-2"
        >
          <StatusText {...props} />
        </p>
      </div>
      <div className="flex flex-none items-center gap-1">
        {onStop && (
          <Button size="sm" icon="stop" data-testid="chat-stop" onClick={onStop}>
            <span className="max-sm:sr-only">{t('chat.stop')}</span>
            <span
              aria-hidden="true"
              className={clsx(
                'flex pointer-coarse:hidden',
                approvalSince !== undefined && '@max-[420px]:hidden',
              )}
            >
              <KeyCap>Esc</KeyCap>
            </span>
          </Button>
        )}
        {menu}
        {!isNarrow && close}
      </div>
    </header>
  );
}

function StatusText({
  session,
  waitsFor,
  startedAt,
  isAnswering,
  approvalSince,
}: Pick<ChatHeadProps, 'session' | 'waitsFor' | 'startedAt' | 'isAnswering' | 'approvalSince'>) {
  const { t, i18n } = useTranslation();
  const status = session?.chatStatus ?? 'none';
  const isCounting = status === 'starting' || status === 'queued' || status === 'busy';
  const now = useNow(isCounting ? 100 : 1_000).getTime();
  const stopwatchText = useStopwatchText();
  if (!session) return t('chat.status.none');
  const since = Date.parse(session.since);
  const at = clockTime(new Date(since), i18n.language);
  if (waitsFor !== undefined) return waitsFor;
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
      // One clock for the whole turn.
      return t(isAnswering ? 'chat.status.answering' : 'chat.status.busy', { time: timeFrom(since) });
    case 'waiting_for_person':
      if (approvalSince !== undefined)
        return t('chat.status.waiting_for_approval', { time: minutes(now - approvalSince) });
      return t('chat.status.waiting_for_person', { time: timeFrom(since) });
    case 'failed':
      return session.reason === 'sign_in_refused'
        ? t('chat.status.sign_in_refused', { at })
        : t('chat.status.failed', { at });
    case 'none':
      return t(startsWithMessage(session) ? 'chat.status.starts_with_message' : 'chat.status.none');
    default:
      return t(`chat.status.${status}`);
  }
}

/** 0:48 */
function minutes(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return seconds < 60 ? `0:${String(seconds).padStart(2, '0')}` : stopwatch(ms);
}
