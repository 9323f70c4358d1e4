import { sql } from 'kysely';
import type { RetrievalRun } from '../../../contract/memory.ts';
import type { Queryable, Tx } from '../../../platform/db/database.ts';
import type { MemoryScope } from '../memory-scope.ts';

type Selected = NonNullable<RetrievalRun['selected']>;

export interface NewRun extends Omit<RetrievalRun, 'selected' | 'selectedSource'> {
  readonly scope: MemoryScope;
  readonly query: string;
  /** The messages that the query was made of. */
  readonly messageIds: readonly string[];
}

/** An item whose words may stand in what is selected. */
export interface QuotedItem {
  readonly id: string;
  /** Of a state. */
  readonly bodyText?: string;
}

/** The first of two steps: what was found, before it is decided what is used of it. */
export async function insertRun(db: Queryable, run: NewRun): Promise<void> {
  await db
    .insertInto('retrievalRuns')
    .values({
      id: run.id,
      agentId: run.scope.agentId,
      projectId: run.scope.projectId ?? null,
      eventId: run.eventId,
      query: run.query,
      wordsOf: [...run.messageIds],
      plan: JSON.stringify(run.plan),
      planSource: run.planSource,
      candidates: JSON.stringify(run.candidates),
      timings: JSON.stringify(run.timings),
      errors: JSON.stringify(run.errors),
    })
    .execute();
}

/**
 * The second step. Returns what was kept: what is deleted or says something else meanwhile is left out, and what is deleted
 * from now on is taken out of the run by its deletion, which waits for this transaction. `quoted`: all that was shown to
 * the one who selected.
 */
export async function saveSelection(
  { db }: Tx,
  id: string,
  run: Pick<RetrievalRun, 'selectedSource' | 'timings' | 'errors'> & {
    readonly selected: Selected;
    readonly quoted: readonly QuotedItem[];
  },
): Promise<Selected> {
  const ids = run.quoted.map((item) => item.id);
  const { rows: events } = await sql<{ id: string }>`
    select id from memory_events where id = any(${ids}::text[]) order by id for key share`.execute(db);
  const { rows: states } = await sql<{ id: string; bodyText: string }>`
    select id, body_text from memory_states where id = any(${ids}::text[]) order by id for key share`.execute(
    db,
  );
  const now = new Map<string, string | undefined>([
    ...events.map((event) => [event.id, undefined] as const),
    ...states.map((state) => [state.id, state.bodyText] as const),
  ]);
  const same = new Set(
    run.quoted.filter((one) => now.has(one.id) && now.get(one.id) === one.bodyText).map((one) => one.id),
  );
  // The reason for one may quote another.
  const isReasonKept = run.selectedSource === 'rank' || same.size === ids.length;
  const selected = run.selected
    .filter((part) => same.has(part.event_id ?? part.state_id ?? ''))
    .map((part) => (isReasonKept ? part : { ...part, why: '' }));
  await db
    .updateTable('retrievalRuns')
    .set({
      selected: JSON.stringify(selected),
      selectedSource: run.selectedSource,
      timings: JSON.stringify(run.timings),
      errors: JSON.stringify(run.errors),
      wordsOf: sql`words_of || ${[...same]}::text[]`,
    })
    .where('id', '=', id)
    .execute();
  return selected;
}

/** Null: there is none, or it was made for another project than the caller sees. */
export async function findRun(db: Queryable, scope: MemoryScope, id: string): Promise<unknown> {
  const project =
    scope.projectId === undefined ? sql`true` : sql`project_id is not distinct from ${scope.projectId}`;
  const { rows } = await sql`
    select id, event_id, plan, plan_source, candidates, timings, errors, selected, selected_source
    from retrieval_runs where id = ${id} and agent_id = ${scope.agentId} and ${project}`.execute(db);
  return rows[0] ?? null;
}
