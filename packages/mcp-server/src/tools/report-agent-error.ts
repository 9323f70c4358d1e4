import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

export const reportAgentError = coordinatorTool(
  TOOLS.report_agent_error,
  async ({ coordinator_token: _, ...report }, { context }) => {
    await context.coordination.reportAgentError(camelKeys(report));
    return { accepted: true as const };
  },
);
