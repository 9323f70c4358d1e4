import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

export const reportProcessExit = coordinatorTool(
  TOOLS.report_process_exit,
  async ({ coordinator_token: _, signal, ...report }, { context }) => {
    await context.coordination.reportProcessExit({
      ...camelKeys(report),
      ...(typeof signal === 'string' && { signal }),
    });
    return { accepted: true as const };
  },
);
