import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { TASK_PRIORITIES } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../../components/Button.tsx';
import { TaskLink } from '../TaskLink.tsx';
import { TriggerNote } from '../trigger/TriggerNote.tsx';
import { LabelsField } from './LabelsField.tsx';
import { Property, QUIET_CONTROL, QUIET_SELECT } from './property.tsx';
import { StatusField } from './StatusField.tsx';
import { TaskPicker } from './TaskPicker.tsx';
import type { TaskChange } from './task-change.ts';
import type { ChangeOf, SaveTask } from './use-save-task.ts';

interface TaskPropertiesProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly members: readonly Agent[];
  readonly save: SaveTask;
  readonly canWrite: boolean;
}

interface FieldProps {
  readonly task: Task;
  readonly canWrite: boolean;
  readonly onChange: (change: TaskChange) => void;
}

/** The properties of a task; each is saved when it is chosen. */
export function TaskProperties({ task, tasks, members, save, canWrite }: TaskPropertiesProps) {
  const field = {
    task,
    canWrite,
    onChange: (change: TaskChange | ChangeOf) => save.mutate({ base: task, change }),
  };
  return (
    <div className="flex flex-col gap-0.5">
      <StatusField {...field} />
      <AssigneeField {...field} members={members} />
      <TriggerNote task={task} tasks={tasks} members={members} />
      <PriorityField {...field} />
      <LabelsField {...field} tasks={tasks} />
      <DueField {...field} />
      <ParentField {...field} tasks={tasks} />
    </div>
  );
}

/** An assignee who is no longer a member stays the value, shown by id. */
function AssigneeField({
  task,
  canWrite,
  onChange,
  members,
}: FieldProps & Pick<TaskPropertiesProps, 'members'>) {
  const { t } = useTranslation();
  const { assigneeId = '' } = task;
  const isMember = assigneeId === '' || members.some(({ id }) => id === assigneeId);
  return (
    <Property icon="people" label={t('board.assignee')}>
      {(id) => (
        <select
          id={id}
          data-testid="task-assignee"
          disabled={!canWrite}
          value={assigneeId}
          onChange={({ target }) => onChange({ assigneeId: target.value === '' ? null : target.value })}
          className={QUIET_SELECT}
        >
          <option value="">{t('board.nobody')}</option>
          {!isMember && <option value={assigneeId}>{assigneeId}</option>}
          {members.map((member) => (
            <option key={member.id} value={member.id}>
              {member.name}
            </option>
          ))}
        </select>
      )}
    </Property>
  );
}

function PriorityField({ task, canWrite, onChange }: FieldProps) {
  const { t } = useTranslation();
  return (
    <Property icon="chart" label={t('board.priorityLabel')}>
      {(id) => (
        <select
          id={id}
          data-testid="task-priority"
          disabled={!canWrite}
          value={task.priority}
          onChange={({ target }) => {
            const priority = TASK_PRIORITIES.find((one) => one === target.value);
            if (priority) onChange({ priority });
          }}
          className={QUIET_SELECT}
        >
          {TASK_PRIORITIES.toReversed().map((priority) => (
            <option key={priority} value={priority}>
              {t(`board.priority.${priority}`)}
            </option>
          ))}
        </select>
      )}
    </Property>
  );
}

function DueField({ task, canWrite, onChange }: FieldProps) {
  const { t } = useTranslation();
  const { dueDate = '' } = task;
  return (
    <Property icon="calendar" label={t('task.field.dueDate')}>
      {(id) => (
        <input
          // A date that is half typed is no value: the field keeps it by itself until it is left.
          key={dueDate}
          id={id}
          type="date"
          data-testid="task-due"
          disabled={!canWrite}
          defaultValue={dueDate}
          onBlur={({ target }) => {
            if (target.validity.badInput || target.value === dueDate) return;
            onChange({ dueDate: target.value === '' ? null : target.value });
          }}
          className={QUIET_CONTROL}
        />
      )}
    </Property>
  );
}

function ParentField({ task, canWrite, onChange, tasks }: FieldProps & Pick<TaskPropertiesProps, 'tasks'>) {
  const { t } = useTranslation();
  const parent = tasks.find(({ id }) => id === task.parentId);
  return (
    <Property icon="link" label={t('task.field.parentId')}>
      {(id) =>
        task.parentId !== undefined ? (
          <>
            <span id={id} className="flex min-h-7 min-w-0 flex-1 items-center px-1.5">
              <TaskLink id={task.parentId}>{parent?.title ?? task.parentId}</TaskLink>
            </span>
            {canWrite && (
              <IconButton
                icon="close"
                label={t('task.noParent')}
                onClick={() => onChange({ parentId: null })}
              />
            )}
          </>
        ) : canWrite ? (
          <TaskPicker
            id={id}
            label={t('task.chooseParent')}
            task={task}
            tasks={tasks}
            relation="parent"
            onPick={(parentId) => onChange({ parentId })}
          />
        ) : (
          <span className="px-1.5 leading-7 text-ink-3">{t('board.none')}</span>
        )
      }
    </Property>
  );
}
