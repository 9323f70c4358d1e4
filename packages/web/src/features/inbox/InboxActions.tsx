import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { type InboxEntry, itemsOf } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../components/Button.tsx';
import { Menu, MenuItem } from '../../components/Menu.tsx';
import { callApi } from '../../lib/api/call-api.ts';
import { useErrorText } from '../../lib/error-text.ts';
import { keys } from '../../lib/queries/keys.ts';
import { meQuery } from '../../lib/queries/queries.ts';
import { retryMessage } from '../chat/message/retry-message.ts';
import type { InboxCardState } from './InboxApproval.tsx';
import { markRead } from './mark-read.ts';
import { SNOOZES, snoozeUntil } from './snooze.ts';
import { useDismiss } from './use-dismiss.ts';

interface InboxActionsProps {
  readonly entry: InboxEntry;
  /** Of a question or an approval. */
  readonly card: InboxCardState;
}

/** What can be done about a row here, and the links to where it comes from. */
export function InboxActions({ entry, card }: InboxActionsProps) {
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { item } = entry;
  const canWrite = me !== undefined && me.accessLevel !== 'viewer';
  switch (item.kind) {
    case 'question':
    case 'approval':
      return <CardActions item={item} card={card} />;
    case 'failed_message':
    case 'failed_run':
      return <IncidentActions entry={entry} canWrite={canWrite} />;
    case 'review':
    case 'proposal':
      return <TaskLink item={item} />;
    case 'blocked_task':
      return (
        <>
          <TaskLink item={item} />
          {canWrite && <ActionButton item={item} label={t('inbox.unblock')} act={() => unblockTask(item)} />}
          <PutAway entry={entry} />
        </>
      );
    case 'mention':
      return (
        <>
          {item.taskId === undefined ? (
            <ChatLink item={item} message={item.refId} />
          ) : (
            <TaskLink item={item} />
          )}
          <PutAway entry={entry} />
        </>
      );
    case 'unread':
      return (
        <>
          <ActionButton item={item} label={t('inbox.markRead')} act={() => markRead(item)} variant="quiet" />
          <ChatLink item={item} variant="default" />
        </>
      );
  }
}

/** A failure: to the chat and the log, everything that failed once more, and away with it. */
function IncidentActions({ entry, canWrite }: { readonly entry: InboxEntry; readonly canWrite: boolean }) {
  const { t } = useTranslation();
  const all = itemsOf(entry);
  const failed = all.filter(({ kind }) => kind === 'failed_message').toReversed();
  const run = all.find(({ kind }) => kind === 'failed_run');
  const task = all.find(({ kind }) => kind === 'blocked_task');
  const [first] = failed;
  return (
    <>
      <ChatLink item={entry.item} {...(first && { message: first.refId })} />
      {run && <RunLink item={run} />}
      {task && <TaskLink item={task} />}
      {canWrite && first && (
        <ActionButton item={first} icon="retry" label={t('chat.retry')} act={() => retryAll(failed)} />
      )}
      <PutAway entry={entry} />
    </>
  );
}

/** For later, or for good. */
function PutAway({ entry }: { readonly entry: InboxEntry }) {
  const { t } = useTranslation();
  const { dismiss, snooze } = useDismiss();
  return (
    <>
      <Menu
        trigger={
          <Button size="sm" variant="quiet" icon="clock" data-testid="inbox-snooze">
            {t('inbox.later')}
          </Button>
        }
      >
        {SNOOZES.map((option) => (
          <MenuItem
            key={option}
            testId={`inbox-snooze-${option}`}
            onSelect={() => snooze(entry, snoozeUntil(option, new Date()))}
          >
            {t(`inbox.snooze.${option}`)}
          </MenuItem>
        ))}
      </Menu>
      <Button
        size="sm"
        variant="quiet"
        icon="check"
        data-testid="inbox-dismiss"
        aria-keyshortcuts="e"
        onClick={() => dismiss(entry)}
      >
        {t('inbox.dismiss')}
      </Button>
    </>
  );
}

function CardActions({ item, card }: { readonly item: InboxItem; readonly card: InboxCardState }) {
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

/** To the task that the item is, or to the comment that it is about. */
function TaskLink({ item: { projectId, refId, taskId } }: { readonly item: InboxItem }) {
  const { t } = useTranslation();
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId }}
      search={taskId === undefined ? { task: refId } : { task: taskId, comment: refId }}
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
  readonly act: () => Promise<unknown>;
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
        onClick={() => action.mutate()}
      >
        {label}
      </Button>
    </>
  );
}

/** In the order in which they were written. */
async function retryAll(failed: readonly InboxItem[]): Promise<void> {
  for (const { projectId, agentId = '', refId } of failed) await retryMessage(projectId, agentId, refId);
}

async function unblockTask({ refId }: InboxItem): Promise<void> {
  const { version } = await callApi('getTask', { params: { tid: refId } });
  await callApi('updateTask', { params: { tid: refId }, body: { version, status: 'in_progress' } });
}
