import type { ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import type { OfferedNotice } from '@aizuchi/shared/core/conversations/conversation-notices';
import { unreachable } from '@aizuchi/shared/core/rules/unreachable';
import type { ConversationNotice } from '@aizuchi/shared/core/sessions/rules/next-action';
import type { AgentCaller } from '../ports.ts';
import type { Instructions } from '../texts/instructions.ts';
import type { ToolCall } from '../tool-call.ts';
import { withReceipt } from '../with-receipt.ts';

type Answer = ToolOutput<'get_next_action'>;

/**
 * Offered before the response is written. Acknowledged by its receipt, or without receipts when it was
 * written (with-receipt.ts).
 */
export async function answerNotice(
  notice: ConversationNotice,
  caller: AgentCaller,
  call: ToolCall,
): Promise<Answer> {
  const { conversations, instructions } = call.context;
  const askAgain = {
    action: 'wait_for_messages',
    state: 'active',
    wait_seconds: 0,
    instruction: instructions.askAgain,
  } as const;
  if (call.exchange.isGone) return askAgain;
  const offered = await conversations.offer(caller, notice);
  // The notice was acknowledged, became void or was taken by another session after it was read: the next call
  // gets the next answer.
  if (offered === null) return askAgain;
  return {
    ...bodyOf(notice.kind, offered, instructions),
    conversation_id: notice.conversationId,
    state: 'active',
    ...withReceipt(call, caller, { kind: 'conversation', notice }),
    ...(offered.repeat && { repeat: true }),
  };
}

function bodyOf(
  kind: ConversationNotice['kind'],
  { conversation, partnerId, partnerName, resumed, messages }: OfferedNotice,
  instructions: Instructions,
): Pick<Answer, 'action' | 'instruction'> & Partial<Answer> {
  switch (kind) {
    case 'request':
      return {
        action: 'conversation_request',
        from_agent_id: partnerId,
        from_agent_name: partnerName,
        purpose: conversation.purpose,
        ...(resumed && { resumed }),
        instruction: resumed ? instructions.conversationResumed : instructions.conversationRequest,
      };
    case 'ended':
      return {
        action: 'conversation_ended',
        ended_by: conversation.endedBy,
        reason: conversation.endReason ?? 'timeout',
        ...(conversation.finalMessage !== null && { final_message: conversation.finalMessage }),
        unread_messages: [...messages],
        instruction: instructions.conversationEnded,
      };
    case 'expired':
      return {
        action: 'conversation_expired',
        target: partnerId,
        undelivered: [...messages],
        instruction: instructions.conversationExpired,
      };
    default:
      return unreachable(kind);
  }
}
