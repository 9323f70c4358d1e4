import type { ToolTask } from '@aizuchi/shared/contract/tools/project-tools';
import type { AgentTaskPage } from '@aizuchi/shared/core/tasks/task-service';

/** A task as agents read it. */
export function toolTask(task: AgentTaskPage['tasks'][number]): ToolTask {
  return {
    task_id: task.id,
    title: task.title,
    description: task.description,
    status: task.status,
    priority: task.priority,
    assignee_id: task.assigneeId ?? null,
    assignee_name: task.assigneeName,
    parent_id: task.parentId ?? null,
    depends_on: [...task.dependsOn],
    labels: [...task.labels],
    due_date: task.dueDate ?? null,
    version: task.version,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
  };
}
