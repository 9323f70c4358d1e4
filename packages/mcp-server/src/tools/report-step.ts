import { fitStep } from '@aizuchi/shared/contract/step';
import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';

/** A short step costs this much: the number of steps is limited too. */
const MIN_UNITS = 1_000;

/**
 * Counts as a heartbeat too, and shows a control as report_delta does. Steps that come faster than the limit are not
 * kept, and the agent is told so. One statement in all: the caller is remembered, and the report itself checks its session.
 */
export const reportStep = agentTool(
  TOOLS.report_step,
  async ({ message_id: messageId, step: given, batch_id: batchId }, caller, { context }) => {
    const step = fitStep(given);
    const units = Math.max(MIN_UNITS, JSON.stringify(step).length);
    if (context.stepGrowth.take(caller.sessionId, units) !== undefined)
      return { control: null, recorded: false, reason: 'too_fast' as const };
    const { control, reason, cut } = await context.steps.report(caller, { messageId, step, batchId });
    return { control, recorded: reason === undefined, ...(reason && { reason }), ...(cut && { cut }) };
  },
  { unlimited: true, cached: true },
);
