import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { takeTarget } from './target.ts';

export const respondChat = agentTool(
  TOOLS.respond_chat,
  async ({ session_token: _, ...args }, caller, { context }) => {
    const { targetAgentId, rest } = takeTarget(args);
    const { message, answered } = await context.deliveries.respond(caller, {
      ...camelKeys(rest),
      ...(targetAgentId !== undefined && { targetAgentId }),
    });
    return {
      success: true as const,
      ...(message && { message }),
      answered_count: answered,
      instruction: args.done === false ? context.instructions.interimSent : context.instructions.answered,
    };
  },
);
