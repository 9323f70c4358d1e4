import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { STATE_OF_DECISION } from '@aizuchi/shared/core/approvals/rules/approval-states';
import { sessionOver } from '@aizuchi/shared/core/chat/delivery/agent-input';
import { agentTool } from '../tool.ts';
import { withReceipt } from '../with-receipt.ts';
import { untilResolved } from './until-resolved.ts';

const DECIDED: ReadonlySet<string> = new Set(Object.values(STATE_OF_DECISION));

export const requestApproval = agentTool(
  TOOLS.request_approval,
  async (args, caller, call) => {
    const { approvals, decisions, instructions } = call.context;
    const requested = await approvals.request(caller, {
      tool: args.tool,
      summary: args.summary,
      input: args.input,
      kind: args.kind,
      sessionScope: args.session_scope,
      toolUseId: args.tool_use_id,
      idempotencyKey: args.idempotency_key,
    });
    const outcome = await untilResolved(requested, decisions, {
      caller,
      call,
      holdSeconds: args.hold_seconds,
    });
    const { toolUseId, status, note } = outcome;
    // From now on the same request is another one: a permission is used once, whether this answer arrives or not. While
    // the call was held the session may have ended, and its successor been given the decision.
    if (DECIDED.has(status) && !call.exchange.isGone && !(await approvals.offer(caller.sessionId, toolUseId)))
      throw sessionOver();
    return {
      status,
      tool_use_id: toolUseId,
      ...(note !== undefined && { note }),
      ...(status !== 'pending' &&
        status !== 'unavailable' &&
        withReceipt(call, caller, { kind: 'approval', toolUseId })),
      instruction: instructions.requested[status],
    };
  },
  { unlimited: true },
);
