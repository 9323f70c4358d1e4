import { type RawBuilder, sql } from 'kysely';

/** SQL that the inbox shares with the list of what was put away of it: both must mean the same rows. */

/**
 * How many messages are searched for a newer one of the same person: from the failed message on, and from the
 * end of the chat back.
 */
const WORDS_LOOKED_AT = 100;

const nothingNewer = (order: RawBuilder<unknown>) => sql`not exists (select from (
  select n.human_id, n.state from chat_messages n where n.thread_id = m.thread_id and n.seq > m.seq
  order by ${order} limit ${WORDS_LOOKED_AT}) n where n.human_id = m.human_id and n.state <> 'failed')`;

/** The writer of the failed message `m` has written nothing newer there. */
export const NOTHING_NEWER = sql`${nothingNewer(sql`n.seq`)} and ${nothingNewer(sql`n.seq desc`)}`;

/** The run `r` failed. */
export const FAILED_ENDS = sql`r.exit_cause in ('crashed', 'could_not_start', 'stalled', 'lost')`;

/** Of the text of a message, in characters: agents write long ones, and a row shows a line. */
export const MENTION_LENGTH = 1_000;

/** This person has not read as far as the message `t`. */
export const notRead = (personId: string) => sql`not exists (select from read_marks r
  where r.human_id = ${personId} and r.thread_id = t.thread_id and r.last_seq >= t.seq)`;

/** The projects of the inbox of this person. */
export function mine({ isOwner, personId }: { readonly isOwner: boolean; readonly personId: string }) {
  const live = sql`p.deleted_at is null and p.status <> 'archived'`;
  return isOwner
    ? sql`select p.id from projects p where ${live}`
    : sql`select p.id from project_agents me join projects p on p.id = me.project_id and ${live}
        where me.agent_id = ${personId}`;
}

/**
 * The live agent of a row that names one, while it is a member; looked up for each row, never collected
 * before.
 */
export function member(row: 'r' | 't') {
  const [projectId, agentId] = [sql.ref(`${row}.project_id`), sql.ref(`${row}.agent_id`)];
  return sql`select a.name from project_agents pa join agents a on a.id = pa.agent_id and a.deleted_at is null
    where pa.project_id = ${projectId} and pa.agent_id = ${agentId} limit 1`;
}
