import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';

/**
 * Also a sign of life: who writes need not say so besides. It shows what a person wants of the turn and leaves the
 * telling to the heartbeat: a writer may not look at what each piece is answered with. What grows faster than anybody
 * reads is not shown: the answer itself comes whole.
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
