import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { snakeKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';

export const listProjectAgents = agentTool(TOOLS.list_project_agents, async (_args, caller, { context }) => {
  const agents = await context.directory.projectAgents(caller);
  return {
    agents: agents.map(({ labels, ...agent }) => ({
      ...snakeKeys(agent),
      type: agent.type === 'human' ? ('human' as const) : ('ai' as const),
      labels: [...labels],
      is_self: agent.agentId === caller.agentId,
    })),
  };
});
