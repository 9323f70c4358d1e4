import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { snakeKeys } from '../camel-keys.ts';
import { agentTool } from '../tool.ts';

export const remember = agentTool(
  TOOLS.remember,
  async ({ text, kind, idempotency_key: idempotencyKey }, caller, { context }) => ({
    success: true as const,
    ...snakeKeys(await context.agentMemory.remember(caller, { text, kind, idempotencyKey })),
    instruction: context.instructions.remembered,
  }),
);
