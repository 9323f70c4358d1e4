import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

export const reportProcessStarted = coordinatorTool(
  TOOLS.report_process_started,
  async ({ coordinator_token: _, limits, ...report }, { context }) => {
    await context.coordination.reportProcessStarted({
      ...camelKeys(report),
      ...(limits && { limits: camelKeys(limits) }),
    });
    return { accepted: true as const };
  },
);
