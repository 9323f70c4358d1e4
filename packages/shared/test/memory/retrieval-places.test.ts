import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import type { Database, Statement } from '../../src/platform/db/database.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { rawClient } from '../chat/chat-support.ts';
import { tell } from './memory-support.ts';

/* What a search has left behind goes on in the database: it begins nothing more, and its place is not free meanwhile. */

/** Long enough for a busy machine to begin every statement, and waited for to its end. */
const BUDGET_MS = 2_000;

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(() => world.close());

/** The database of the world, with the statements that it was asked for and that began. */
function recorded() {
  const begun: { name: string; ended: Promise<unknown> }[] = [];
  const database: Database = {
    ...world.database,
    statement<R extends object>(query: Statement): Promise<R[]> {
      const ended = world.database.statement<R>(query);
      if (query.signal?.aborted !== true)
        begun.push({ name: query.name, ended: ended.catch(() => undefined) });
      return ended;
    },
  };
  return { database, begun };
}

async function withLockedDocuments<T>(work: () => Promise<T>): Promise<T> {
  const client = await rawClient(world);
  try {
    await client.query('begin');
    await client.query('lock table memory_documents in access exclusive mode');
    return await work();
  } finally {
    await client.query('rollback');
    await client.end();
  }
}

const allEnded = async (begun: readonly { ended: Promise<unknown> }[]) => {
  await Promise.all(begun.map(({ ended }) => ended));
  await new Promise(setImmediate);
};

it('a collector that was left behind begins no further statement', async () => {
  const { agentId, projectId } = await world.agentInProject();
  await tell(world.database, [{ agentId, projectId, text: 'the pottery class' }]);
  const { database, begun } = recorded();
  const memory = new MemoryRetrieval({ ...world.deps, database });
  const input = { text: 'pottery', clientId: 'c', budgetMs: BUDGET_MS };
  const { degraded } = await withLockedDocuments(() => memory.recall({ agentId, projectId }, input));
  expect(degraded).toContain('collector_late');
  await allEnded(begun);
  const names = begun.map(({ name }) => name);
  expect(names).toContain('memory_postings_of_project');
  expect(names).not.toContain('memory_documents_by_ids');
});

it('one memory reads by four connections at most, also by what was left behind', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const other = await world.agentInProject();
  const { database, begun } = recorded();
  const memory = new MemoryRetrieval({ ...world.deps, database });
  const recall = (scope = { agentId, projectId }) =>
    memory.recall(scope, { text: 'pottery on 8 May 2026', clientId: 'c', budgetMs: BUDGET_MS });
  await withLockedDocuments(async () => {
    const recalled = [...(await Promise.all([recall(), recall()])), await recall()];
    for (const { degraded } of recalled) expect(degraded).toContain('collector_late');
    expect(begun).toHaveLength(4);
    // Another memory is not concerned.
    await recall(other);
    expect(begun).toHaveLength(8);
  });
  await allEnded(begun);
  expect(begun).toHaveLength(8);
  await recall();
  expect(begun.length).toBeGreaterThan(8);
});
