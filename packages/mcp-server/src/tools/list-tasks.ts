import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';
import { toolTask } from './tool-task.ts';

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
      tasks: tasks.map(toolTask),
      counts,
      next_cursor: nextCursor,
    };
  },
  { large: true },
);
