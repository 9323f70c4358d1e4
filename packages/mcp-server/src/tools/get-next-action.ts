import type { ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { unreachable } from '@aizuchi/shared/core/rules/unreachable';
import type { NextAction } from '@aizuchi/shared/core/sessions/rules/next-action';
import type { AgentCaller } from '../ports.ts';
import { agentTool, heldRequestOf } from '../tool.ts';
import type { ToolCall } from '../tool-call.ts';
import { withReceipt } from '../with-receipt.ts';
import { answerNotice } from './conversation-notice.ts';

/** The time that the seed's agents wait between two calls without hold. */
const WAIT_SECONDS = 5;

type Answer = ToolOutput<'get_next_action'>;

export const getNextAction = agentTool(
  TOOLS.get_next_action,
  async ({ hold_seconds: holdSeconds = 0 }, caller, call): Promise<Answer> => {
    const { actions, peers, sessions, instructions } = call.context;
    actions.supersede(caller.sessionId);
    peers.announceCall(caller.sessionId);
    const outcome = await actions.wait(heldRequestOf(caller), holdSeconds * 1_000, (leave) =>
      call.exchange.onGone(leave),
    );
    const wait = waitAnswer(holdSeconds === 0 ? WAIT_SECONDS : 0, call);
    switch (outcome.kind) {
      case 'ready':
        return answerAction(outcome.value, caller, call);
      case 'superseded':
        return { ...wait, superseded: true, wait_seconds: 0, instruction: instructions.askAgain };
      case 'failed':
        throw outcome.error;
      case 'nothing':
        if (isWithheld(outcome.value)) return { ...wait, instruction: instructions.folderInUse };
        // Never after a hold: a thousand agents that wait cost no query.
        return holdSeconds === 0 && (await sessions.isPerWork(caller))
          ? { ...wait, instruction: instructions.nothingLeft }
          : wait;
      case 'stopped':
      case 'gone':
        return wait;
      default:
        return unreachable(outcome);
    }
  },
  { evenIfEnded: true, unlimited: true, cached: true, asksOnly: true },
);

/** Its messages wait until another agent has done its work in the folder. */
function isWithheld(action: NextAction | undefined): boolean {
  return action?.kind === 'wait' && action.folderOf !== undefined;
}

async function answerAction(action: NextAction, caller: AgentCaller, call: ToolCall): Promise<Answer> {
  switch (action.kind) {
    case 'get_pending_messages':
      return answerFetch(action, caller, call);
    case 'question_resolved':
      return answerQuestion(action.toolUseId, caller, call);
    case 'approval_resolved':
      return answerApproval(action.toolUseId, caller, call);
    case 'conversation':
      return answerNotice(action.notice, caller, call);
    case 'work_on_task':
      return answerTask(action.taskId, caller, call);
    case 'exit':
    case 'logout':
      return answerEnd(action, caller, call);
    case 'wait':
      return waitAnswer(0, call);
    default:
      return unreachable(action);
  }
}

/** Messages that are held unanswered are offered a few times only; an offer that was written counts. */
function answerFetch(
  { kind, again }: NextAction & { kind: 'get_pending_messages' },
  caller: AgentCaller,
  call: ToolCall,
): Answer {
  const { deliveries, recollections, instructions } = call.context;
  recollections?.begin(caller);
  if (again) call.afterDelivery(caller.sessionId, () => deliveries.offeredAgain(caller.sessionId));
  return {
    action: kind,
    state: 'active',
    ...(again && { repeat: true }),
    instruction: again ? instructions.fetchHeld : instructions.fetchMessages,
  };
}

/** The outcome of a card. */
async function answerQuestion(toolUseId: string, caller: AgentCaller, call: ToolCall): Promise<Answer> {
  const { questions, instructions } = call.context;
  if (call.exchange.isGone) return waitAnswer(0, call);
  const offered = await questions.offer(caller.sessionId, toolUseId);
  if (!offered || offered.status === 'pending' || offered.status === 'unavailable')
    return waitAnswer(0, call);
  const { status, answers, repeat } = offered;
  return {
    action: 'question_resolved',
    state: 'active',
    ...withReceipt(call, caller, { kind: 'question', toolUseId }),
    tool_use_id: toolUseId,
    status,
    ...(answers && { answers: { ...answers } }),
    ...(repeat && { repeat }),
    instruction: instructions.asked[status],
  };
}

/** The outcome of a request for permission. */
async function answerApproval(toolUseId: string, caller: AgentCaller, call: ToolCall): Promise<Answer> {
  const { approvals, instructions } = call.context;
  if (call.exchange.isGone) return waitAnswer(0, call);
  const offered = await approvals.offer(caller.sessionId, toolUseId);
  if (!offered || offered.status === 'pending' || offered.status === 'unavailable')
    return waitAnswer(0, call);
  const { status, note, repeat } = offered;
  return {
    action: 'approval_resolved',
    state: 'active',
    ...withReceipt(call, caller, { kind: 'approval', toolUseId }),
    tool_use_id: toolUseId,
    status,
    ...(note !== undefined && { note }),
    ...(repeat && { repeat }),
    instruction: instructions.requested[status],
  };
}

/** The work of a task session. */
async function answerTask(taskId: string, caller: AgentCaller, call: ToolCall): Promise<Answer> {
  const { agentWork, instructions } = call.context;
  if (call.exchange.isGone) return waitAnswer(0, call);
  const offered = await agentWork.offer(caller);
  if (!offered) return { ...waitAnswer(0, call), instruction: instructions.folderInUse };
  const { repeat } = offered;
  return {
    action: 'work_on_task',
    state: 'active',
    ...withReceipt(call, caller, { kind: 'task', taskId }),
    task_id: taskId,
    ...(repeat && { repeat }),
    instruction: repeat ? instructions.workOnTaskAgain : instructions.workOnTask,
  };
}

/** Repeated at every call until the session is over. */
async function answerEnd(
  action: NextAction & { kind: 'exit' | 'logout' },
  caller: AgentCaller,
  call: ToolCall,
): Promise<Answer> {
  const { sessions, callers, instructions } = call.context;
  callers.forget(caller.sessionId);
  const answer = { action: action.kind, reason: action.reason, instruction: instructions.leave };
  if (!caller.live) return { ...answer, state: 'ended' };
  if (call.exchange.isGone) return { ...answer, state: 'terminating' };
  const offered = await sessions.offerEnd(caller.sessionId);
  if (!offered) return waitAnswer(0, call);
  return {
    ...answer,
    state: 'terminating',
    ...withReceipt(call, caller, { kind: 'exit' }),
    ...(offered.repeat && { repeat: true }),
  };
}

function waitAnswer(waitSeconds: number, call: ToolCall): Answer {
  const { instructions } = call.context;
  return {
    action: 'wait_for_messages',
    state: 'active',
    wait_seconds: waitSeconds,
    instruction: waitSeconds === 0 ? instructions.askAgain : instructions.waitThenAsk(waitSeconds),
  };
}
