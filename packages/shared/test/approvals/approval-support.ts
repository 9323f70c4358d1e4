import type { RequestInput } from '../../src/core/approvals/request-approval.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';

/** A request to run a command. */
export function toRun(command: string, more: Partial<RequestInput> = {}): RequestInput {
  return { tool: 'Bash', kind: 'command', summary: `Run ${command}`, input: { command }, ...more };
}

export async function approvalOf(world: ServiceWorld, toolUseId: string) {
  return world.database.db
    .selectFrom('approvals')
    .selectAll()
    .where('toolUseId', '=', toolUseId)
    .executeTakeFirstOrThrow();
}

/** What people see of an agent's requests: summary and status, the newest first. */
export async function seenApprovals(world: ServiceWorld, membership: WorldAgent): Promise<string[]> {
  const { approvals } = await world.approvals.list(world.owner, membership.projectId, {
    agentId: membership.agentId,
    limit: 200,
  });
  return approvals.map(({ summary, status }) => `${summary} ${status}`);
}
