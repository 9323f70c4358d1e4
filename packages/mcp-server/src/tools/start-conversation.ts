import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { AppError } from '@aizuchi/shared/platform/errors';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { withLimit } from './near-limit.ts';
import { takeTarget } from './target.ts';

export const startConversation = agentTool(
  TOOLS.start_conversation,
  async ({ session_token: _, ...args }, caller, { context }) => {
    const { targetAgentId, rest } = takeTarget(args);
    if (targetAgentId === undefined)
      throw new AppError('target_required', 'Name the other agent: participant_agent_id.');
    const started = await context.conversations.start(caller, { ...camelKeys(rest), targetAgentId });
    const { conversation, message, warning, nearLimit } = started;
    const { instructions } = context;
    return {
      success: true as const,
      conversation_id: conversation.id,
      status: 'pending' as const,
      participant_agent_id: conversation.participantAgentId,
      purpose: conversation.purpose,
      max_messages: conversation.maxMessages,
      ...(message && { message }),
      ...(warning && { warning }),
      ...(nearLimit && { near_limit: snakeKeys(nearLimit) }),
      instruction: withLimit(instructions.conversationStarted, nearLimit, instructions),
    };
  },
);
