import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import { Spinner } from '../../../components/Spinner.tsx';
import { clockTime } from '../../../lib/time.ts';
import type { Timeline } from '../timeline/timeline.ts';

interface WaitingLineProps {
  readonly name: string;
  readonly session: AgentSessionView | undefined;
  /** That it waits until another work in the folder is done. */
  readonly waitsFor: string | undefined;
  readonly timeline: Timeline;
  /** What waits for a person. */
  readonly asks: 'question' | 'approval' | undefined;
  /** Scrolls to that card; absent while it is in view. */
  readonly onShowCard: (() => void) | undefined;
}

/** What the chat is waiting for. The height is fixed, so that the messages do not move when the text appears. */
export function WaitingLine({ name, session, waitsFor, timeline, asks, onShowCard }: WaitingLineProps) {
  const { t, i18n } = useTranslation();
  const status = session?.chatStatus;
  const waiting = timeline.messages.filter(
    ({ sender, state }) => sender === 'user' && (state === 'stored' || state === 'delivered'),
  );
  const isStored = waiting.some(({ state }) => state === 'stored');
  const isAnswering = status === 'busy' || waiting.some(({ state }) => state === 'delivered');
  const line = lineOf();
  return (
    <div className="flex h-6 flex-none items-start px-4.5 max-sm:px-3">
      {line && (
        <p
          data-testid="chat-waiting-indicator"
          className="flex min-w-0 items-center gap-2 text-12 text-ink-2"
        >
          {line.icon}
          <span className="num truncate">{line.text}</span>
          {onShowCard && (
            <button
              type="button"
              className={clsx(
                'flex-none font-medium hover:underline',
                asks === 'approval' ? 'text-amber-ink' : 'text-ask-ink',
              )}
              onClick={onShowCard}
            >
              {t(asks === 'approval' ? 'approvals.show' : 'questions.show')}
            </button>
          )}
        </p>
      )}
    </div>
  );

  function lineOf() {
    if (onShowCard && asks === 'approval')
      return {
        icon: <Icon name="shield" size={14} className="text-amber-ink" />,
        text: t('approvals.waiting', { name }),
      };
    if (onShowCard)
      return {
        icon: <Icon name="question" size={14} className="text-ask-ink" />,
        text: t('questions.waiting', { name }),
      };
    if (asks !== undefined || timeline.streaming.length > 0) return undefined;
    if (isAnswering) return { icon: <LiveDot />, text: t('chat.thinking', { name }) };
    if (!isStored) return undefined;
    if (waitsFor !== undefined) return { icon: <Icon name="clock" size={14} />, text: waitsFor };
    if (status === 'queued' && session?.reason === 'capacity')
      return {
        icon: <Icon name="clock" size={14} />,
        text: t('chat.queuedSince', { at: clockTime(new Date(session.since), i18n.language) }),
      };
    if (status === 'failed') return { icon: <Icon name="clock" size={14} />, text: t('chat.keptFailed') };
    if (status === 'ready' || status === 'waiting_for_person')
      return { icon: <LiveDot />, text: t('chat.waitingTurn', { name }) };
    return { icon: <Spinner />, text: t('chat.kept') };
  }
}

function LiveDot() {
  return <span aria-hidden="true" className="size-1.5 flex-none animate-pulse-slow rounded-full bg-accent" />;
}
