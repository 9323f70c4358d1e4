import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';

export const reportModels = agentTool(
  TOOLS.report_models,
  async ({ models }, caller, { context }) => {
    await context.models.report(caller, models);
    return { accepted: true as const };
  },
  { asksOnly: true },
);
