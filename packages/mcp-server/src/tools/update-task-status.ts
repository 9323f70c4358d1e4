import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { toolTask } from './tool-task.ts';

export const updateTaskStatus = agentTool(
  TOOLS.update_task_status,
  async ({ session_token: _, received: __, ...args }, caller, { context }) => ({
    success: true as const,
    task: toolTask(await context.agentTasks.move(caller, camelKeys(args))),
  }),
);
