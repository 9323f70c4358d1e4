import { MAX_HOLD_SECONDS } from '@aizuchi/shared/contract/tools/common';
import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { VISION_TIMEOUT_MS } from '@aizuchi/shared/contract/vision';
import type { VisionOutcome } from '@aizuchi/shared/core/vision/agent-vision';
import { keys } from '@aizuchi/shared/platform/change-log/keys';
import type { AgentCaller } from '../ports.ts';
import { agentTool } from '../tool.ts';
import type { ToolCall } from '../tool-call.ts';
import { withReceipt } from '../with-receipt.ts';

export const requestVision = agentTool(
  TOOLS.request_vision,
  async (
    { source, timeout_ms: timeoutMs = VISION_TIMEOUT_MS.default, idempotency_key: idempotencyKey },
    caller,
    call,
  ) => {
    const { vision, instructions } = call.context;
    const asked = await vision.ask(caller, { source, timeoutMs, idempotencyKey });
    const outcome = await untilSeen(asked, caller, call, timeoutMs);
    const { requestId, status, description, eventId, reason } = outcome;
    return {
      status: status === 'no_person' || status === 'no_model' ? ('unavailable' as const) : status,
      ...(requestId !== null && { request_id: requestId }),
      ...(description !== undefined && { description }),
      ...(eventId !== undefined && { event_id: eventId }),
      ...(reason !== undefined && { reason }),
      ...(requestId !== null &&
        status !== 'pending' &&
        withReceipt(call, caller, { kind: 'vision', requestId })),
      instruction: instructions.seen[status],
    };
  },
  { unlimited: true },
);

/** Holds the call while a person chooses an image. The request is stored before, and is found again by its source. */
async function untilSeen(
  first: VisionOutcome,
  { agentId }: AgentCaller,
  { context, exchange }: ToolCall,
  timeoutMs: number,
): Promise<VisionOutcome> {
  const { requestId, status } = first;
  if (status !== 'pending' || requestId === null) return first;
  const request = { id: requestId, key: keys.vision(agentId) };
  const holdMs = Math.min(timeoutMs, MAX_HOLD_SECONDS * 1_000);
  const outcome = await context.sights.wait(request, holdMs, (leave) => exchange.onGone(leave));
  if (outcome.kind === 'failed') throw outcome.error;
  if (outcome.kind === 'ready') return outcome.value;
  // It may have timed out with the hold.
  return (await context.vision.outcomes([requestId])).get(requestId) ?? first;
}
