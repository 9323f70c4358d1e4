import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { camelKeys, snakeKeys } from '../camel-keys.ts';
import { coordinatorTool } from '../tool.ts';

export const getAgentAction = coordinatorTool(
  TOOLS.get_agent_action,
  async ({ coordinator_token: _, ...args }, { context }) => {
    const action = await context.coordination.getAgentAction(camelKeys(args));
    if (action.action !== 'start') return action;
    const { ticket, model, baseUrl, apiKeyEnv, limits, image, egress, ...start } = action;
    return {
      ...snakeKeys(start),
      model,
      base_url: baseUrl,
      api_key_env: apiKeyEnv,
      ...(limits !== null && { limits: snakeKeys(limits) }),
      ...(image !== null && { image }),
      ...(egress !== null && { egress }),
      ...(ticket !== null && { launch: { ticket } }),
    };
  },
);
