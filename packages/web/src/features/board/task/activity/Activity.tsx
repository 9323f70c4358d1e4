import type { Task } from '@aizuchi/shared/contract/task';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../../components/Button.tsx';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../../components/Spinner.tsx';
import { MentionableContext, useMentionable } from '../../../mentions/mentionable-people.ts';
import { AttemptLine } from './AttemptLine.tsx';
import type { ActivityLine } from './activity-lines.ts';
import { ChangeLine } from './ChangeLine.tsx';
import { CommentCard } from './CommentCard.tsx';
import { useActivity } from './use-activity.ts';
import { useCommentPlaces } from './use-comment-place.ts';

interface ActivityProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly canWrite: boolean;
}

/** Comments, changes and attempts, oldest first. */
export function Activity({ task, tasks, canWrite }: ActivityProps) {
  const { t } = useTranslation();
  const id = useId();
  const { named, waiting } = useCommentPlaces(task.id);
  const activity = useActivity(task, named);
  const mentionable = useMentionable(task.projectId);
  const { lines, earlier, filter } = activity;
  const titleOf = (taskId: string) => tasks.find((one) => one.id === taskId)?.title ?? taskId;
  return (
    <section aria-labelledby={id} data-testid="task-activity">
      <div className="flex min-h-7 items-center gap-2">
        <h3 id={id} className="text-12 font-semibold">
          {t('task.activity')}
        </h3>
        <span className="flex-1" />
        <Button
          size="sm"
          variant="quiet"
          aria-pressed={filter === 'comments'}
          onClick={() => activity.setFilter(filter === 'all' ? 'comments' : 'all')}
        >
          {t(filter === 'all' ? 'task.onlyComments' : 'task.everything')}
        </Button>
      </div>
      {activity.error && <ErrorNote error={activity.error} onRetry={activity.retry} />}
      {activity.isLoading && <PhaseLine>{t('common.loading')}</PhaseLine>}
      {earlier > 0 && (
        <Button size="sm" variant="quiet" icon="arrowUp" onClick={activity.showEarlier}>
          {t('task.earlier', { count: earlier })}
        </Button>
      )}
      {!activity.isLoading && lines.length === 0 && (
        <p className="py-1 text-12 text-ink-2">{t('task.noComments')}</p>
      )}
      <MentionableContext value={mentionable}>
        <ol className="relative flex flex-col before:absolute before:top-2 before:bottom-2 before:left-[9px] before:w-px before:bg-line">
          {lines.map((line, index) => (
            <Line
              key={keyOf(line, index)}
              line={line}
              task={task}
              titleOf={titleOf}
              canWrite={canWrite}
              isNamed={line.kind === 'comment' && line.comment.id === named}
              isWaiting={line.kind === 'comment' && waiting.has(line.comment.id)}
            />
          ))}
        </ol>
      </MentionableContext>
    </section>
  );
}

interface LineProps {
  readonly line: ActivityLine;
  readonly task: Task;
  readonly titleOf: (taskId: string) => string;
  readonly canWrite: boolean;
  /** The comment that the address names. */
  readonly isNamed: boolean;
  /** A comment that waits in the inbox. */
  readonly isWaiting: boolean;
}

function Line({ line, task, titleOf, ...comment }: LineProps) {
  switch (line.kind) {
    case 'comment':
      return <CommentCard task={task} comment={line.comment} {...comment} />;
    case 'change':
      return <ChangeLine entry={line.entry} titleOf={titleOf} />;
    case 'begun':
    case 'ended':
      return <AttemptLine kind={line.kind} attempt={line.attempt} />;
  }
}

function keyOf(line: ActivityLine, index: number): string {
  if (line.kind === 'comment') return line.comment.id;
  return line.kind === 'change'
    ? `${line.at} ${line.entry.field} ${index}`
    : `${line.kind} ${line.attempt.n}`;
}
