import type { Agent } from '@aizuchi/shared/contract/agent';
import type { Task } from '@aizuchi/shared/contract/task';
import { isClosed } from '@aizuchi/shared/core/tasks/rules/task-status';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../../components/Icon.tsx';
import { coordinatorsQuery, projectQuery } from '../../../../lib/queries/queries.ts';
import { useLiveRuns } from '../../work/use-live-runs.ts';
import { triggerOf } from './trigger.ts';

interface TriggerNoteProps {
  /** Also of a task that is not stored yet: then without an id. */
  readonly task: Pick<Task, 'projectId' | 'status' | 'dependsOn'> & {
    readonly id?: string;
    readonly assigneeId?: string | undefined;
  };
  readonly tasks: readonly Task[];
  readonly members: readonly Agent[];
}

/** What happens to the agent when the task is saved as it stands: it starts, or it waits and for what. */
export function TriggerNote({ task, tasks, members }: TriggerNoteProps) {
  const { t } = useTranslation();
  const { data: project } = useQuery(projectQuery(task.projectId));
  const { data: coordinators } = useQuery(coordinatorsQuery());
  const runs = useLiveRuns(task.projectId);
  const assignee = members.find(({ id }) => id === task.assigneeId);
  const isWorkedOn = task.id !== undefined && runs.byTask.has(task.id);
  const trigger = triggerOf({
    status: task.status,
    assignee,
    unfinished: tasks.filter(({ id, status }) => task.dependsOn.includes(id) && !isClosed(status)).length,
    isPaused: project?.status === 'paused',
    hasHost: coordinators?.some(({ alive }) => alive),
    busyWith: [...runs.byTask.values()].filter(
      ({ agentId, taskId }) => agentId === task.assigneeId && taskId !== task.id,
    ).length,
  });
  if (trigger === 'none' || isWorkedOn || !assignee) return null;
  // A stored task in progress has been started already; only what it waits for is news.
  if (trigger === 'starts' && task.id !== undefined) return null;
  return (
    <p data-testid="task-trigger" data-trigger={trigger} className="flex gap-1.5 py-1 text-12 text-ink-2">
      <Icon
        name={trigger === 'starts' || trigger === 'would_start' ? 'run' : 'clock'}
        size={14}
        className="mt-px text-ink-3"
      />
      <span className="min-w-0 text-pretty wrap-anywhere">
        {t(`task.trigger.${trigger}`, { name: assignee.name })}
      </span>
    </p>
  );
}
