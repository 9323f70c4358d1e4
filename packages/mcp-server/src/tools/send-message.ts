import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { AppError } from '@aizuchi/shared/platform/errors';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { withLimit } from './near-limit.ts';
import { takeTarget } from './target.ts';

export const sendMessage = agentTool(
  TOOLS.send_message,
  async ({ session_token: _, ...args }, caller, { context }) => {
    const { targetAgentId, rest } = takeTarget(args);
    if (targetAgentId === undefined && rest.conversation_id === undefined)
      throw new AppError('target_required', 'Name the receiver: target_agent_id, "user" for the person.');
    const { message, nearLimit } = await context.deliveries.send(caller, {
      ...camelKeys(rest),
      ...(targetAgentId !== undefined && { targetAgentId }),
    });
    return {
      success: true as const,
      message,
      ...(nearLimit && { near_limit: snakeKeys(nearLimit) }),
      instruction: withLimit(context.instructions.messageSent, nearLimit, context.instructions),
    };
  },
);
