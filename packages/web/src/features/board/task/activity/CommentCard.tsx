import type { Task, TaskComment } from '@aizuchi/shared/contract/task';
import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { memo, Suspense, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Avatar } from '../../../../components/Avatar.tsx';
import { IconButton } from '../../../../components/Button.tsx';
import { ConfirmDialog } from '../../../../components/ConfirmDialog.tsx';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { Time } from '../../../../components/Time.tsx';
import { agentsQuery, meQuery } from '../../../../lib/queries/queries.ts';
import { textBeside } from '../../../attachments/files.ts';
import { MessageFiles } from '../../../attachments/MessageFiles.tsx';
import { Markdown } from '../../../chat/message/lazy-markdown.ts';
import { useCommentPlace } from './use-comment-place.ts';
import { useDeleteComment } from './use-comments.ts';

interface CommentCardProps {
  readonly task: Task;
  readonly comment: TaskComment;
  readonly canWrite: boolean;
  readonly isNamed: boolean;
  readonly isWaiting: boolean;
}

export const CommentCard = memo(function CommentCard(props: CommentCardProps) {
  const { task, comment, canWrite, isNamed, isWaiting } = props;
  const { t } = useTranslation();
  const { data: me } = useQuery(meQuery());
  const { data: agents } = useQuery(agentsQuery());
  const { id, authorId, authorName = authorId, attachments, createdAt } = comment;
  const card = useRef<HTMLElement>(null);
  useCommentPlace(card, { taskId: task.id, commentId: id, isNamed, isWaiting });
  const body = textBeside(comment.body, attachments);
  const author = agents?.find((one) => one.id === authorId);
  const name = authorName === undefined ? t('task.product') : (author?.name ?? authorName);
  const canDelete = canWrite && (me?.accessLevel === 'owner' || me?.id === authorId);
  return (
    <li
      data-testid={`task-comment-${id}`}
      className="relative grid grid-cols-[20px_minmax(0,1fr)] gap-2 py-1"
    >
      <span className="mt-1.5 h-fit bg-surface">
        <Avatar name={name} type={author?.type === 'human' ? 'human' : 'ai'} size={20} />
      </span>
      <article
        ref={card}
        tabIndex={-1}
        aria-label={name}
        aria-current={isNamed || undefined}
        className={clsx(
          'min-w-0 scroll-mb-3 rounded-md border px-3 py-1.5',
          isNamed ? 'border-accent' : 'border-line',
        )}
      >
        <header className="flex min-h-6 items-center gap-2 text-12">
          <b className="min-w-0 truncate font-semibold">{name}</b>
          <span className="flex-1" />
          <Time at={createdAt} className="text-11 text-ink-3" />
          {canDelete && <DeleteButton task={task} comment={comment} />}
        </header>
        <div className="others-text flex flex-col gap-2 text-13 leading-message text-pretty wrap-anywhere">
          <Suspense fallback={<p className="whitespace-pre-wrap">{body}</p>}>
            <Markdown>{body}</Markdown>
          </Suspense>
          {attachments && <MessageFiles files={attachments} />}
        </div>
      </article>
    </li>
  );
});

function DeleteButton({ task, comment }: Pick<CommentCardProps, 'task' | 'comment'>) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useDeleteComment(task);
  return (
    <>
      <IconButton icon="trash" label={t('task.deleteComment')} onClick={() => setIsAsking(true)} />
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('task.deleteCommentTitle')}
        confirmLabel={t('board.delete')}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate(comment.id, { onSuccess: () => setIsAsking(false) })}
      >
        <p>{t('task.deleteCommentText')}</p>
        {remove.error && <ErrorNote error={remove.error} className="mt-3" />}
      </ConfirmDialog>
    </>
  );
}
