import { MAX_HOLD_SECONDS } from '@aizuchi/shared/contract/tools/common';
import { keys } from '@aizuchi/shared/platform/change-log/keys';
import type { HeldCalls, HeldRequest } from '../held/held-calls.ts';
import type { AgentCaller } from '../ports.ts';
import type { ToolCall } from '../tool-call.ts';

interface Outcome {
  readonly toolUseId: string;
  readonly status: string;
}

/**
 * Holds the call while a person thinks. The card is stored before: whatever happens to this call, the card
 * remains and can be asked for again.
 */
export async function untilResolved<O extends Outcome>(
  first: O,
  room: HeldCalls<HeldRequest, O>,
  held: { caller: AgentCaller; call: ToolCall; holdSeconds: number | undefined },
): Promise<O> {
  const { caller, call, holdSeconds = MAX_HOLD_SECONDS } = held;
  if (first.status !== 'pending' || holdSeconds === 0) return first;
  const request = { id: first.toolUseId, key: keys.membership(caller.projectId, caller.agentId) };
  const outcome = await room.wait(request, holdSeconds * 1_000, (leave) => call.exchange.onGone(leave));
  if (outcome.kind === 'failed') throw outcome.error;
  return outcome.kind === 'ready' ? outcome.value : first;
}
