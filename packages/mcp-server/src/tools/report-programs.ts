import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

export const reportPrograms = coordinatorTool(
  TOOLS.report_programs,
  async ({ coordinator_token: _, programs, ...caller }, { context }) => {
    await context.programs.report({ ...camelKeys(caller), programs });
    return { accepted: true as const };
  },
);
