import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { AT_WORK_IN_FOLDER_SQL, taskInFolderSql } from '../folders/folder-queries.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import {
  ASKS_PERSON_SQL,
  ASKS_SINCE_SQL,
  AT_CARD_SQL,
  HELD_SINCE_SQL,
  HELD_SQL,
  UNREAD_SQL,
} from '../sessions/session-work.ts';
import { SESSION_USAGE_SQL } from '../usage/usage-queries.ts';
import { PER_WORK_SQL } from '../wake-ups/per-work-queries.ts';
import { queueOrderSql } from '../wake-ups/startable-queries.ts';
import type { ChatStatusView } from './rules/chat-status.ts';
import { GROWING_SQL } from './steps/growing-answer-queries.ts';

/** The state of an agent of a project; times within `session`, `row` and `failure` are texts. */
export interface PresenceRow {
  projectId: string;
  agentId: string;
  memberSince: Date;
  chat: number;
  task: number;
  session:
    | (Omit<NonNullable<ChatStatusView['session']>, DateKeys> &
        Record<DateKeys, string | null> & {
          /** What it is writing, and what it has used: JSON. */
          growing: unknown;
          usage: unknown;
        })
    | null;
  row: (Omit<NonNullable<ChatStatusView['row']>, RowDates> & Record<RowDates, string | null>) | null;
  failure: { code: string; at: string } | null;
  /** It is started only when there is work. */
  isPerWork: boolean;
  coordinatorAlive: boolean;
}
type DateKeys = 'createdAt' | 'terminatingAt' | 'lastActivityAt' | 'heldSince' | 'asksSince';
type RowDates = 'createdAt' | 'startedAt' | 'notBefore';

/** A wake-up that exists, or the outcome of one. */
export interface WakeUpRow {
  agentId: string;
  purpose: 'chat' | 'task';
  taskId: string;
  conversationId: string | null;
  createdAt: Date;
  startedAt: Date | null;
  removedAt: Date | null;
  outcome: 'authenticated' | 'expired' | 'taken_by_session' | null;
}

/** Every AI member of the project, or the named ones; `silentSince`: of Coordinators. */
export function readPresence(
  db: Queryable,
  of: { projectId: string; agentIds?: readonly string[] | undefined; silentSince: Date },
): Promise<PresenceRow[]> {
  const only = of.agentIds === undefined ? sql`` : sql`and a.id = any(${of.agentIds}::text[])`;
  return readRows(db, {
    statement: prepared(of.agentIds === undefined ? 'presence' : 'presence-of-agents'),
    which: sql`pa.project_id = ${of.projectId} ${only}`,
    silentSince: of.silentSince,
  });
}

/** The same of these members of several projects. */
export function readPresenceOfMembers(
  db: Queryable,
  of: { members: readonly { projectId: string; agentId: string }[]; silentSince: Date },
): Promise<PresenceRow[]> {
  const projectIds = of.members.map(({ projectId }) => projectId);
  const agentIds = of.members.map(({ agentId }) => agentId);
  return readRows(db, {
    statement: prepared('presence-of-members'),
    which: sql`(pa.project_id, pa.agent_id) in (select m.project_id, m.agent_id
      from unnest(${projectIds}::text[], ${agentIds}::text[]) as m (project_id, agent_id))`,
    silentSince: of.silentSince,
  });
}

/** Those of these members whose chat session is AT_CARD_SQL. */
export async function readMembersAtCard(
  db: Queryable,
  members: readonly MembershipKey[],
): Promise<MembershipKey[]> {
  const projectIds = members.map(({ projectId }) => projectId);
  const agentIds = members.map(({ agentId }) => agentId);
  const { rows } = await sql<MembershipKey>`select distinct s.project_id, s.agent_id from agent_sessions s
    join unnest(${projectIds}::text[], ${agentIds}::text[]) as m (project_id, agent_id)
      on m.project_id = s.project_id and m.agent_id = s.agent_id
    where s.purpose = 'chat' and s.state <> 'ended' and ${sql.raw(AT_CARD_SQL)}`.execute(db);
  return rows;
}

