import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';

export const saveContext = agentTool(
  TOOLS.save_context,
  async ({ session_token: _, received: __, ...args }, caller, { context }) => {
    await context.agentWork.saveContext(caller, camelKeys(args));
    return { success: true as const, instruction: context.instructions.contextSaved };
  },
);
