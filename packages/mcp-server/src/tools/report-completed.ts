import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { toolTask } from './tool-task.ts';

export const reportCompleted = agentTool(
  TOOLS.report_completed,
  async ({ session_token: _, received: __, ...args }, caller, { context }) => {
    const task = await context.agentWork.report(caller, camelKeys(args));
    return { success: true as const, task: toolTask(task), instruction: context.instructions.reported };
  },
);
