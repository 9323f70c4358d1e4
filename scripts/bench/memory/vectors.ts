import { unitVector } from '@aizuchi/shared/core/memory/rules/vectors';
import { bytesOf } from '@aizuchi/shared/core/memory/vectors/vector-bytes';
import { VectorThread } from '@aizuchi/shared/core/memory/vectors/vector-thread';
import type { Database } from '@aizuchi/shared/platform/db/database';
import { percentiles, row } from '../support/statistics.ts';
import { addAgent } from './fill.ts';

const MODEL = 'bench';
const DIMENSIONS = 384;
const LIMIT = 100;
const CHUNK = 1_000;

/** Times the exact search among so many random vectors of one agent, after they were loaded. */
export async function measureVectors(database: Database, count: number, samples: number): Promise<void> {
  const agentId = `agt_vectors_${count}`;
  await addAgent(database, agentId);
  for (let from = 0; from < count; from += CHUNK)
    await storeVectors(database, agentId, Math.min(CHUNK, count - from));
  await database.pool.query('vacuum analyze memory_vectors');
  const thread = new VectorThread(database.url);
  const search = async () => {
    const startedAt = performance.now();
    const { vectors } = await thread.nearest({
      agentId,
      model: MODEL,
      projectId: undefined,
      asOf: null,
      query: randomVector(),
      limit: LIMIT,
    });
    if (vectors !== count) throw new Error(`${vectors} instead of ${count} vectors were compared`);
    return performance.now() - startedAt;
  };
  const loadMs = await search();
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) times.push(await search());
  await thread.close();
  console.log(row(`exact search, ${count} vectors × ${DIMENSIONS}, in its thread`, percentiles(times)));
  console.log(`  the first one, which loads them: ${loadMs.toFixed(0)} ms`);
}

async function storeVectors(database: Database, agentId: string, count: number): Promise<void> {
  await database.pool.query(
    `with documents as (
      insert into memory_events (id, agent_id, client_id, thread_id, source, user_text, assistant_state, created_at)
      select gen_random_uuid()::text, $1, 'bench', 'bench', 'import', 'x', 'complete', now() from generate_series(1, $2::int)
      returning id, created_at
    ), stored as (
      insert into memory_documents (event_id, agent_id, created_at, length, terms)
      select id, $1, created_at, 1, '{1}' from documents returning id, text_seq
    )
    select id from stored`,
    [agentId, count],
  );
  const vectors = Array.from({ length: count }, () => bytesOf(randomVector()));
  await database.pool.query(
    `insert into memory_vectors (document_id, agent_id, model, text_seq, vector)
     select d.id, $1, $2, d.text_seq, v.vector
     from (select id, text_seq, row_number() over (order by id desc) as place from memory_documents
       where agent_id = $1 order by id desc limit $3) d
     join unnest($4::bytea[]) with ordinality as v (vector, place) on v.place = d.place`,
    [agentId, MODEL, count, vectors],
  );
}

function randomVector(): Float32Array {
  const vector = unitVector(Array.from({ length: DIMENSIONS }, () => Math.random() - 0.5));
  if (!vector) throw new Error('a vector without length');
  return vector;
}
