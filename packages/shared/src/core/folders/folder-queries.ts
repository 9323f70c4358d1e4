import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { COORDINATOR_SILENT_MS } from '../coordinators/coordinator-alive.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { HAS_READ_SQL } from '../runs/left-work-queries.ts';
import {
  HOLDS_WORK_SQL,
  NOBODY_HOLDS_SQL,
  TASK_UNTOLD_SQL,
  UNREAD_SQL,
  WAITING_SOURCES_SQL,
} from '../sessions/session-work.ts';
import { PER_WORK_SQL } from '../wake-ups/per-work-queries.ts';
import { STILL_ENDING_SQL } from '../wake-ups/wake-up-list-queries.ts';
import { decideFolder, type FolderMember, isWithheld, type WaitingSource } from './rules/folder-lease.ts';

/**
 * A session that waits calls at least that often: a held call lasts 25 s, and the time of a call is stored up to 5 s
 * later. Who is silent for longer keeps nobody waiting.
 */
const READY_MS = 40_000;

/** The key of the start that waits for this agent; a session has its id. */
const startKey = (agentId: string) => `start/${agentId}`;

/**
 * Of two deliveries in one folder at the same time the second decides when the first is committed. Before any lock of
 * a membership (platform/db/lock-order.ts).
 */
export async function lockFolder(db: Queryable, projectId: string): Promise<void> {
  await db.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
}

/** Who works in the folders of these projects, and who waits for them, the oldest first. */
export async function readFolders(
  db: Queryable,
  projectIds: readonly string[],
  now: Date,
): Promise<Map<string, FolderMember[]>> {
  const { rows } = await sql<MemberRow>`
    with clock as (select ${new Date(now.getTime() - READY_MS)}::timestamptz as seen_since,
      ${new Date(now.getTime() - COORDINATOR_SILENT_MS)}::timestamptz as alive_since, ${now}::timestamptz as now)
    ${sql.raw(MEMBERS)} where member.project_id = any(${projectIds}::text[])
    order by member.created_at, member.key`.execute(db);
  const folders = new Map<string, FolderMember[]>(projectIds.map((id) => [id, []]));
  for (const { projectId, waiting, ...member } of rows)
    folders.get(projectId)?.push({ ...member, waiting: waiting.map(toSource) });
  return folders;
}

/** Whether a start for the chat of this agent has to wait: its program would begin to work at once. */
export async function isFolderTakenFor(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
  now: Date,
): Promise<boolean> {
  const members = (await readFolders(db, [projectId], now)).get(projectId) ?? [];
  return isWithheld(decideFolder(members, startKey(agentId)));
}

interface MemberRow extends Omit<FolderMember, 'waiting'> {
  readonly projectId: string;
  readonly waiting: readonly (Omit<WaitingSource, 'since'> & { readonly since: string })[];
}

function toSource({ since, ...source }: MemberRow['waiting'][number]): WaitingSource {
  return { ...source, since: new Date(since) };
}

/** The process of `s` was started for work that waits, and of which its session has fetched nothing yet. */
const RESERVED_SQL = `(exists (select from agent_runs r
  where r.id = s.run_id and r.reserves_folder and r.state <> 'exited') and not ${HAS_READ_SQL} and ${UNREAD_SQL})`;

/** It was in a turn when its end began: its process may still be writing. */
const ENDS_IN_TURN_SQL = `(s.state = 'terminating' and s.beat_until > s.terminating_at)`;

/** Null: the batch `b` is of a chat, or the conversation goes on. A subquery by key, never a join that reads all. */
const END_OF_CONVERSATION = '(select c.ended_at from conversations c where c.id = b.thread_id)';

/**
 * A conversation has ended in the middle of the turn in which `s` was given a message of it: it holds that no more, and
 * works on. Its beats expire, and its next answer ends the turn. `now` is the SQL expression of the current time.
 */
const goesOnSql = (now: string) => `(s.state = 'active' and s.beat_until > ${now} and exists (
  select from delivery_batches b
  where b.session_id = s.id and b.answered_at is null and not exists (select from delivery_batches later
      where later.session_id = s.id and later.answered_at >= ${END_OF_CONVERSATION})
    and ${END_OF_CONVERSATION} >= b.given_at))`;

/** It is being told its task: it works on it as soon as it has heard that, unless it is gone. */
const takesTaskSql = (now: string) => `(${TASK_UNTOLD_SQL} and s.state = 'active'
  and s.task_offered_at > ${now} - interval '${READY_MS} ms')`;

