import { sql } from 'kysely';
import { STILL_ENDING_SQL } from './wake-up-list-queries.ts';

/*
 * Which wake-ups could be started at once, and in which order, in SQL over `p` (pending_agent_purposes). All queries
 * about places use the same expressions, so that no place is kept, and no session evicted, for a wake-up that
 * could not start.
 */

/**
 * The order of the queue: that of creation, but the chat of a membership comes before its tasks. A task waits behind its
 * chat, and the chat does not take the position of the task: it would pass the chats of others.
 */
export const queueOrderSql = (p: string) =>
  `${queuedAtSql(p)}, ${p}.project_id, ${p}.agent_id, ${p}.purpose, ${p}.task_id`;

export const isBeforeSql = (p: string, q: string) => `(${queueOrderSql(p)}) < (${queueOrderSql(q)})`;

/** The time by which the queue is ordered. */
export const queuedAtSql = (p: string) => `case when ${p}.purpose = 'chat' then ${p}.created_at
  else greatest(${p}.created_at, (select chat.created_at from pending_agent_purposes chat
    where chat.agent_id = ${p}.agent_id and chat.project_id = ${p}.project_id and chat.purpose = 'chat'
      and chat.started_at is null)) end`;

/** A chat; or the task of `p` is to be worked on by its agent, in a project that is not paused. */
export const mayRunSql = (p: string) => `(${p}.purpose = 'chat' or exists (
  select from tasks t join projects j on j.id = t.project_id and j.status = 'active'
  where t.id = ${p}.task_id and t.project_id = ${p}.project_id and t.assignee_id = ${p}.agent_id
    and t.status = 'in_progress' and t.deleted_at is null))`;

/** How many tasks the agent is working on: a process that was started counts until it has ended. */
export const tasksInWorkSql = (agentId: string) => `(select count(*) from (
  select r.project_id, r.task_id from agent_runs r
  where r.agent_id = ${agentId} and r.purpose = 'task' and r.state <> 'exited'
  union select s.project_id, s.task_id from agent_sessions s
  where s.agent_id = ${agentId} and s.purpose = 'task'
    and (s.state = 'active' or (s.state = 'terminating' and s.exit_acknowledged_at is null))) in_work)`;

/**
 * A chat; or the agent of `p` may begin one more task, besides those that wait for a place: all of them when `p` is not
 * one of these, else those before it.
 */
export const isWithinTaskLimitSql = (
  p: string,
) => `(${p}.purpose = 'chat' or ${tasksInWorkSql(`${p}.agent_id`)} + (
  select count(*) from pending_agent_purposes queued
  where queued.agent_id = ${p}.agent_id and queued.purpose = 'task' and queued.held_for = 'capacity'
    and (${p}.held_for is distinct from 'capacity' or ${isBeforeSql('queued', p)})
) < (select a.max_parallel_tasks from agents a where a.id = ${p}.agent_id))`;

/**
 * A wake-up `p` could be started at once: it is not taken, it is not cooling down, no session is live or
 * ending. Whether its agent may begin one more task is left out.
 */
function isReady(now: Date) {
  return sql<boolean>`p.started_at is null and (p.not_before is null or p.not_before <= ${now})
    and not ${sql.raw(STILL_ENDING_SQL)} and ${sql.raw(mayRunSql('p'))}
    and (p.purpose = 'chat' or p.held_for is distinct from 'usage_limit')`;
}

/** A wake-up `p` lacks nothing but a place. */
export function isStartable(now: Date) {
  return sql<boolean>`${isReady(now)} and ${sql.raw(isWithinTaskLimitSql('p'))}`;
}

/** A Coordinator should ask for `p`: it could be started, or its clock must be stopped because of the limit of tasks. */
export function isToAskFor(now: Date) {
  return sql<boolean>`${isReady(now)} and p.held_for is distinct from 'folder_in_use'
    and (coalesce(p.held_for, '') not in ('capacity', 'task_limit') or ${sql.raw(isWithinTaskLimitSql('p'))})`;
}
