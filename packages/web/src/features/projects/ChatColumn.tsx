import { CatchBoundary, getRouteApi } from '@tanstack/react-router';
import clsx from 'clsx';
import { Suspense, useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { CrashNotice } from '../../app/ErrorPage.tsx';
import { useIsNarrow } from '../../lib/use-media-query.ts';
import { whenIdle } from '../../lib/when-idle.ts';
import { ChatPanel, preloadPanel } from '../chat/chat-preload.ts';
import { ColumnSeparator } from './ColumnSeparator.tsx';
import { useColumnWidth } from './use-column-width.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The third column: whose chat it is stands in the address. At 360 px it is the whole screen. */
export function ChatColumn({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const { agent: agentId, message: messageId, question: questionId } = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useIsNarrow();
  const [width, setWidth] = useColumnWidth(projectId);
  const close = () =>
    void navigate({
      to: '.',
      search: ({ agent: _agent, message: _message, question: _question, ...search }) => search,
    });
  useEscape(agentId !== undefined, close);
  // A chat that is opened must not wait for its code.
  useEffect(() => whenIdle(() => void preloadPanel()), []);
  if (agentId === undefined) return null;
  return (
    <aside
      aria-label={t('projects.chatPanel')}
      data-testid="chat-panel"
      {...(!isNarrow && { style: { width } })}
      className={clsx(
        'flex min-h-0 flex-col bg-surface',
        isNarrow ? 'fixed inset-0 z-30' : 'relative flex-none border-l border-line',
      )}
    >
      {!isNarrow && <ColumnSeparator width={width} onWidth={setWidth} />}
      <CatchBoundary getResetKey={() => agentId} errorComponent={CrashNotice}>
        <Suspense>
          <ChatPanel
            key={agentId}
            projectId={projectId}
            agentId={agentId}
            messageId={messageId}
            questionId={questionId}
            onClose={close}
          />
        </Suspense>
      </CatchBoundary>
    </aside>
  );
}

/** Not when something above (a dialog, a menu, a field that takes it back) has already used the key. */
function useEscape(isActive: boolean, onEscape: () => void): void {
  const leave = useEffectEvent(onEscape);
  useEffect(() => {
    if (!isActive) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      if (document.querySelector('[role="dialog"],[role="menu"]')) return;
      leave();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isActive]);
}
