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
    const { instructions } = context;
    const isMine = conversation.endedBy === caller.agentId;
    const hasLastWord = args.final_message !== undefined;
    return {
      success: true as const,
      conversation_id: conversation.id,
      state: conversation.state,
      ended_by: conversation.endedBy,
      reason: conversation.endReason,
      instruction:
        hasLastWord && !isMine
          ? instructions.closingLineTooLate
          : hasLastWord && conversation.finalMessage === null
            ? instructions.closingLineLeftOut
            : instructions.conversationOver,
    };
  },
);
