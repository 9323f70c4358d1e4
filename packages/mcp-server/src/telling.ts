import { receiptOf, type Telling } from '@aizuchi/shared/core/chat/delivery/receipts';
import type { AgentCaller } from './ports.ts';
import type { ToolCall } from './tool-call.ts';

/**
 * The receipt of what this call offers. For clients that know no receipts, acknowledged means: written to a
 * live connection.
 */
export function tell(call: ToolCall, caller: AgentCaller, telling: Telling): { receipt: string } {
  call.afterDelivery(caller.sessionId, () => call.context.receipts.written(caller, telling));
  return { receipt: receiptOf(telling) };
}
