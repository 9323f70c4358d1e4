import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { aliveSince } from './place-queries.ts';

/*
 * What a run may need of its Coordinator: containers (`agents.executor`), or also that it is kept to the egress list of its
 * project. A start that needs something is given to one without it only when no other lives: it says why the agent is
 * not started.
 */
export type Need = 'containers' | 'egress';

/** Undefined: nothing that only some Coordinators have. */
export function needOf(agent: {
  readonly executor: 'any' | 'docker';
  readonly egress: readonly string[] | null;
}): Need | undefined {
  if (agent.egress !== null) return 'egress';
  return agent.executor === 'docker' ? 'containers' : undefined;
}

/** Whether the Coordinator of this name in the statement, maybe null, has it. */
function has(need: Need, coordinator: 'c' | 'o') {
  const column = (name: string) => sql.ref(`${coordinator}.${name}`);
  return need === 'egress'
    ? sql<boolean>`coalesce(${column('keepsEgress')}, false)`
    : sql<boolean>`(coalesce(${column('executor')}, 'process') <> 'process')`;
}

/** The Coordinator `c` has it, or no other that lives does. */
function mayTakeWhatNeeds(need: Need, now: Date) {
  return sql<boolean>`(${has(need, 'c')} or not exists (
    select from coordinators o where ${has(need, 'o')} and o.last_seen_at >= ${aliveSince(now)}))`;
}

/** The Coordinator `c` may take the start of the wake-up `row`. */
export function mayTake(row: 'p' | 'own', now: Date) {
  const containers = mayTakeWhatNeeds('containers', now);
  const egress = mayTakeWhatNeeds('egress', now);
  // The first half alone where all Coordinators are alike.
  return sql<boolean>`((${containers} and ${egress}) or exists (
    select from agents a join projects j on j.id = ${sql.ref(`${row}.projectId`)}
    where a.id = ${sql.ref(`${row}.agentId`)} and case
      when j.egress is not null then ${egress} when a.executor = 'docker' then ${containers} else true end))`;
}

/** Whether starts that need this are for another Coordinator than this one. */
export async function isForOther(
  db: Queryable,
  coordinatorId: string | undefined,
  need: Need,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql<{ isForOther: boolean }>`
    select not ${mayTakeWhatNeeds(need, now)} as is_for_other
    from (select) one left join coordinators c on c.id = ${coordinatorId ?? null}`.execute(db);
  return rows[0]?.isForOther ?? false;
}

/** Whether this Coordinator has it. */
export async function hasWhatNeeds(
  db: Queryable,
  coordinatorId: string | undefined,
  need: Need,
): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select ${has(need, 'c')} as has from coordinators c where c.id = ${coordinatorId ?? null}`.execute(db);
  return rows[0]?.has ?? false;
}
