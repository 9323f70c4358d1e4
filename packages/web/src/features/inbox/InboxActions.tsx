import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../components/Button.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { useErrorText } from '../../lib/error-text.ts';
import { keys } from '../../lib/queries/keys.ts';
import { meQuery } from '../../lib/queries/queries.ts';
import { retryMessage } from '../chat/message/retry-message.ts';
import type { InboxCardState } from './InboxApproval.tsx';

interface InboxActionsProps {
  readonly item: InboxItem;
  /** Of a question or an approval. */
  readonly card: InboxCardState;
}

/** What can be done about an item here, and the link to where it comes from. */
export function InboxActions({ item, card }: InboxActionsProps) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const canWrite = me !== undefined && me.accessLevel !== 'viewer';
  switch (item.kind) {
    case 'question':
    case 'approval':
      return <CardActions item={item} card={card} />;
    case 'failed_message':
      return (
        <>
          <ChatLink item={item} message={item.refId} />
          {canWrite && <ActionButton item={item} icon="retry" label={t('chat.retry')} act={retryFailed} />}
        </>
      );
    case 'review':
    case 'proposal':
      return <TaskLink item={item} />;
    case 'blocked_task':
      return (
        <>
          <TaskLink item={item} />
          {canWrite && <ActionButton item={item} label={t('inbox.unblock')} act={unblockTask} />}
        </>
      );
    case 'unread':
      return (
        <>
          <ActionButton item={item} label={t('inbox.markRead')} act={markRead} variant="quiet" />
          <ChatLink item={item} variant="default" />
        </>
      );
    case 'failed_run':
      return (
        <>
          <ChatLink item={item} />
          <RunLink item={item} />
        </>
      );
  }
}

function CardActions({ item, card }: InboxActionsProps) {
  const { t } = useTranslation();
  const isQuestion = item.kind === 'question';
  return (
    <>
      <ChatLink item={item} {...(isQuestion ? { question: item.refId } : { approval: item.refId })} />
      <Button size="sm" aria-expanded={card.isOpen} onClick={card.onToggle}>
        {t(card.isOpen ? 'inbox.fold' : isQuestion ? 'inbox.answer' : 'inbox.decide')}
      </Button>
    </>
  );
}

function TaskLink({ item: { projectId, refId } }: { readonly item: InboxItem }) {
  const { t } = useTranslation();
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId }}
      search={{ task: refId }}
      className={buttonClass({ variant: 'quiet', size: 'sm' })}
    >
      {t('inbox.openTask')}
    </Link>
  );
}

function RunLink({ item: { projectId, refId } }: { readonly item: InboxItem }) {
  const { t } = useTranslation();
  return (
    <Link
      to="/projects/$projectId/runs"
      params={{ projectId }}
      search={{ run: refId }}
      className={buttonClass({ size: 'sm' })}
    >
      {t('inbox.openRun')}
    </Link>
  );
}

function ChatLink({
  item: { projectId, agentId },
  message,
  question,
  approval,
  variant = 'quiet',
}: {
  readonly item: InboxItem;
  readonly message?: string;
  readonly question?: string;
  readonly approval?: string;
  readonly variant?: 'quiet' | 'default';
}) {
  const { t } = useTranslation();
  if (agentId === undefined) return null;
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId }}
      search={{
        agent: agentId,
        ...(message !== undefined && { message }),
        ...(question !== undefined && { question }),
        ...(approval !== undefined && { approval }),
      }}
      className={buttonClass({ variant, size: 'sm' })}
    >
      {t('inbox.openChat')}
    </Link>
  );
}

interface ActionButtonProps {
  readonly item: InboxItem;
  readonly icon?: 'retry';
  readonly label: string;
  readonly variant?: 'quiet' | 'default';
  readonly act: (item: InboxItem) => Promise<unknown>;
}

/** Acts, then reads the inbox again. A failure is shown beside the button. */
function ActionButton({ item, icon, label, variant = 'default', act }: ActionButtonProps) {
  const client = useQueryClient();
  const errorText = useErrorText();
  const action = useMutation({
    mutationFn: act,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: keys.inbox }),
        client.invalidateQueries({ queryKey: keys.unread(item.projectId) }),
      ]),
  });
  return (
    <>
      {action.error && (
        <span role="alert" className="max-w-60 text-12 text-red-ink">
          {errorText(action.error)}
        </span>
      )}
      <Button
        size="sm"
        variant={variant}
        {...(icon && { icon })}
        isBusy={action.isPending}
        onClick={() => action.mutate(item)}
      >
        {label}
      </Button>
    </>
  );
}

function retryFailed({ projectId, agentId, refId }: InboxItem): Promise<void> {
  return retryMessage(projectId, agentId ?? '', refId);
}

async function unblockTask({ refId }: InboxItem): Promise<void> {
  const { version } = await callApi('getTask', { params: { tid: refId } });
  await callApi('updateTask', { params: { tid: refId }, body: { version, status: 'in_progress' } });
}

async function markRead({ projectId, agentId = '' }: InboxItem): Promise<void> {
  const params = { pid: projectId, aid: agentId };
  const { messages } = await callApi('listMessages', { params, query: { limit: 1 } });
  const [newest] = messages;
  if (newest) await callApi('markRead', { params, body: { upToMessageId: newest.id } });
}
