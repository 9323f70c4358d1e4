import type { FailureCode } from '../../contract/chat.ts';
import type { Tx } from '../../platform/db/database.ts';
import { failWaiting } from '../chat/delivery/redeliver.ts';
import type { ExitReason } from '../sessions/rules/session-machine.ts';

type Pair = { readonly projectId: string; readonly agentId: string };

/**
 * The fast path of a post takes no lock of the pair: a message may be stored in the very moment of a going-away. It
 * fails like those that waited before it. False: nobody went away, or nothing waits. The sweeper's.
 */
export async function failStranded(tx: Tx, pair: Pair, now: Date): Promise<boolean> {
  const agent = await tx.db
    .selectFrom('agents')
    .leftJoin('projects', (join) =>
      join
        .on('projects.id', '=', pair.projectId)
        .on('projects.deletedAt', 'is', null)
        .on('projects.status', '<>', 'archived'),
    )
    .leftJoin('projectAgents', (join) =>
      join
        .onRef('projectAgents.agentId', '=', 'agents.id')
        .on('projectAgents.projectId', '=', pair.projectId),
    )
    .select(['agents.deletedAt', 'projects.id as projectId', 'projectAgents.agentId as memberId'])
    .where('agents.id', '=', pair.agentId)
    .executeTakeFirst();
  const reason = reasonOf(agent);
  if (reason === null) return false;
  return (await failWaiting(tx, pair, FAILURE_OF[reason] ?? 'stopped_by_person', { reason }, now)) > 0;
}

function reasonOf(
  agent: { deletedAt: Date | null; projectId: string | null; memberId: string | null } | undefined,
): ExitReason | null {
  if (!agent || agent.deletedAt !== null) return 'agent_deleted';
  if (agent.projectId === null) return 'project_archived';
  return agent.memberId === null ? 'removed_from_project' : null;
}

/** Why messages to an agent that is not there any more have failed; every other reason: stopped by a person. */
export const FAILURE_OF: Partial<Record<ExitReason, FailureCode>> = { agent_deleted: 'agent_deleted' };
