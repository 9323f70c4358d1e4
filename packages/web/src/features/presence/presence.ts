import type { AgentSessionView, ChatStatus } from '@aizuchi/shared/contract/chat';
import { useTranslation } from 'react-i18next';
import type { AvatarState } from '../../components/Avatar.tsx';
import { clockTime } from '../../lib/time.ts';

export const RINGS: Record<ChatStatus, AvatarState> = {
  none: 'none',
  queued: 'queued',
  starting: 'starting',
  ready: 'ready',
  busy: 'working',
  waiting_for_person: 'waiting',
  ending: 'none',
  failed: 'failed',
};

/** An agent without an entry has never run. */
export function ringOf(session: AgentSessionView | undefined): AvatarState {
  return RINGS[session?.chatStatus ?? 'none'];
}

/** One word for the state, for screen readers. */
export function useStateWord(): (session: AgentSessionView | undefined) => string {
  const { t } = useTranslation();
  return (session) => t(`agents.state.${session?.chatStatus ?? 'none'}`);
}

/** The sentence on hover: "Ready · warm until 12:40". */
export function useStateSentence(): (session: AgentSessionView | undefined) => string {
  const { t, i18n } = useTranslation();
  return (session) => {
    if (!session) return t('agents.sentence.none');
    const since = clockTime(new Date(session.since), i18n.language);
    if (session.reason === 'folder_in_use') return t('agents.sentence.folder_in_use');
    if (session.chatStatus === 'ready' && session.idleAt !== undefined)
      return t('agents.sentence.readyUntil', { until: clockTime(new Date(session.idleAt), i18n.language) });
    return t(`agents.sentence.${session.chatStatus}`, { since });
  };
}