async function readRows(
  db: Queryable,
  of: { statement: RawBuilder<unknown>; which: RawBuilder<unknown>; silentSince: Date },
): Promise<PresenceRow[]> {
  const { statement, which } = of;
  // The queue is counted once for all agents that wait in it, and not at all when none does.
  const { rows } = await sql<PresenceRow>`${statement}
      with queue as materialized (
        select p.project_id, p.agent_id, p.purpose, p.task_id,
          row_number() over (order by ${sql.raw(queueOrderSql('p'))}) as position
        from pending_agent_purposes p where p.held_for = 'capacity'
      )
      select pa.project_id, a.id as agent_id, pa.created_at as member_since,
        (select count(*)::int from agent_sessions s where s.project_id = pa.project_id and s.agent_id = a.id
          and s.purpose = 'chat' and s.state = 'active') as chat,
        (select count(*)::int from agent_sessions s where s.project_id = pa.project_id and s.agent_id = a.id
          and s.purpose = 'task' and s.state = 'active') as task,
        (select jsonb_build_object('state', s.state, 'createdAt', s.created_at, 'terminatingAt', s.terminating_at,
            'lastActivityAt', s.last_activity_at, 'phase', s.phase,
            'waitsFor', s.folder_wait_for,
            'waitsForTask', case when s.folder_wait_for is not null then ${sql.raw(taskInFolderSql('s.folder_wait_for'))} end,
            'asksPerson', ${sql.raw(ASKS_PERSON_SQL)},
            'heldSince', ${sql.raw(HELD_SINCE_SQL)}, 'asksSince', ${sql.raw(ASKS_SINCE_SQL)},
            'held', ${sql.raw(HELD_SQL)}, 'unread', ${sql.raw(UNREAD_SQL)},
            'growing', ${sql.raw(GROWING_SQL)}, 'usage', ${sql.raw(SESSION_USAGE_SQL)})
          from agent_sessions s where s.project_id = pa.project_id and s.agent_id = a.id and s.purpose = 'chat'
            and s.state <> 'ended' order by s.state, s.created_at desc, s.id desc limit 1) as session,
        (select jsonb_build_object('createdAt', p.created_at, 'startedAt', p.started_at, 'notBefore', p.not_before,
            'heldFor', p.held_for,
            'waitsFor', case when p.held_for = 'folder_in_use' then ${sql.raw(AT_WORK_IN_FOLDER_SQL)} end,
            'waitsForTask', case when p.held_for = 'folder_in_use' then ${sql.raw(taskInFolderSql(AT_WORK_IN_FOLDER_SQL))} end,
            'position', case when p.held_for = 'capacity' then (select queue.position from queue
              where (queue.project_id, queue.agent_id, queue.purpose, queue.task_id)
                = (p.project_id, p.agent_id, p.purpose, p.task_id)) end,
            'hasError', p.last_error is not null,
            'signInRefused', coalesce(r.sign_in_refused_at is not null, false),
            'processStarted', coalesce(r.pid is not null, false),
            'pullPercent', case when r.state = 'starting' then r.pull_percent end)
          from pending_agent_purposes p left join agent_runs r on r.id = p.run_id
          where p.project_id = pa.project_id and p.agent_id = a.id and p.purpose = 'chat' limit 1) as "row",
        (select case when m.sender = 'system' then jsonb_build_object('code', m.system ->> 'code', 'at', m.created_at) end
          from chat_messages m where m.thread_id = pa.project_id || '/' || a.id and m.visible
          order by m.seq desc limit 1) as failure,
        ${sql.raw(PER_WORK_SQL)} as is_per_work,
        exists (select from coordinators c where c.last_seen_at >= ${of.silentSince}) as coordinator_alive
      from project_agents pa
      join agents a on a.id = pa.agent_id and a.type = 'ai' and a.deleted_at is null
      where ${which}
      order by a.id`.execute(db);
  return rows;
}

/** Wake-ups that exist, and those that were removed since `since` where `includeRecentSeconds` is not 0. */
export async function listWakeUps(
  db: Queryable,
  of: { projectId: string; includeRecentSeconds: number; since: Date },
): Promise<WakeUpRow[]> {
  const { rows } = await sql<WakeUpRow>`
      select agent_id, purpose, task_id, conversation_id, created_at, started_at,
        null::timestamptz as removed_at, null as outcome
      from pending_agent_purposes where project_id = ${of.projectId}
      union all
      (select agent_id, purpose, task_id, conversation_id, created_at, started_at, removed_at, outcome
      from pending_purpose_outcomes
      where project_id = ${of.projectId} and ${of.includeRecentSeconds} > 0 and removed_at >= ${of.since}
      order by removed_at desc, id desc limit 200)
      order by created_at, agent_id, purpose, task_id, removed_at`.execute(db);
  return rows;
}
