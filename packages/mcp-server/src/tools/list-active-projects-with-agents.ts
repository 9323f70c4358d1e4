import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { snakeKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

export const listActiveProjectsWithAgents = coordinatorTool(
  TOOLS.list_active_projects_with_agents,
  async (_args, { context }) => ({
    projects: (await context.coordination.listActiveProjectsWithAgents()).map(snakeKeys),
  }),
);
