import { type RawBuilder, sql } from 'kysely';
import type { MemoryScope } from './memory-scope.ts';

/** `where` of a read of memory_events or memory_states: only what the scope shows. */
export function inScope({ agentId, projectId }: MemoryScope): RawBuilder<boolean> {
  const project =
    projectId === undefined
      ? sql`true`
      : projectId === null
        ? sql`project_id is null`
        : sql`(project_id is null or project_id = ${projectId})`;
  return sql<boolean>`(agent_id = ${agentId} and ${project})`;
}
