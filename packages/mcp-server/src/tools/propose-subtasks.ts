import { TOOLS } from '@aizuchi/shared/contract/tools/tools';
import { agentTool } from '../tool.ts';

export const proposeSubtasks = agentTool(TOOLS.propose_subtasks, async (args, caller, { context }) => {
  const { id, state } = await context.agentProposals.propose(caller, {
    taskId: args.task_id,
    parts: args.subtasks.map(({ title, description, assignee_id, depends_on = [] }) => ({
      title,
      ...(description !== undefined && { description }),
      ...(assignee_id !== undefined && { assigneeId: assignee_id }),
      dependsOn: depends_on,
    })),
    idempotencyKey: args.idempotency_key,
  });
  return {
    success: true as const,
    proposal_id: id,
    status: state,
    instruction: context.instructions.proposed,
  };
});
