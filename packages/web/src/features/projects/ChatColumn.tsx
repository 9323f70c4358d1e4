import { useQuery } from '@tanstack/react-query';
import { CatchBoundary, getRouteApi } from '@tanstack/react-router';
import clsx from 'clsx';
import { Suspense, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CrashNotice } from '../../app/ErrorPage.tsx';
import { IconButton } from '../../components/Button.tsx';
import { PhaseLine } from '../../components/Spinner.tsx';
import { withChat, withoutChat } from '../../lib/chat-search.ts';
import { useEscape } from '../../lib/hooks/use-escape.ts';
import { useIsNarrow } from '../../lib/hooks/use-media-query.ts';
import { agentSessionsQuery, membersQuery } from '../../lib/queries/queries.ts';
import { whenLoaded } from '../../lib/queries/when-loaded.ts';
import { toast } from '../../lib/toast.ts';
import { ChatPanel, preloadPanel } from '../chat/chat-preload.ts';
import { ColumnSeparator } from './ColumnSeparator.tsx';
import { useColumnWidth } from './use-column-width.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The third column, with the chat of the agent in the address. At 360 px it is full-screen. */
export function ChatColumn({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const {
    agent: agentId,
    message: messageId,
    question: questionId,
    approval: approvalId,
  } = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useIsNarrow();
  const [width, setWidth] = useColumnWidth(projectId);
  const panel = useRef<HTMLElement>(null);
  const close = async () => {
    const hadFocus = panel.current?.contains(document.activeElement) ?? false;
    await navigate({ to: '.', search: withoutChat });
    // The focus goes back to the agent's avatar, unless that is inside of the menu.
    if (hadFocus) document.querySelector<HTMLElement>(`[data-agent="${agentId}"]`)?.focus();
  };
  const leave = () => void close();
  const sayThatItEnds = useSayThatItEnds(projectId, agentId);
  useEscape(agentId !== undefined, 'chat', () => {
    sayThatItEnds();
    leave();
  });
  // Loaded in advance: a chat that is opened must not wait for its code.
  useEffect(() => whenLoaded(() => void preloadPanel()), []);
  if (agentId === undefined) return null;
  return (
    <aside
      ref={panel}
      aria-label={t('projects.chatPanel')}
      data-testid="chat-panel"
      data-chat
      data-panel="chat"
      {...(!isNarrow && { style: { width } })}
      className={clsx(
        'flex min-h-0 flex-col bg-surface',
        isNarrow ? 'fixed inset-0 z-30' : 'relative flex-none border-l border-line',
      )}
    >
      {!isNarrow && <ColumnSeparator width={width} onWidth={setWidth} />}
      <CatchBoundary getResetKey={() => agentId} errorComponent={CrashNotice}>
        <Suspense
          fallback={
            // On a phone it covers the page.
            <div className="flex justify-between p-3">
              <PhaseLine>{t('common.loading')}</PhaseLine>
              <IconButton icon="close" label={t('common.close')} onClick={leave} />
            </div>
          }
        >
          <ChatPanel
            key={agentId}
            projectId={projectId}
            agentId={agentId}
            messageId={messageId}
            questionId={questionId}
            approvalId={approvalId}
            onClose={leave}
          />
        </Suspense>
      </CatchBoundary>
    </aside>
  );
}

/** With its last viewer a warm agent ends: Esc is pressed by mistake, so that is said, with a way back. */
function useSayThatItEnds(projectId: string, agentId: string | undefined): () => void {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  const { data: sessions } = useQuery(agentSessionsQuery(projectId));
  const { data: members } = useQuery(membersQuery(projectId));
  return () => {
    if (agentId === undefined || sessions?.[agentId]?.chatStatus !== 'ready') return;
    const name = members?.find(({ id }) => id === agentId)?.name ?? agentId;
    toast(t('projects.chatClosed', { name }), {
      action: {
        label: t('projects.openAgain'),
        onClick: () => void navigate({ to: '.', search: (search) => withChat(search, agentId) }),
      },
    });
  };
}
