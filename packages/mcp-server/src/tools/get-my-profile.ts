import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { PROVIDER_NAMES } from '@aizuchi/shared/core/agents/rules/providers';
import { snakeKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';

export const getMyProfile = agentTool(TOOLS.get_my_profile, async (_args, caller, { context }) => {
  const { project, labels, provider, ...self } = await context.directory.profile(caller);
  const known = PROVIDER_NAMES.find((name) => name === provider);
  return {
    ...snakeKeys(self),
    labels: [...labels],
    purpose: caller.purpose,
    ...(known && { provider: known }),
    ...(caller.taskId !== '' && { task_id: caller.taskId }),
    project: snakeKeys(project),
  };
});
