import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import type { Recalled } from '@aizuchi/shared/core/agent-memory/agent-memory';
import { snakeKeys } from '../camel-keys.ts';
import type { Instructions } from '../texts/instructions.ts';
import { agentTool } from '../tool.ts';

export const recall = agentTool(TOOLS.recall, async ({ query, limit }, caller, { context }) => {
  const recalled = await context.agentMemory.recall(caller, { query, limit });
  return {
    run_id: recalled.runId,
    degraded: [...recalled.degraded],
    items: recalled.items.map(({ saidBy, foundBy, sourceEvents, ...item }) => ({
      ...snakeKeys(item),
      said_by: saidBy,
      found_by: [...foundBy],
      source_events: [...sourceEvents],
    })),
    instruction: instructionFor(recalled, context.instructions),
  };
});

function instructionFor({ runId, items }: Recalled, instructions: Instructions): string {
  if (runId === null) return instructions.memoryAway;
  return items.length === 0 ? instructions.nothingRecalled : instructions.recalled;
}
