import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { snakeKeys } from '../camel-keys.ts';
import { requireLive } from '../session-auth.ts';
import type { Instructions } from '../texts/instructions.ts';
import { agentTool } from '../tool.ts';

export const getPendingMessages = agentTool(
  TOOLS.get_pending_messages,
  async (args, caller, call) => {
    const { deliveries, recollections, instructions } = call.context;
    const delivery = await deliveries.take(caller);
    const { pendingMessages, waitsFor } = delivery;
    // An ended session is given nothing: when this is the reason for the empty answer, the session learns its
    // end.
    if (delivery.batchId === null) await requireLive(args, call);
    const memory = await recollections?.packFor(caller, delivery, args.memory);
    return {
      ...(delivery.batchId !== null && { batch_id: delivery.batchId }),
      source: delivery.source && snakeKeys(delivery.source),
      context_messages: [...delivery.contextMessages],
      pending_messages: [...pendingMessages],
      total_history_count: delivery.totalHistoryCount,
      context_truncated: delivery.contextTruncated,
      ...(memory && { memory }),
      ...(pendingMessages.some((message) => message.repeat) && { repeat: true as const }),
      instruction:
        pendingMessages.length === 0 && waitsFor !== null
          ? instructions.folderInUse
          : instructionFor(delivery.source, pendingMessages, instructions),
    };
  },
  { cached: true, large: true },
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
