import { MAX_HOLD_SECONDS } from '@aizuchi/shared/contract/tools/common';
import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { keys } from '@aizuchi/shared/platform/changes/keys';
import { tell } from '../telling.ts';
import { agentTool } from '../tool.ts';

/**
 * Stores the card first, then waits: whatever happens to this call, the card remains and can be asked for
 * again.
 */
export const askUserQuestion = agentTool(
  TOOLS.ask_user_question,
  async (args, caller, call) => {
    const { questions, answers, instructions } = call.context;
    const { hold_seconds: holdSeconds = MAX_HOLD_SECONDS } = args;
    let outcome = await questions.ask(caller, {
      questions: args.questions,
      toolUseId: args.tool_use_id,
      idempotencyKey: args.idempotency_key,
    });
    if (outcome.status === 'pending' && holdSeconds > 0) {
      const request = { id: outcome.toolUseId, key: keys.membership(caller.projectId, caller.agentId) };
      const held = await answers.wait(request, holdSeconds * 1_000, (leave) => call.exchange.onGone(leave));
      if (held.kind === 'failed') throw held.error;
      if (held.kind === 'ready') outcome = held.value;
    }
    const { toolUseId, status } = outcome;
    const isResolved = status === 'answered' || status === 'timeout' || status === 'cancelled';
    return {
      status,
      tool_use_id: toolUseId,
      ...(isResolved && tell(call, caller, { kind: 'question', toolUseId })),
      ...(outcome.answers && { answers: { ...outcome.answers } }),
      instruction: instructions.asked[status],
    };
  },
  { unlimited: true },
);
