import { sql } from 'kysely';
import type { FailureCode, TextParams } from '../../../contract/chat.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import type { MembershipKey } from '../../rules/work-key.ts';
import { type releaseOrFail, statesThat } from '../rules/message-machine.ts';

/** The messages that a session holds: delivered to it and not answered. Locked. */
export async function lockHeldMessages(
  db: Queryable,
  sessionId: string,
): Promise<{ id: string; crashes: number }[]> {
  return db
    .selectFrom('chatMessages')
    .select(['id', 'crashes'])
    .where('deliveredSessionId', '=', sessionId)
    .where('state', 'in', statesThat('release'))
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Returns each message to its thread, or fails it; no session holds them any more. */
export async function releaseMessages(
  db: Queryable,
  released: readonly ({ readonly id: string } & ReturnType<typeof releaseOrFail>)[],
  now: Date,
): Promise<void> {
  await sql`
    update chat_messages m set crashes = r.crashes, state = r.state,
      failure = case when r.state = 'failed'
        then jsonb_build_object('code', 'agent_crashed', 'params', jsonb_build_object('crashes', r.crashes)) end,
      failed_at = case when r.state = 'failed' then ${now}::timestamptz end,
      redelivered = true, delivered_session_id = null, delivered_at = null, batch_id = null
    from unnest(${released.map(({ id }) => id)}::text[], ${released.map(({ state }) => state)}::text[],
      ${released.map(({ crashes }) => crashes)}::int[]) r (id, state, crashes)
    where m.id = r.id and m.state = any(${statesThat('release')}::text[])`.execute(db);
}

/** Every message of people that this agent has not answered, waiting or held by a live session. */
export async function failUnanswered(
  db: Queryable,
  membership: MembershipKey,
  failure: { readonly code: FailureCode; readonly params: TextParams },
  now: Date,
): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    update chat_messages m set state = 'failed', failure = ${JSON.stringify(failure)}::jsonb, failed_at = ${now},
      delivered_session_id = null
    where m.id in (
        select u.id from chat_messages u
        where u.deliver_to = ${membership.agentId} and u.project_id = ${membership.projectId} and u.state = 'stored'
          and u.conversation_id is null
        union all
        select h.id from agent_sessions s join chat_messages h on h.delivered_session_id = s.id and h.state = 'delivered'
        where s.project_id = ${membership.projectId} and s.agent_id = ${membership.agentId} and s.state <> 'ended'
          and h.conversation_id is null)
      and m.state = any(${statesThat('fail')}::text[])
    returning m.id`.execute(db);
  return rows;
}

/** Every message of people that waits for this agent, and that no session has taken. */
export async function failStored(
  db: Queryable,
  membership: MembershipKey,
  failure: { readonly code: FailureCode; readonly params: TextParams },
  now: Date,
): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    update chat_messages m set state = 'failed', failure = ${JSON.stringify(failure)}::jsonb, failed_at = ${now}
    where m.deliver_to = ${membership.agentId} and m.project_id = ${membership.projectId} and m.state = 'stored'
      and m.conversation_id is null
    returning m.id`.execute(db);
  return rows;
}

/** Fails the messages of a batch that the session still holds, but none that was given anew after it. */
export async function failHeldOfBatch(
  db: Queryable,
  of: {
    batchId: string;
    sessionId: string;
    threadId: string;
    failure: { code: string; params: Readonly<Record<string, string>> };
    now: Date;
  },
): Promise<{ id: string }[]> {
  const { rows } = await sql<{ id: string }>`
    update chat_messages m set state = 'failed', failure = ${JSON.stringify(of.failure)}::jsonb, failed_at = ${of.now},
      delivered_session_id = null
    from delivery_batches b
    where b.id = ${of.batchId} and b.session_id = ${of.sessionId}
      and b.thread_id = ${of.threadId}
      and m.id = any(b.message_ids) and m.thread_id = b.thread_id and m.conversation_id is null
      and m.delivered_session_id = ${of.sessionId} and m.state = 'delivered'
      -- One of the two times has milliseconds.
      and m.delivered_at <= b.given_at + interval '1 ms'
    returning m.id`.execute(db);
  return rows;
}