const worksSql = (now: string) =>
  `(${HOLDS_WORK_SQL} or ${takesTaskSql(now)} or coalesce(${ENDS_IN_TURN_SQL}, false) or coalesce(${goesOnSql(now)}, false))`;

const SESSIONS = `
  select s.project_id, s.id as key, s.agent_id, s.created_at,
    ${worksSql('clock.now')} as holds, ${RESERVED_SQL} as reserves,
    s.state = 'active' and s.last_seen_at >= clock.seen_since as is_ready, ${WAITING_SOURCES_SQL} as waiting
  from agent_sessions s, clock where s.shares_folder and s.state <> 'ended'`;

/** The agent that has worked longest in the folder of the project of `pa` (project_agents); null: none. */
export const AT_WORK_IN_FOLDER_SQL = `(select member.agent_id from (
    select s.agent_id, s.created_at from agent_sessions s
    where s.project_id = pa.project_id and s.shares_folder and s.state <> 'ended' and (${worksSql('now()')} or ${RESERVED_SQL})
    union all
    select r.agent_id, r.started_at from agent_runs r
    where r.project_id = pa.project_id and r.reserves_folder and r.state <> 'exited'
      and not exists (select from agent_sessions s where s.run_id = r.id)
  ) member order by member.created_at, member.agent_id limit 1)`;

/** The task on which the agent `agentId` works in the folder of the project of `pa`, as JSON; null: on none. */
export const taskInFolderSql = (
  agentId: string,
): string => `(select jsonb_build_object('id', t.id, 'title', t.title)
  from agent_sessions w join tasks t on t.id = w.task_id
  where w.project_id = pa.project_id and w.agent_id = ${agentId} and w.purpose = 'task' and w.shares_folder
    and w.state <> 'ended' and (w.task_told_at is not null or w.task_offered_at is not null)
  order by w.created_at limit 1)`;

/** Processes that have not signed in yet. */
const RESERVATIONS = `
  select r.project_id, r.id, r.agent_id, r.started_at, false, true, false, '[]'::jsonb
  from agent_runs r where r.reserves_folder and r.state <> 'exited'
    and not exists (select from agent_sessions s where s.run_id = r.id)`;

/** A message waits that a start for the chat of `p` would find. */
const WAITS_FOR_START = `m.deliver_to = p.agent_id and m.project_id = p.project_id and m.state = 'stored' and ${NOBODY_HOLDS_SQL}`;

/**
 * What a start for the chat of `p` would find: unread messages, and conversations that wait to begin. One with a free side
 * in which nothing is unread goes on with the next message; it is why the row exists only where no message waits.
 */
const START_SOURCES = `
  select m.thread_id, case when m.conversation_id is not null then m.sender_id end as partner_id, min(m.created_at) as since
  from chat_messages m where ${WAITS_FOR_START}
  group by 1, 2
  union all
  select c.id, c.initiator_agent_id, c.created_at from conversations c
  where c.project_id = p.project_id and c.state = 'pending' and c.participant_agent_id = p.agent_id
    and c.participant_session_id is null
  union all
  select c.id, case when c.initiator_agent_id = p.agent_id then c.participant_agent_id else c.initiator_agent_id end,
    p.created_at
  from conversations c
  where c.project_id = p.project_id and c.state = 'active'
    and ((c.initiator_agent_id = p.agent_id and c.initiator_session_id is null)
      or (c.participant_agent_id = p.agent_id and c.participant_session_id is null))
    and not exists (select from chat_messages m where ${WAITS_FOR_START})`;

const STARTS = `
  select p.project_id, 'start/' || p.agent_id, p.agent_id, p.created_at, false, false,
    (p.held_for is null or p.held_for = 'folder_in_use') and (p.not_before is null or p.not_before <= clock.now)
      and not ${STILL_ENDING_SQL} and exists (select from coordinators c where c.last_seen_at >= clock.alive_since),
    (select coalesce(jsonb_agg(jsonb_build_object('threadId', t.thread_id, 'partnerId', t.partner_id, 'since', t.since)),
      '[]') from (${START_SOURCES}) t)
  from clock, pending_agent_purposes p
  join agents a on a.id = p.agent_id and ${PER_WORK_SQL}
  join projects j on j.id = p.project_id and j.isolation = 'shared'
  where p.purpose = 'chat' and p.started_at is null`;

const MEMBERS = `select * from (${SESSIONS} union all ${RESERVATIONS} union all ${STARTS}) member`;
