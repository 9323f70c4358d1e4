import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { WorkKey } from '../rules/work-key.ts';
import { waitsForFolderSql, worksForSql } from '../sessions/session-work.ts';
import { LOOK_TIME_SQL, settingSql } from '../sweep-step.ts';
import type { ConversationRecord } from './conversation-queries.ts';
import type { ConversationEndReason, ConversationState } from './rules/conversation-states.ts';

/** A conversation whose time may be over. */
export interface DueConversation {
  readonly id: string;
  readonly since: Date;
}

/** Locks the memberships of both agents, always in the same order. Returns how many are members. */
export async function lockBothMemberships(
  db: Queryable,
  conversation: Pick<ConversationRecord, 'projectId' | 'initiatorAgentId' | 'participantAgentId'>,
): Promise<number> {
  const { rows } = await sql`select agent_id from project_agents where project_id = ${conversation.projectId}
      and agent_id in (${conversation.initiatorAgentId}, ${conversation.participantAgentId})
    order by agent_id for update`.execute(db);
  return rows.length;
}

export async function insertConversation(
  db: Queryable,
  conversation: {
    id: string;
    projectId: string;
    chainId: string;
    initiatorAgentId: string;
    participantAgentId: string;
    initiatorSessionId: string;
    purpose: string | null;
    /** The task from whose session it is opened. */
    taskId: string | null;
    maxMessages: number;
    now: Date;
  },
): Promise<void> {
  const { now, ...columns } = conversation;
  await db
    .insertInto('conversations')
    .values({ ...columns, createdAt: now, lastActivityAt: now })
    .execute();
}

/** The thread of a conversation has the id of the conversation. */
export async function insertThread(
  db: Queryable,
  thread: { conversationId: string; projectId: string; agentId: string },
): Promise<void> {
  await db
    .insertInto('chatThreads')
    .values({ ...thread, id: thread.conversationId })
    .execute();
}

/**
 * The session takes the side of its agent; `startsAt`: this begins the conversation. Updates only from the
 * expected state.
 */
export async function takeSide(
  db: Queryable,
  conversation: Pick<ConversationRecord, 'id' | 'state'>,
  {
    side,
    sessionId,
    startsAt,
  }: { side: 'initiator' | 'participant'; sessionId: string; startsAt: Date | null },
): Promise<void> {
  await db
    .updateTable('conversations')
    .set({
      ...(side === 'initiator' ? { initiatorSessionId: sessionId } : { participantSessionId: sessionId }),
      ...(startsAt !== null && { state: 'active', lastActivityAt: startsAt }),
    })
    .where('id', '=', conversation.id)
    .where('state', '=', conversation.state)
    .execute();
}

type SideHolder = Pick<WorkKey, 'projectId' | 'agentId' | 'purpose'> & { readonly id: string };

/** The live conversations of which a session holds a side, locked in the order of their ids. */
const sidesOf = ({ id, agentId, projectId }: SideHolder) => sql`
  select id from conversations where ${id} in (initiator_session_id, participant_session_id)
    and (initiator_agent_id = ${agentId} or participant_agent_id = ${agentId})
    and project_id = ${projectId} and state in ('pending', 'active') order by id for update`;

/** The same, and those whose side of its agent no session holds. */
const sidesOfOrFree = ({ id, agentId, projectId }: SideHolder) => sql`
  select id from conversations where project_id = ${projectId} and state in ('pending', 'active')
    and ((initiator_agent_id = ${agentId} and coalesce(initiator_session_id, ${id}) = ${id})
      or (participant_agent_id = ${agentId} and coalesce(participant_session_id, ${id}) = ${id})) order by id for update`;

/**
 * The conversations for which this session is in its turn count as silent from now on: run it before the turn ends without
 * a message. `id`: only this one. Of those whose side no session holds, a chat session of the agent has the turn.
 */
export async function restartWorkedFor(
  db: Queryable,
  session: SideHolder,
  { now, id }: { now: Date; id?: string },
): Promise<void> {
  const ids = session.purpose === 'chat' ? sidesOfOrFree(session) : sidesOf(session);
  await sql`
    update conversations c set last_activity_at = greatest(c.last_activity_at, least(w.beat_until, ${now}::timestamptz))
    from agent_sessions w
    where w.id = ${session.id} and w.beat_until > c.last_activity_at and c.state = 'active'
      and ${id === undefined ? sql`c.id in (${ids})` : sql`c.id = ${id}`}
      and ${sql.raw(worksForSql('w', 'c'))}`.execute(db);
}

