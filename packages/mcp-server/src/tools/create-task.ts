import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { toolTask } from './tool-task.ts';

export const createTask = agentTool(
  TOOLS.create_task,
  async ({ session_token: _, received: __, ...args }, caller, { context }) => ({
    success: true as const,
    task: toolTask(await context.agentTasks.create(caller, camelKeys(args))),
  }),
);
