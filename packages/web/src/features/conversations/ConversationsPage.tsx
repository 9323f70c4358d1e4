import { getRouteApi } from '@tanstack/react-router';
import clsx from 'clsx';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../components/Button.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { useNameOf } from '../../lib/queries/use-name-of.ts';
import { useWriteAccess } from '../../lib/queries/use-write-access.ts';
import { TabTools } from '../projects/tab-tools.tsx';
import { ConversationGraph } from './ConversationGraph.tsx';
import { ConversationRow } from './ConversationRow.tsx';
import { ConversationThread } from './ConversationThread.tsx';
import { StartDialog } from './StartDialog.tsx';
import { useConversation, useConversations } from './use-conversations.ts';

const route = getRouteApi('/signed-in/projects/$projectId');

/** The conversations between agents: the list, and beside it the one that the address names. */
export function ConversationsPage() {
  const { t } = useTranslation();
  const { projectId } = route.useParams();
  const { conversation: openId } = route.useSearch();
  const [isStarting, setIsStarting] = useState(false);
  const { canWrite } = useWriteAccess(projectId);
  const startButton = canWrite && (
    <Button size="sm" icon="talk" onClick={() => setIsStarting(true)}>
      {t('conversations.start')}
    </Button>
  );
  return (
    <div className="@container h-full">
      <h1 className="sr-only">{t('conversations.title')}</h1>
      <TabTools>{startButton}</TabTools>
      {isStarting && <StartDialog projectId={projectId} onClose={() => setIsStarting(false)} />}
      <div className="grid h-full min-h-0 grid-cols-1 @3xl:grid-cols-[300px_minmax(0,1fr)] @6xl:grid-cols-[344px_minmax(0,1fr)]">
        <section
          aria-label={t('conversations.list')}
          className={clsx(
            'min-h-0 overflow-y-auto border-r border-line',
            openId !== undefined && '@max-3xl:hidden',
          )}
        >
          <List projectId={projectId} openId={openId} canStop={canWrite} startButton={startButton} />
        </section>
        <div className={clsx('min-h-0 min-w-0', openId === undefined && '@max-3xl:hidden')}>
          <OpenConversation projectId={projectId} openId={openId} canStop={canWrite} />
        </div>
      </div>
    </div>
  );
}

interface OpenConversationProps {
  readonly projectId: string;
  readonly openId: string | undefined;
  readonly canStop: boolean;
}

interface ListProps extends OpenConversationProps {
  readonly startButton: ReactNode;
}

function List({ projectId, openId, canStop, startButton }: ListProps) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const { conversations, error, refetch, ...list } = useConversations(projectId);
  return (
    <>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} className="m-4" />}
      {conversations?.length === 0 && (
        <div className="p-6">
          <EmptyState icon="talk" title={t('conversations.emptyTitle')} action={startButton || undefined}>
            {t('conversations.emptyText')}
          </EmptyState>
        </div>
      )}
      {conversations && conversations.length > 0 && (
        <>
          <ConversationGraph conversations={conversations} nameOf={nameOf} />
          <ul>
            {conversations.map((one) => (
              <ConversationRow
                key={one.id}
                conversation={one}
                isOpen={one.id === openId}
                nameOf={nameOf}
                canStop={canStop}
              />
            ))}
          </ul>
        </>
      )}
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
  );
}

function OpenConversation({ projectId, openId, canStop }: OpenConversationProps) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const { conversations = [] } = useConversations(projectId);
  const { conversation, error } = useConversation(projectId, openId);
  if (openId !== undefined && conversation)
    return <ConversationThread key={openId} conversation={conversation} nameOf={nameOf} canStop={canStop} />;
  if (openId !== undefined && error) return <ErrorNote error={error} className="m-6" />;
  if (conversations.length === 0) return null;
  return <p className="grid h-full place-items-center p-6 text-13 text-ink-3">{t('conversations.choose')}</p>;
}
