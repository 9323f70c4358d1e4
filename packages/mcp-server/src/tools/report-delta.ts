import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';

/**
 * Counts as a heartbeat too: an agent that writes need not send one. The answer shows a control of a person,
 * but only a heartbeat acknowledges it, because an agent may not read the answer to each piece. Text that
 * comes faster than the limit is not shown: the answer itself comes whole.
 */
export const reportDelta = agentTool(
  TOOLS.report_delta,
  async ({ session_token: _, ...args }, caller, { context }) => {
    const { sessions, deliveries, growth } = context;
    const isShown = growth.take(caller.sessionId, args.text.length) === undefined;
    const [controls] = await Promise.all([
      sessions.controls([caller.sessionId]),
      sessions.beat(caller, { phase: 'writing' }),
      isShown && deliveries.reportDelta(caller, camelKeys(args)),
    ]);
    return { control: controls.get(caller.sessionId)?.control ?? null };
  },
  { unlimited: true },
);
