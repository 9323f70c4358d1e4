import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../components/Icon.tsx';
import type { IconName } from '../../../components/icon-paths.ts';
import { Spinner } from '../../../components/Spinner.tsx';
import { useIsNarrow } from '../../../lib/hooks/use-media-query.ts';
import { useLiveStatus } from '../../../lib/live/live.tsx';
import { useStopwatchText } from '../../../lib/stopwatch-text.ts';
import { useNow } from '../../../lib/time.ts';
import { startsWithMessage } from './use-agent-session.ts';
import type { ChatOpening } from './use-open-chat.ts';

/** A line under the head about a problem, and what happens to messages meanwhile. */
export function Strip({
  icon,
  tone = 'neutral',
  children,
}: {
  readonly icon?: IconName;
  readonly tone?: 'neutral' | 'amber' | 'red';
  readonly children: ReactNode;
}) {
  return (
    <div
      className={clsx(
        'num flex min-h-8 flex-none items-start gap-2 border-b px-4.5 pt-2 pb-[7px] text-12',
        tone === 'neutral' && 'border-line bg-canvas text-ink-2',
        tone === 'amber' && 'border-amber-line bg-amber-soft text-amber-ink',
        tone === 'red' && 'border-red-line bg-red-soft text-red-ink',
      )}
    >
      <span className="flex h-4 w-3.5 flex-none items-center justify-center">
        {icon === undefined ? <Spinner /> : <Icon name={icon} size={14} />}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}

/** A restart of the server takes less time than this and is not reported. */
const QUIET_MS = 1_500;

/** On a phone the chat covers the page's own connection strip. */
export function OfflineStrip() {
  const { t } = useTranslation();
  const { state, since } = useLiveStatus();
  const isNarrow = useIsNarrow();
  const stopwatchText = useStopwatchText();
  const gone = useNow(1_000).getTime() - since;
  const isAway = isNarrow && (state === 'down' || state === 'connecting') && gone > QUIET_MS;
  return (
    <div role="status">{isAway && <Strip>{t('chat.offline', { time: stopwatchText(gone, 0) })}</Strip>}</div>
  );
}

/** Why the agent does not become ready, as far as the server knows. */
export function StartStrip({
  session,
  waitsFor,
  opening,
}: {
  readonly session: AgentSessionView | undefined;
  /** That it waits until another work in the folder is done. */
  readonly waitsFor: string | undefined;
  readonly opening: ChatOpening;
}) {
  const { t } = useTranslation();
  return <div role="status">{content()}</div>;

  function content(): ReactNode {
    if (session?.chat) return null;
    if (
      session?.chatStatus === 'failed' &&
      session.reason === 'sign_in_refused' &&
      opening.warning !== 'no_credential'
    )
      return (
        <Strip icon="warning" tone="red">
          {t('chat.signInRefused')}
        </Strip>
      );
    const isWaking = session?.chatStatus === 'queued' || session?.chatStatus === 'starting';
    const isAsleep = startsWithMessage(session);
    if (opening.warning === 'no_credential' && (isWaking || isAsleep))
      return (
        <Strip icon="key" tone="amber">
          {t('chat.noCredential')}
        </Strip>
      );
    if (isAsleep) return <Strip icon="info">{t('chat.startsWithMessage')}</Strip>;
    if (session?.chatStatus === 'starting' && session.phase === 'trying_again')
      return <Strip icon="retry">{t('chat.tryingAgain')}</Strip>;
    if (session?.chatStatus === 'starting' && session.phase === 'pulling')
      return <Strip>{t('chat.pulling', { percent: session.pullPercent ?? 0 })}</Strip>;
    if (session?.chatStatus !== 'queued') return null;
    switch (session.reason) {
      case 'no_coordinator':
        return (
          <Strip icon="host" tone="amber">
            {t('chat.waits.no_coordinator')}
          </Strip>
        );
      case 'capacity':
        return <Strip icon="host">{t('chat.waits.capacity', { position: session.position ?? 1 })}</Strip>;
      case 'folder_in_use':
        return waitsFor && <Strip icon="clock">{waitsFor}</Strip>;
      case 'cooling_down':
      case 'session_ending':
        return <Strip icon="clock">{t(`chat.waits.${session.reason}`)}</Strip>;
      default:
        return null;
    }
  }
}
