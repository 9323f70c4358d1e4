import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { snakeKeys } from '../camel-keys.ts';
import type { Instructions } from '../texts/instructions.ts';
import { agentTool } from '../tool.ts';

export const getPendingMessages = agentTool(
  TOOLS.get_pending_messages,
  async (_args, caller, { context, afterDelivery }) => {
    const { deliveries, instructions } = context;
    const { messageIds, ...delivery } = await deliveries.take(caller);
    const { pendingMessages } = delivery;
    if (messageIds.length > 0)
      afterDelivery(caller.sessionId, () => deliveries.told(caller.sessionId, messageIds));
    return {
      source: delivery.source && snakeKeys(delivery.source),
      context_messages: [...delivery.contextMessages],
      pending_messages: [...pendingMessages],
      total_history_count: delivery.totalHistoryCount,
      context_truncated: delivery.contextTruncated,
      ...(pendingMessages.some((message) => message.repeat) && { repeat: true as const }),
      instruction: instructionFor(delivery.source, pendingMessages, instructions),
    };
  },
);

function instructionFor(
  source: { readonly kind: string } | null,
  messages: readonly { redelivered?: boolean | undefined }[],
  instructions: Instructions,
): string {
  if (messages.length === 0) return instructions.nothingPending;
  if (source?.kind === 'conversation') return instructions.answerPartner;
  return messages.some((message) => message.redelivered)
    ? instructions.answerRedelivered
    : instructions.answerMessages;
}
