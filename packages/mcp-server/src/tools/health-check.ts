import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { coordinatorTool } from '../tool.ts';

export const healthCheck = coordinatorTool(TOOLS.health_check, async (_args, { context }) => {
  await context.checkDatabase();
  return { status: 'ok' as const, server_time: context.clock.now().toISOString(), version: context.version };
});
