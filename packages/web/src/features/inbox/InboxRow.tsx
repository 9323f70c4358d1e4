import type { InboxItem } from '@aizuchi/shared/contract/inbox';
import { type InboxEntry, itemsOf } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import clsx from 'clsx';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar, type AvatarState } from '../../components/Avatar.tsx';
import { Icon } from '../../components/Icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { joined } from '../../lib/joined.ts';
import { exactTime, timeSpan, useNow } from '../../lib/time.ts';
import { ProposalCard } from '../board/task/proposal/lazy-proposal.ts';
import { Deadline } from '../questions/Deadline.tsx';
import { plainTail } from '../runs/RunTable.tsx';
import { lastLines, useEndText } from '../runs/run-status.ts';
import { InboxActions } from './InboxActions.tsx';
import { InboxApproval, useInboxApproval } from './InboxApproval.tsx';
import { InboxQuestion, useInboxQuestion } from './InboxQuestion.tsx';
import { useFailedRun, useItemTitle } from './item-title.ts';

interface InboxRowProps {
  readonly entry: InboxEntry;
  readonly projectName: string;
  readonly agentName: string | undefined;
  /** The card with the nearest deadline: it is open, and a question takes the keys that nothing else on the page handles. */
  readonly isFirst: boolean;
}

const STYLES: Record<
  InboxItem['kind'],
  { readonly icon: IconName; readonly ink: string; readonly state?: AvatarState }
> = {
  question: { icon: 'question', ink: 'text-ask-ink', state: 'waiting' },
  approval: { icon: 'shield', ink: 'text-amber-ink', state: 'waiting' },
  failed_message: { icon: 'warning', ink: 'text-red-ink', state: 'failed' },
  failed_run: { icon: 'terminal', ink: 'text-red-ink', state: 'failed' },
  review: { icon: 'check', ink: 'text-ask-ink' },
  proposal: { icon: 'bulb', ink: 'text-ask-ink', state: 'waiting' },
  blocked_task: { icon: 'blocked', ink: 'text-amber-ink' },
  mention: { icon: 'bell', ink: 'text-ask-ink' },
  unread: { icon: 'comment', ink: 'text-ink-3' },
};

export function InboxRow({ entry, projectName, agentName, isFirst }: InboxRowProps) {
  const { item } = entry;
  const { kind, createdAt } = item;
  const effects = useEffects(entry);
  const run = useFailedRun(item);
  const endText = useEndText();
  const ending = run && endText(run);
  const said = run ? lastLines(plainTail(run.stderrTail), 3) : '';
  const title = useItemTitle(item, agentName, run);
  const question = useInboxQuestion(item, isFirst);
  const approval = useInboxApproval(item, isFirst);
  const status = kind === 'approval' ? approval.approval?.status : question.card?.status;
  const deadline = kind === 'approval' ? approval.approval?.expiresAt : question.card?.expiresAt;
  const isOpen = kind === 'approval' ? approval.isOpen : question.isOpen;
  const isDone = status !== undefined && status !== 'pending';
  return (
    <article
      tabIndex={-1}
      aria-label={title}
      data-testid={`inbox-item-${item.refId}`}
      data-kind={kind}
      className="-outline-offset-2 first:rounded-t-md last:rounded-b-md"
    >
      <div className="flex min-h-14 flex-wrap items-center gap-x-3 py-2 pr-4 pl-3 max-sm:gap-y-2 max-sm:pl-4">
        <Heading
          kind={kind}
          title={title}
          where={[projectName, kind === 'failed_run' ? undefined : agentName, ...effects]}
          isDone={isDone}
        />
        {!isDone && (
          <div className="flex flex-none items-center gap-1.5 max-sm:order-last max-sm:w-full max-sm:flex-wrap max-sm:[&>:is(a,button)]:flex-1 max-sm:[&>:is(a,button)]:border-line-strong">
            <InboxActions entry={entry} card={kind === 'approval' ? approval : question} />
          </div>
        )}
        {agentName !== undefined && (
          <Avatar
            name={agentName}
            type="ai"
            size={20}
            state={isDone ? undefined : STYLES[kind].state}
            className="max-sm:hidden"
          />
        )}
        {!isDone &&
          (deadline === undefined || isOpen ? <Waited since={createdAt} /> : <Deadline at={deadline} />)}
        {ending && (
          <div className="flex w-full flex-col gap-1 pl-8 text-12 text-red-ink wrap-anywhere sm:order-last sm:pt-1 sm:pb-1 sm:pl-9">
            <p className="line-clamp-3">{[ending.what, ending.remedy].filter(Boolean).join(' ')}</p>
            {said !== '' && (
              <pre className="max-h-24 overflow-hidden rounded-sm border border-red-line bg-red-soft px-2 py-1 font-mono text-[11.5px] leading-4 whitespace-pre-wrap">
                {said}
              </pre>
            )}
          </div>
        )}
      </div>
      {kind === 'question' && (
        <InboxQuestion item={item} agentName={agentName ?? ''} {...question} isFirst={isFirst} />
      )}
      {kind === 'proposal' && (
        <div className="px-4 pb-4 sm:pl-12">
          <div className="max-w-[640px]">
            <Suspense>
              <ProposalCard projectId={item.projectId} taskId={item.refId} canWrite />
            </Suspense>
          </div>
        </div>
      )}
      {kind === 'approval' && <InboxApproval agentName={agentName ?? ''} {...approval} />}
    </article>
  );
}

/** What else the failure has caused: messages that failed, a task that it blocked, its lines in the chat. */
function useEffects(entry: InboxEntry): readonly string[] {
  const { t } = useTranslation();
  if (entry.section !== 'incidents') return [];
  const countOf = (kind: InboxItem['kind']) => itemsOf(entry).filter((item) => item.kind === kind).length;
  const [messages, tasks] = [countOf('failed_message'), countOf('blocked_task')];
  return [
    ...(messages > 0 ? [t('inbox.effect.messages', { count: messages })] : []),
    ...(tasks > 0 ? [t('inbox.effect.tasks', { count: tasks })] : []),
  ];
}

interface HeadingProps {
  readonly kind: InboxItem['kind'];
  readonly title: string;
  readonly where: readonly (string | undefined)[];
  readonly isDone: boolean;
}

function Heading({ kind, title, where, isDone }: HeadingProps) {
  const { t } = useTranslation();
  const { icon, ink } = STYLES[kind];
  return (
    <>
      <span
        className={clsx(
          'grid size-6 flex-none place-items-center self-start max-sm:size-5',
          isDone ? 'text-ink-3' : ink,
        )}
      >
        <Icon name={icon} />
      </span>
      <div className="min-w-0 flex-1 max-sm:basis-2/3">
        <h3 className={clsx('text-13 wrap-anywhere', isDone ? 'text-ink-2' : 'line-clamp-2 font-medium')}>
          {title}
        </h3>
        <p className="truncate text-12 text-ink-2">{joined([t(`inbox.kind.${kind}`), ...where])}</p>
      </div>
    </>
  );
}

/** How long the item has been waiting. */
function Waited({ since }: { readonly since: string }) {
  const { i18n } = useTranslation();
  const now = useNow(30_000);
  const at = new Date(since);
  return (
    <time
      dateTime={since}
      title={exactTime(at, i18n.language)}
      className="w-14 flex-none text-right text-12 text-ink-2 max-sm:w-auto max-sm:self-start"
    >
      {timeSpan(Math.max(0, now.getTime() - at.getTime()), i18n.language)}
    </time>
  );
}