/** The sides that a session holds become free for the agent's next one. False: it held none. */
export async function leaveSides(db: Queryable, session: SideHolder): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    update conversations set
      initiator_session_id = case when initiator_session_id = ${session.id} then null else initiator_session_id end,
      participant_session_id = case when participant_session_id = ${session.id} then null else participant_session_id end
    where id in (${sidesOf(session)}) and state in ('pending', 'active')
    returning id`.execute(db);
  return rows.length > 0;
}

/** Updates only from the expected state. */
export async function setEnding(
  db: Queryable,
  conversation: Pick<ConversationRecord, 'id' | 'state'>,
  ending: {
    state: ConversationState;
    endedAt: Date;
    endedBy: string | null;
    endReason: ConversationEndReason;
    finalMessage?: string | undefined;
  },
): Promise<void> {
  const { finalMessage, ...columns } = ending;
  await db
    .updateTable('conversations')
    .set({ ...columns, ...(finalMessage !== undefined && { finalMessage }) })
    .where('id', '=', conversation.id)
    .where('state', '=', conversation.state)
    .execute();
}

/** Both sides have acknowledged the end. */
export async function setSettled(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('conversations')
    .set({ state: 'ended' })
    .where('id', '=', id)
    .where('state', '=', 'terminating')
    .execute();
}

/**
 * Conversations whose time may be over, after the position `after`; the lock and the rule decide. One that
 * ended is left out while a side still has time to learn it, or has a live session that has not acknowledged
 * it.
 */
export async function conversationsDue(
  db: Queryable,
  of: {
    pendingBefore: Date;
    silentBefore: Date;
    unacknowledgedBefore: Date;
    after: DueConversation | null;
    limit: number;
  },
): Promise<DueConversation[]> {
  const { rows } = await sql<DueConversation>`
    select c.id, coalesce(c.ended_at, c.last_activity_at) as since from conversations c
    where (((c.state = 'pending' and c.created_at <= ${of.pendingBefore}
            or c.state = 'active' and c.last_activity_at <= ${of.silentBefore})
          and not ${sql.raw(waitsForFolderSql('c'))})
        or (c.state = 'terminating' and not exists (select from conversation_notices n
          where n.conversation_id = c.id and n.acknowledged_at is null and n.gone_at is null
            and (c.ended_at > ${of.unacknowledgedBefore}
              or exists (select from agent_sessions s where s.id = n.session_id and s.state <> 'ended')))))
      and (coalesce(c.ended_at, c.last_activity_at), c.id) > (${of.after?.since ?? new Date(0)}, ${of.after?.id ?? ''})
    order by since, c.id limit ${of.limit}`.execute(db);
  return rows;
}

/** What an id stands for in a project, for a tool that names it; undefined: neither an agent nor a person. */
export function findTarget(
  db: Queryable,
  projectId: string,
  agentId: string,
): Promise<{ type: string; accessLevel: string | null; memberId: string | null } | undefined> {
  return db
    .selectFrom('agents as a')
    .leftJoin('projectAgents as pa', (join) =>
      join.onRef('pa.agentId', '=', 'a.id').on('pa.projectId', '=', projectId),
    )
    .select(['a.type', 'a.accessLevel', 'pa.agentId as memberId'])
    .where('a.id', '=', agentId)
    .where('a.deletedAt', 'is', null)
    .executeTakeFirst();
}

/** The thread that was given last to a live session; undefined: the session is over. */
export function findLastSource(
  db: Queryable,
  sessionId: string,
): Promise<{ lastSource: string | null } | undefined> {
  return db
    .selectFrom('agentSessions')
    .select('lastSource')
    .where('id', '=', sessionId)
    .where('state', '<>', 'ended')
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
}

/** A side that has not acknowledged the end yet. */
const OPEN_NOTICE = 'n.conversation_id = c.id and n.acknowledged_at is null and n.gone_at is null';

/** When the time of each conversation is over (sweep-step.ts). */
export const CONVERSATION_DEADLINES = `
  select case c.state
    when 'pending' then c.created_at + ${settingSql('conversationPendingTimeoutSeconds')}
    when 'active' then c.last_activity_at + ${settingSql('conversationTimeoutSeconds')}
    else case
      when not exists (select from conversation_notices n where ${OPEN_NOTICE}) then ${LOOK_TIME_SQL}
      when not exists (select from conversation_notices n join agent_sessions s on s.id = n.session_id
        where ${OPEN_NOTICE} and s.state <> 'ended')
      then c.ended_at + ${settingSql('conversationNoticeGraceSeconds')} end
    end as at
  from conversations c where c.state in ('pending', 'active', 'terminating')`;
