import { indexDocument } from '../../src/core/memory/rules/index-terms.ts';
import type { Database } from '../../src/platform/db/database.ts';
import type { PlanRecorder } from '../../src/testing/recorded-plans.ts';

/** Every event holds `meeting`, one in ten `violin`, one in fifty `harbour`, one in a thousand `zeppelin`. */
export async function fillMemory(database: Database, owner: string, events: number): Promise<void> {
  const terms = (text: string) =>
    indexDocument({ agentId: owner, createdAt: new Date(0), texts: [text] }).terms;
  await database.pool.query(
    `insert into memory_events (id, agent_id, client_id, thread_id, source, actor, user_text, assistant_state, created_at)
     select $1 || n, $1, 'client', 'thread-' || n / 20, 'import', 'Ann', 'text ' || n, 'complete',
       timestamptz '2026-01-01' + n * interval '1 hour' from generate_series(1, $2::int) n`,
    [owner, events],
  );
  await database.pool.query(
    `insert into memory_documents (event_id, agent_id, created_at, length, terms)
     select id, agent_id, created_at, 5, $2::int[] || array[n] || case when n % 10 = 0 then $3::int[] else '{}' end
       || case when n % 50 = 0 then $4::int[] else '{}' end || case when n % 1000 = 0 then $5::int[] else '{}' end
     from (select *, row_number() over (order by seq)::int as n from memory_events where agent_id = $1) e order by seq`,
    [owner, terms('meeting'), terms('violin'), terms('harbour'), terms('zeppelin')],
  );
}

/** How many rows `work` reads, by table and index. */
export async function rowsRead(
  recorder: PlanRecorder,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const read of (await recorder.plansOf(work)).flatMap((plan) => plan.reads)) {
    const name = `${read.table} by ${read.index}`;
    rows[name] = (rows[name] ?? 0) + read.rows;
  }
  return rows;
}
