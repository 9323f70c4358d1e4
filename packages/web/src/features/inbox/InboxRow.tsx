import { type InboxEntry, itemsOf } from '@aizuchi/shared/core/inbox/rules/inbox-entries';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../components/Avatar.tsx';
import { exactTime, relativeTime, timeSpan, useNow } from '../../lib/time.ts';
import { ProposalCard } from '../board/task/proposal/lazy-proposal.ts';
import { Deadline } from '../questions/Deadline.tsx';
import { plainTail } from '../runs/RunTable.tsx';
import { lastLines, useEndText } from '../runs/run-status.ts';
import { InboxActions } from './InboxActions.tsx';
import { InboxApproval, useInboxApproval } from './InboxApproval.tsx';
import { INBOX_STYLES, InboxHeading, useEffects } from './InboxHeading.tsx';
import { InboxQuestion, useInboxQuestion } from './InboxQuestion.tsx';
import { useBlockedText, useFailedRun, useFailureText, useItemTitle } from './item-title.ts';

interface InboxRowProps {
  readonly entry: InboxEntry;
  readonly projectName: string;
  readonly agentName: string | undefined;
  /** The card with the nearest deadline: it is open, and a question takes the keys that nothing else on the page handles. */
  readonly isFirst: boolean;
}

export function InboxRow({ entry, projectName, agentName, isFirst }: InboxRowProps) {
  const { item } = entry;
  const { kind, createdAt } = item;
  const failed = useFailureText(item);
  const blocked = useBlockedText(item);
  const effects = useEffects(entry.section === 'incidents' ? itemsOf(entry) : []);
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
        <InboxHeading
          kind={kind}
          title={title}
          where={[projectName, item.taskTitle, kind === 'failed_run' ? undefined : agentName, ...effects]}
          isDone={isDone}
        />
        {/* One group: where it finds no room beside the title it goes below it as a whole. A phone places its parts. */}
        <div className="ml-auto flex max-w-full flex-wrap items-center justify-end gap-x-3 gap-y-1 max-sm:contents">
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
              state={isDone ? undefined : INBOX_STYLES[kind].state}
              className="max-sm:hidden"
            />
          )}
          {!isDone &&
            (deadline === undefined || isOpen ? <Waited since={createdAt} /> : <Deadline at={deadline} />)}
        </div>
        {failed !== undefined && (
          <p className="line-clamp-3 w-full pl-8 text-12 text-red-ink wrap-anywhere sm:order-last sm:mb-1 sm:pl-9">
            {failed}
          </p>
        )}
        {blocked !== undefined && (
          <p className="line-clamp-3 w-full pl-8 text-12 whitespace-pre-line text-ink-2 wrap-anywhere sm:order-last sm:mb-1 sm:pl-9">
            {blocked}
          </p>
        )}
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

/** How long the item has been waiting; in the first minute no number, which would stand still. */
function Waited({ since }: { readonly since: string }) {
  const { i18n } = useTranslation();
  const now = useNow(30_000);
  const at = new Date(since);
  const waited = Math.max(0, now.getTime() - at.getTime());
  return (
    <time
      dateTime={since}
      title={exactTime(at, i18n.language)}
      className="w-14 flex-none text-right text-12 text-ink-2 max-sm:w-auto max-sm:self-start"
    >
      {waited < 60_000 ? relativeTime(at, at, i18n.language) : timeSpan(waited, i18n.language)}
    </time>
  );
}
