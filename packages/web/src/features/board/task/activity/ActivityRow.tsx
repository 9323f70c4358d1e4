import type { TaskAttempt, TaskComment } from '@aizuchi/shared/contract/task';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Time } from '../../../../components/Time.tsx';
import { useNameOf } from '../../../../lib/queries/use-name-of.ts';
import { Markdown } from '../../../chat/message/lazy-markdown.ts';
import type { Activity } from './activity.ts';
import { DeleteComment } from './DeleteComment.tsx';
import { useChangeText } from './use-change-text.ts';

interface ActivityRowProps {
  readonly projectId: string;
  readonly activity: Activity;
  /** Absent: the reader may not delete comments. */
  readonly onDelete: ((commentId: string) => void) | undefined;
}

export function ActivityRow({ projectId, activity, onDelete }: ActivityRowProps) {
  const textOf = useChangeText();
  switch (activity.kind) {
    case 'comment':
      return <CommentRow comment={activity.comment} onDelete={onDelete} />;
    case 'change':
      return <Line at={activity.at}>{textOf(activity.entry)}</Line>;
    default:
      return <AttemptRow projectId={projectId} at={activity.at} activity={activity} />;
  }
}

function Line({ at, children }: { readonly at: string; readonly children: ReactNode }) {
  return (
    <li className="flex items-baseline gap-2 text-13 text-ink-2">
      <span className="min-w-0 flex-1 wrap-anywhere">{children}</span>
      <Time at={at} className="num flex-none text-12 text-ink-3" />
    </li>
  );
}

interface AttemptRowProps {
  readonly projectId: string;
  readonly at: string;
  readonly activity: { readonly kind: 'began' | 'ended'; readonly attempt: TaskAttempt };
}

/** The summary of an attempt that has reported is a comment of its agent; a failure has none. */
function AttemptRow({ projectId, at, activity: { kind, attempt } }: AttemptRowProps) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const { n, agentId, runId, outcome, summary } = attempt;
  const values = { n, who: nameOf(agentId) };
  const hasEnded = kind === 'ended' && outcome !== undefined;
  return (
    <Line at={at}>
      {hasEnded ? t(`taskActivity.ended.${outcome}`, values) : t('taskActivity.began', values)}
      {hasEnded && summary !== undefined && (outcome === 'crashed' || outcome === 'stopped') && (
        <span className="block text-red-ink">{summary}</span>
      )}
      {!hasEnded && runId !== undefined && (
        <Link
          to="/projects/$projectId/runs"
          params={{ projectId }}
          search={{ run: runId }}
          className="ml-2 text-accent-ink underline decoration-accent-line underline-offset-2"
        >
          {t('taskActivity.log')}
        </Link>
      )}
    </Line>
  );
}

interface CommentRowProps {
  readonly comment: TaskComment;
  readonly onDelete: ((commentId: string) => void) | undefined;
}

function CommentRow({ comment, onDelete }: CommentRowProps) {
  const { t } = useTranslation();
  const nameOf = useNameOf();
  const { id, authorId, body, createdAt } = comment;
  const who = authorId === undefined ? t('taskActivity.product') : nameOf(authorId);
  return (
    <li data-testid={`task-comment-${id}`} className="rounded-md border border-line px-3 py-2">
      <p className="flex items-center gap-2 text-13">
        <span className="min-w-0 flex-1 truncate font-semibold">{who}</span>
        <Time at={createdAt} className="num flex-none text-12 text-ink-3" />
        {onDelete && <DeleteComment comment={comment} who={who} onDelete={() => onDelete(id)} />}
      </p>
      <div className="mt-1 flex flex-col gap-2 text-13 wrap-anywhere">
        <Suspense fallback={<p className="whitespace-pre-wrap">{body}</p>}>
          <Markdown>{body}</Markdown>
        </Suspense>
      </div>
    </li>
  );
}
