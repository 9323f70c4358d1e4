import { getRouteApi } from '@tanstack/react-router';
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { TabTools } from '../projects/tab-tools.tsx';
import { ConversationRow } from './ConversationRow.tsx';
import { ConversationThread } from './ConversationThread.tsx';
import { StartDialog } from './StartDialog.tsx';
import { TalkGraph } from './TalkGraph.tsx';
import { useConversation, useConversations } from './use-conversations.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** What agents said to each other: the list, and the one that the address names beside it. */
export function ConversationsPage() {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const { conversation: openId } = route.useSearch();
  const { conversations, error, refetch, ...list } = useConversations(projectId);
  const open = useConversation(projectId, openId);
  const nameOf = useNameOf();
  const [isStarting, setIsStarting] = useState(false);
  const { canWrite } = useWriteAccess(projectId);
  const start = canWrite && (
    <Button size="sm" icon="talk" onClick={() => setIsStarting(true)}>
      {t('conversations.start')}
    </Button>
  );
  return (
    <div className="@container h-full">
      <h1 className="sr-only">{t('conversations.title')}</h1>
      <TabTools>{start}</TabTools>
      {isStarting && <StartDialog projectId={projectId} onClose={() => setIsStarting(false)} />}
      <div className="grid h-full min-h-0 grid-cols-1 @3xl:grid-cols-[300px_minmax(0,1fr)] @6xl:grid-cols-[344px_minmax(0,1fr)]">
        <section
          aria-label={t('conversations.list')}
          className={clsx(
            'min-h-0 overflow-y-auto border-r border-line',
            openId !== undefined && '@max-3xl:hidden',
          )}
        >
          {error && <ErrorNote error={error} onRetry={() => void refetch()} className="m-4" />}
          {conversations?.length === 0 && (
            <div className="p-6">
              <EmptyState icon="talk" title={t('conversations.emptyTitle')} action={start || undefined}>
                {t('conversations.emptyText')}
              </EmptyState>
            </div>
          )}
          {conversations && conversations.length > 0 && (
            <>
              <TalkGraph conversations={conversations} nameOf={nameOf} />
              <ul>
                {conversations.map((one) => (
                  <ConversationRow
                    key={one.id}
                    conversation={one}
                    isOpen={one.id === openId}
                    nameOf={nameOf}
                    canStop={canWrite}
                  />
                ))}
              </ul>
              {list.hasNextPage && (
                <div className="p-3">
                  <Button
                    variant="quiet"
                    icon="arrowDown"
                    isBusy={list.isFetchingNextPage}
                    onClick={() => void list.fetchNextPage()}
                  >
                    {t('conversations.older')}
                  </Button>
                </div>
              )}
            </>
          )}
        </section>
        <div className={clsx('min-h-0 min-w-0', openId === undefined && '@max-3xl:hidden')}>
          {open.conversation && openId !== undefined ? (
            <ConversationThread
              key={openId}
              conversation={open.conversation}
              nameOf={nameOf}
              canStop={canWrite}
            />
          ) : open.error && openId !== undefined ? (
            <ErrorNote error={open.error} className="m-6" />
          ) : (
            conversations &&
            conversations.length > 0 && (
              <p className="grid h-full place-items-center p-6 text-13 text-ink-3">
                {t('conversations.choose')}
              </p>
            )
          )}
        </div>
      </div>
    </div>
  );
}
