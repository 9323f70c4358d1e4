import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

export const reportChanges = coordinatorTool(
  TOOLS.report_changes,
  async ({ coordinator_token: _, ...report }, { context }) => {
    await context.coordination.reportChanges(camelKeys(report));
    return { accepted: true as const };
  },
);
