import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';
import { toolTask } from './tool-task.ts';

export const getTask = agentTool(
  TOOLS.get_task,
  async ({ task_id: taskId }, caller, { context }) => ({
    task: toolTask(await context.agentTasks.get(caller, taskId)),
  }),
  { large: true },
);
