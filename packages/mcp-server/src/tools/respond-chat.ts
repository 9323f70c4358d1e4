import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { withLimit } from './near-limit.ts';
import { takeTarget } from './target.ts';

export const respondChat = agentTool(
  TOOLS.respond_chat,
  async ({ session_token: _, usage, ...args }, caller, { context }) => {
    const { targetAgentId, rest } = takeTarget(args);
    const { message, answered, failed, nearLimit } = await context.deliveries.respond(caller, {
      ...camelKeys(rest),
      ...(usage && { usage: camelKeys(usage) }),
      ...(targetAgentId !== undefined && { targetAgentId }),
    });
    return {
      success: true as const,
      ...(message && { message }),
      answered_count: answered,
      ...(failed !== undefined && { failed_count: failed }),
      ...(nearLimit && { near_limit: snakeKeys(nearLimit) }),
      instruction: withLimit(
        args.done === false ? context.instructions.interimSent : context.instructions.answered,
        nearLimit,
        context.instructions,
      ),
    };
  },
  { cached: true },
);
