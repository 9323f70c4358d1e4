import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';

/** Also a sign of life: who writes need not say so besides. */
export const reportDelta = agentTool(
  TOOLS.report_delta,
  async ({ session_token: _, ...args }, caller, { context }) => {
    const [{ control }] = await Promise.all([
      context.sessions.heartbeat(caller, { phase: 'writing' }),
      context.deliveries.reportDelta(caller, camelKeys(args)),
    ]);
    return { control };
  },
  { unlimited: true },
);
