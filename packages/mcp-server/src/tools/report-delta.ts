import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';

/**
 * Also a sign of life: who writes need not say so besides. It shows what a person wants of the turn and leaves the
 * telling to the heartbeat: a writer may not look at what each piece is answered with.
 */
export const reportDelta = agentTool(
  TOOLS.report_delta,
  async ({ session_token: _, ...args }, caller, { context }) => {
    const { sessions, deliveries } = context;
    const [controls] = await Promise.all([
      sessions.controls([caller.sessionId]),
      sessions.beat(caller, { phase: 'writing' }),
      deliveries.reportDelta(caller, camelKeys(args)),
    ]);
    return { control: controls.get(caller.sessionId)?.control ?? null };
  },
  { unlimited: true },
);
