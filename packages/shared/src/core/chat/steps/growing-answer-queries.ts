import { CompiledQuery, sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MembershipKey } from '../../rules/work-key.ts';

/**
 * Parts of a `with`: the answer that has grown under the id `messageId` is handed in by `from`. With a content its steps
 * become those of the message, and what still ran is failed; without one they are void. `steps` has their number, `taken`
 * a row when the id belongs to another agent, `grown_fact` rows for the change log. All values are SQL.
 */
export const finishGrowthSql = (of: {
  from: string;
  messageId: string;
  isMessage: string;
  projectId: string;
  agentId: string;
}): string => `finished as (
    delete from growing_answers g using ${of.from}
    where g.message_id = ${of.messageId} and ${of.isMessage} and g.project_id = ${of.projectId} and g.agent_id = ${of.agentId}
    returning g.message_id
  ), steps as (
    select count(*)::int as count from finished join message_steps s on s.message_id = finished.message_id
  ), cut_off as (
    update message_steps s set status = 'failed' from finished
    where s.message_id = finished.message_id and s.status = 'running'
    returning s.message_id, s.step_id
  ), voided as (
    update growing_answers g set discarded_at = clock_timestamp() from ${of.from}
    where g.message_id = ${of.messageId} and not ${of.isMessage} and g.discarded_at is null
      and g.project_id = ${of.projectId} and g.agent_id = ${of.agentId}
    returning g.message_id
  ), grown_fact as (
    select 'step' as kind, jsonb_build_object('messageId', message_id, 'stepId', step_id) as ref from cut_off
    union all
    select 'discarded', jsonb_build_object('messageId', message_id, 'agentId', ${of.agentId}) from voided
  )`;

/** An id under which something grows for another agent. */
export const takenIdSql = (of: { messageId: string; projectId: string; agentId: string }): string =>
  `(select from growing_answers g where g.message_id = ${of.messageId}
    and (g.project_id <> ${of.projectId} or g.agent_id <> ${of.agentId}))`;

const NAMES = { messageId: '$1::text', projectId: '$2::text', agentId: '$3::text' };

const FINISH = `
  with one as (select 1), ${finishGrowthSql({ ...NAMES, from: 'one', isMessage: '$4::boolean' })}, fact as (
    insert into change_log (project_id, kind, ref) select $2, kind, ref from grown_fact
  )
  select exists ${takenIdSql(NAMES)} as "isTaken", (select nullif(count, 0) from steps) as steps`;

/**
 * The same in a transaction, before the message is stored. The session is locked, and the transaction updates its row
 * (locked-session-queries.ts).
 */
export async function finishGrowth(
  db: Queryable,
  of: MembershipKey & { messageId: string; isMessage: boolean },
): Promise<{ isTaken: boolean; steps: number | null }> {
  const values = [of.messageId, of.projectId, of.agentId, of.isMessage];
  const { rows } = await db.executeQuery<{ isTaken: boolean; steps: number | null }>(
    CompiledQuery.raw(FINISH, values),
  );
  return rows[0] ?? { isTaken: false, steps: null };
}

/**
 * The session is over: what it let grow becomes no message. Returns what has changed for readers: the answers, and the steps
 * of turns at its task that were still running, which have failed. The session is locked.
 */
export async function discardGrowth(
  db: Queryable,
  sessionId: string,
): Promise<{ answers: string[]; steps: { messageId: string; stepId: string }[] }> {
  const { rows } = await sql<{ messageId: string; stepId: string | null }>`
    with discarded as (
      update growing_answers set discarded_at = clock_timestamp()
      where session_id = ${sessionId} and discarded_at is null
      returning message_id, task_id
    ), cut_off as (
      update message_steps s set status = 'failed' from discarded d
      where d.task_id is not null and s.message_id = d.message_id and s.status = 'running'
      returning s.message_id, s.step_id
    )
    select message_id, null as step_id from discarded where task_id is null
    union all select message_id, step_id from cut_off`.execute(db);
  return {
    answers: rows.flatMap(({ messageId, stepId }) => (stepId === null ? [messageId] : [])),
    steps: rows.flatMap(({ messageId, stepId }) => (stepId === null ? [] : [{ messageId, stepId }])),
  };
}

/**
 * What the session `s` (agent_sessions) lets grow now, as jsonb; null: nothing. An answer that began before the oldest
 * message that it holds belongs to an earlier turn, and was not handed in.
 */
export const GROWING_SQL = `(select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('messageId', g.message_id,
    'steps', g.step_count, 'conversationId', g.conversation_id)) order by g.began_at, g.message_id)
  from growing_answers g where g.session_id = s.id and g.discarded_at is null
    and g.began_at >= (select min(m.delivered_at) from chat_messages m
      where m.delivered_session_id = s.id and m.state = 'delivered'))`;
