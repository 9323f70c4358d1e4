import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { sessionOver } from '@aizuchi/shared/core/chat/delivery/agent-input';
import { agentTool } from '../tool.ts';
import { withReceipt } from '../with-receipt.ts';
import { untilResolved } from './until-resolved.ts';

export const askUserQuestion = agentTool(
  TOOLS.ask_user_question,
  async (args, caller, call) => {
    const { questions, answers, instructions } = call.context;
    const asked = await questions.ask(caller, {
      questions: args.questions,
      toolUseId: args.tool_use_id,
      idempotencyKey: args.idempotency_key,
    });
    const outcome = await untilResolved(asked, answers, { caller, call, holdSeconds: args.hold_seconds });
    const { toolUseId, status } = outcome;
    const isResolved = status === 'answered' || status === 'timeout' || status === 'cancelled';
    // While the call was held the session may have ended, and its successor been given the answer.
    const isAnswer = status === 'answered' && !call.exchange.isGone;
    if (isAnswer && !(await questions.offer(caller.sessionId, toolUseId))) throw sessionOver();
    return {
      status,
      tool_use_id: toolUseId,
      ...(isResolved && withReceipt(call, caller, { kind: 'question', toolUseId })),
      ...(outcome.answers && { answers: { ...outcome.answers } }),
      instruction: instructions.asked[status],
    };
  },
  { unlimited: true },
);
