import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../../components/ErrorNote.tsx';
import { PhaseLine } from '../../../../components/Spinner.tsx';
import { ActivityRow } from './ActivityRow.tsx';
import { CommentForm } from './CommentForm.tsx';
import { useComments, useTaskActivity } from './use-task-activity.ts';

export interface TaskActivityProps {
  readonly projectId: string;
  readonly taskId: string;
  readonly canWrite: boolean;
}

/** What happened to a task and what was said about it, oldest first, with a field to comment. */
export function TaskActivity({ projectId, taskId, canWrite }: TaskActivityProps) {
  const { t } = useTranslation();
  const { timeline, error, retry } = useTaskActivity(projectId, taskId);
  const { write, remove } = useComments(projectId, taskId);
  return (
    <section
      aria-label={t('taskActivity.title')}
      data-testid="task-activity"
      className="border-t border-line p-4"
    >
      <h3 className="mb-2 text-13 font-semibold">{t('taskActivity.title')}</h3>
      {error && <ErrorNote error={error} title={t('taskActivity.failed')} onRetry={retry} />}
      {!timeline && !error && <PhaseLine>{t('taskActivity.loading')}</PhaseLine>}
      {timeline && (
        <ol className="flex flex-col gap-2">
          {timeline.map((activity) => (
            <ActivityRow
              key={activity.id}
              projectId={projectId}
              activity={activity}
              onDelete={canWrite ? remove.mutate : undefined}
            />
          ))}
        </ol>
      )}
      {remove.error && <ErrorNote error={remove.error} className="mt-2" />}
      {canWrite && <CommentForm write={write} />}
    </section>
  );
}
