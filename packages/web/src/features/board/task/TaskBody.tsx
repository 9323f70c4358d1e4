import type { Task } from '@aizuchi/shared/contract/task';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/ErrorNote.tsx';
import { Time } from '../../../components/Time.tsx';
import { isCode } from '../../../lib/api/api-error.ts';
import { Activity } from './activity/Activity.tsx';
import { CommentBox } from './activity/CommentBox.tsx';
import { useFieldName } from './field-name.ts';
import { DependencyList } from './fields/DependencyList.tsx';
import { TaskDescription } from './fields/TaskDescription.tsx';
import { TaskProperties } from './fields/TaskProperties.tsx';
import { TaskTitle } from './fields/TaskTitle.tsx';
import { type SaveTask, useSaveTask } from './fields/use-save-task.ts';
import { Parts } from './parts/Parts.tsx';
import { AskToSplit } from './proposal/AskToSplit.tsx';
import { ProposalCard } from './proposal/ProposalCard.tsx';
import type { TaskPanelProps } from './TaskPanel.tsx';
import { TaskWork } from './work/TaskWork.tsx';

/** What stands in a task: text and work on the left, its properties on the right; in a narrow panel one below the other. */
export function TaskBody(props: TaskPanelProps & { readonly task: Task }) {
  const { t } = useTranslation();
  const { task, tasks, members, canWrite } = props;
  const save = useSaveTask(task);
  return (
    <>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
        tabIndex={0}
        aria-label={task.title}
        className="min-h-0 flex-1 overflow-y-auto -outline-offset-2 @2xl:grid @2xl:grid-cols-[minmax(0,1fr)_264px] @2xl:grid-rows-[auto_1fr]"
      >
        <div className="flex min-w-0 flex-col gap-2 px-4 pt-4 pb-4 @2xl:px-6">
          <TaskTitle task={task} save={save} canWrite={canWrite} />
          <TaskDescription task={task} save={save} canWrite={canWrite} />
          <SaveNotes save={save} />
        </div>
        <div className="flex min-w-0 flex-col gap-3 border-line bg-canvas px-4 py-3 @max-2xl:border-y @2xl:row-span-2 @2xl:border-l">
          <TaskProperties task={task} tasks={tasks} save={save} members={members} canWrite={canWrite} />
          <DependencyList task={task} tasks={tasks} save={save} canWrite={canWrite} />
          <p className="text-11 text-ink-3">
            {t('board.created')} <Time at={task.createdAt} /> · {t('board.changed')}{' '}
            <Time at={task.updatedAt} />
          </p>
        </div>
        <div className="flex min-w-0 flex-col gap-5 px-4 pt-1 pb-4 @max-2xl:pt-4 @2xl:px-6">
          <TaskWork task={task} canWrite={canWrite} />
          <ProposalCard projectId={task.projectId} taskId={task.id} canWrite={canWrite} />
          <Parts task={task} tasks={tasks} canWrite={canWrite} />
          {canWrite && <AskToSplit key={task.assigneeId} task={task} members={members} />}
          <Activity task={task} tasks={tasks} canWrite={canWrite} />
        </div>
      </section>
      {canWrite && <CommentBox task={task} members={members} />}
    </>
  );
}

/** What became of the last change. */
function SaveNotes({ save }: { readonly save: SaveTask }) {
  const { t } = useTranslation();
  const fieldName = useFieldName();
  const { error, data } = save;
  const isElsewhere = isCode(error, 'version_conflict');
  return (
    <>
      {error && <ErrorNote error={error} {...(isElsewhere && { title: t('task.clash') })} />}
      <p role="status" className="text-12 text-ink-2 empty:hidden">
        {!error &&
          data &&
          data.merged.length > 0 &&
          t('task.merged', { fields: data.merged.map(fieldName).join(t('task.comma')) })}
      </p>
    </>
  );
}
