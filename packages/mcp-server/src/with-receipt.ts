import { type ReceiptSubject, receiptOf } from '@aizuchi/shared/core/chat/delivery/receipts';
import type { AgentCaller } from './ports.ts';
import type { ToolCall } from './tool-call.ts';

/**
 * The receipt of what this call offers. For clients that know no receipts, acknowledged means: written to a
 * live connection.
 */
export function withReceipt(
  call: ToolCall,
  caller: AgentCaller,
  subject: ReceiptSubject,
): { receipt: string } {
  call.afterDelivery(caller.sessionId, () => call.context.receipts.written(caller, subject));
  return { receipt: receiptOf(subject) };
}
