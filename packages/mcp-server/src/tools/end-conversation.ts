import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { takeTarget } from './target.ts';

export const endConversation = agentTool(
  TOOLS.end_conversation,
  async ({ session_token: _, ...args }, caller, { context }) => {
    const { targetAgentId, rest } = takeTarget(args);
    const conversation = await context.conversations.end(caller, {
      ...camelKeys(rest),
      ...(targetAgentId !== undefined && { targetAgentId }),
    });
    const isLeftOut =
      args.final_message !== undefined &&
      conversation.finalMessage === null &&
      conversation.endedBy === caller.agentId;
    return {
      success: true as const,
      conversation_id: conversation.id,
      state: conversation.state,
      ended_by: conversation.endedBy,
      reason: conversation.endReason,
      instruction: isLeftOut
        ? context.instructions.closingLineLeftOut
        : context.instructions.conversationOver,
    };
  },
);
