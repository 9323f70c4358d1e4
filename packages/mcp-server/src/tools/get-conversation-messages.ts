import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';
import { takeTarget } from './target.ts';

export const getConversationMessages = agentTool(
  TOOLS.get_conversation_messages,
  async ({ session_token: _, ...args }, caller, { context }) => {
    const { targetAgentId, rest } = takeTarget(args);
    const page = await context.conversations.messages(caller, {
      ...camelKeys(rest),
      ...(targetAgentId !== undefined && { targetAgentId }),
    });
    return {
      conversation: page.conversation,
      messages: page.messages,
      has_more: page.hasMore,
      total_count: page.totalCount,
    };
  },
  { large: true },
);
