import {
  MemoryRetrieval,
  type MemoryRetrievalDeps,
} from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { indexDocument } from '../../src/core/memory/rules/index-terms.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';

export interface Told {
  readonly text: string;
  readonly id?: string;
  readonly agentId: string;
  readonly projectId?: string | null;
  readonly threadId?: string;
  readonly actor?: string;
  readonly caption?: string;
  readonly sourceRef?: string;
  readonly at?: string;
}

/** Retrieval of which no step is late, however busy the machine is. */
export function retrievalOf(
  { deps }: ServiceWorld,
  more: Partial<MemoryRetrievalDeps> = {},
): MemoryRetrieval {
  return new MemoryRetrieval({ ...deps, stepMs: () => LONG_TIMEOUT_MS, ...more });
}

/** Events and their documents, in this order, written by SQL. */
export async function tell(database: Database, told: readonly Told[]): Promise<string[]> {
  const ids: string[] = [];
  for (const one of told) {
    const id = one.id ?? newId('evt');
    const createdAt = new Date(one.at ?? '2026-05-08T10:00:00Z');
    const { agentId, projectId = null, actor = null, caption = null, sourceRef = null } = one;
    const { terms, length } = indexDocument({
      agentId,
      createdAt,
      texts: [one.text, caption ?? ''],
      ...(actor !== null && { actor }),
    });
    await database.pool.query(
      `with stored as (
        insert into memory_events (id, agent_id, project_id, client_id, thread_id, source, source_ref, actor, user_text,
          caption, assistant_state, created_at)
        values ($1, $2, $3, 'client', $4, 'import', $5, $6, $7, $8, 'complete', $9) returning id)
      insert into memory_documents (event_id, agent_id, project_id, created_at, length, terms)
      select id, $2, $3, $9, $10, $11::int[] from stored`,
      [
        id,
        agentId,
        projectId,
        one.threadId ?? 'thread',
        sourceRef,
        actor,
        one.text,
        caption,
        createdAt,
        length,
        terms,
      ],
    );
    ids.push(id);
  }
  return ids;
}
