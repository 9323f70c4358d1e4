import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';

export const listTasks = agentTool(
  TOOLS.list_tasks,
  async (args, caller, { context }) => {
    const statuses = [args.status ?? []].flat();
    const { tasks, counts, nextCursor } = await context.tasks.listForAgent(caller.projectId, {
      // An empty list filters nothing.
      status: statuses.length === 0 ? undefined : statuses,
      assigneeId: args.assignee_id,
      limit: args.limit,
      cursor: args.cursor,
    });
    return {
      tasks: tasks.map((task) => ({
        task_id: task.id,
        title: task.title,
        description: task.description,
        status: task.status,
        priority: task.priority,
        assignee_id: task.assigneeId ?? null,
        assignee_name: task.assigneeName,
        parent_id: task.parentId ?? null,
        depends_on: [...task.dependsOn],
        version: task.version,
        created_at: task.createdAt,
        updated_at: task.updatedAt,
      })),
      counts,
      next_cursor: nextCursor,
    };
  },
  { large: true },
);
