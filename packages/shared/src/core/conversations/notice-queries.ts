import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { ConversationNotice } from '../sessions/rules/next-action.ts';

/** One notice about a conversation for an agent. */
export interface NoticeKey {
  readonly conversationId: string;
  readonly agentId: string;
  readonly kind: ConversationNotice['kind'];
}

/** Whether a side has acknowledged the end. */
export interface EndNotice {
  readonly agentId: string;
  /** Acknowledged, or void. */
  readonly settled: boolean;
  /** The session to which it is addressed is live. */
  readonly live: boolean;
}

/**
 * Offers the notice to this session; undefined when it is acknowledged, void or another session's by now.
 * `repeat`: it was offered before.
 */
export async function offerNoticeTo(
  db: Queryable,
  sessionId: string,
  { conversationId, agentId, kind }: NoticeKey,
  now: Date,
): Promise<{ resumed: boolean; repeat: boolean } | undefined> {
  const { rows } = await sql<{ resumed: boolean; repeat: boolean }>`
    update conversation_notices n set session_id = ${sessionId},
      offered_at = coalesce(n.offered_at, ${now}::timestamptz)
    from (select offered_at from conversation_notices where conversation_id = ${conversationId}
      and agent_id = ${agentId} and kind = ${kind} for update) old
    where n.conversation_id = ${conversationId} and n.agent_id = ${agentId} and n.kind = ${kind}
      and n.acknowledged_at is null and n.gone_at is null
      and (n.session_id = ${sessionId} or n.session_id is null)
    returning n.resumed, old.offered_at is not null as repeat`.execute(db);
  return rows[0];
}

/** False: it is acknowledged or void already, another session's, or the session is over. */
export async function setNoticeAcknowledged(
  db: Queryable,
  sessionId: string,
  notice: NoticeKey,
  now: Date,
): Promise<boolean> {
  const result = await db
    .updateTable('conversationNotices')
    .set(({ fn, val }) => ({
      acknowledgedAt: now,
      offeredAt: fn.coalesce('offeredAt', val(now)),
      sessionId,
    }))
    .where('conversationId', '=', notice.conversationId)
    .where('agentId', '=', notice.agentId)
    .where('kind', '=', notice.kind)
    .where('acknowledgedAt', 'is', null)
    .where('goneAt', 'is', null)
    // A notice of another session must be acknowledged by that session, and an ended session is given
    // nothing.
    .where((eb) => eb.or([eb('sessionId', '=', sessionId), eb('sessionId', 'is', null)]))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('agentSessions').where('id', '=', sessionId).where('state', '<>', 'ended').select('id'),
      ),
    )
    .executeTakeFirst();
  return Number(result.numUpdatedRows) > 0;
}

/**
 * From now on the session is given the notices of the conversation in which it takes part, also after an
 * earlier session was.
 */
export async function requestNotice(
  db: Queryable,
  notice: {
    conversationId: string;
    agentId: string;
    projectId: string;
    sessionId: string;
    resumed: boolean;
    now: Date;
  },
): Promise<void> {
  await sql`
    insert into conversation_notices (conversation_id, agent_id, kind, project_id, session_id, resumed, created_at)
    values (${notice.conversationId}, ${notice.agentId}, 'request', ${notice.projectId}, ${notice.sessionId},
      ${notice.resumed}, ${notice.now})
    on conflict (conversation_id, agent_id, kind) do update set session_id = excluded.session_id,
      resumed = excluded.resumed or conversation_notices.resumed or conversation_notices.offered_at is not null,
      created_at = excluded.created_at, offered_at = null, acknowledged_at = null, gone_at = null, offers = 0`.execute(
    db,
  );
}

export async function insertEndNotices(
  db: Queryable,
  notices: readonly {
    conversationId: string;
    agentId: string;
    projectId: string;
    sessionId: string | null;
    kind: 'ended' | 'expired';
    createdAt: Date;
    offeredAt?: Date;
    acknowledgedAt?: Date;
  }[],
): Promise<void> {
  await db.insertInto('conversationNotices').values(notices).execute();
}

export async function endNotices(db: Queryable, conversationId: string): Promise<EndNotice[]> {
  const { rows } = await sql<EndNotice>`
    select n.agent_id, n.acknowledged_at is not null or n.gone_at is not null as settled,
      exists (select from agent_sessions s where s.id = n.session_id and s.state <> 'ended') as live
    from conversation_notices n
    where n.conversation_id = ${conversationId} and n.kind in ('ended', 'expired')`.execute(db);
  return rows;
}

/** A notice that is not acknowledged by now becomes void. */
export async function voidNotices(db: Queryable, conversationId: string, now: Date): Promise<void> {
  await db
    .updateTable('conversationNotices')
    .set({ goneAt: now })
    .where('conversationId', '=', conversationId)
    .where('acknowledgedAt', 'is', null)
    .where('goneAt', 'is', null)
    .execute();
}

/** Notices of an end that a session has not acknowledged go to the next session of its agent. */
export async function releaseEndNotices(db: Queryable, sessionId: string): Promise<void> {
  await db
    .updateTable('conversationNotices')
    .set({ sessionId: null })
    .where('sessionId', '=', sessionId)
    .where('acknowledgedAt', 'is', null)
    .where('kind', '<>', 'request')
    .execute();
}

/** Requests that the session has not acknowledged become void: the next session that joins gets its own. */
export async function voidRequestNotices(db: Queryable, sessionId: string, now: Date): Promise<void> {
  await db
    .updateTable('conversationNotices')
    .set({ goneAt: now })
    .where('sessionId', '=', sessionId)
    .where('acknowledgedAt', 'is', null)
    .where('kind', '=', 'request')
    .execute();
}
