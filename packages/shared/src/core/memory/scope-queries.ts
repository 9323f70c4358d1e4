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

/** The parts that the scope shows, each of which has an order in an index: together they have none. */
export function partsOf({ projectId }: MemoryScope): RawBuilder<boolean>[] {
  if (projectId === undefined) return [sql<boolean>`true`];
  const general = sql<boolean>`project_id is null`;
  return projectId === null ? [general] : [general, sql<boolean>`project_id = ${projectId}`];
}
