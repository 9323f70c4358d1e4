import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';

/** How far the change log was followed: everything below `position` is in memory. */
export interface FollowerPlace {
  readonly position: string;
  readonly epoch: string;
}

/** The place, which the first call makes, and how long ago it was true. */
export async function readPlace(db: Queryable): Promise<FollowerPlace & { at: Date; staleMs: number }> {
  const { rows } = await sql<FollowerPlace & { at: Date; staleMs: number }>`
    select position, epoch, at, extract(epoch from clock_timestamp() - at)::float8 * 1000 as stale_ms
    from (select position, epoch, greatest(updated_at, '1970-01-01Z') as at from memory_follower) place`.execute(
    db,
  );
  if (rows[0]) return rows[0];
  await sql`insert into memory_follower (position, epoch, updated_at) values ('0', '', '-infinity')
    on conflict do nothing`.execute(db);
  return readPlace(db);
}

/** Locks the place until the transaction ends; false: another process has moved it. */
export async function lockPlace(db: Queryable, expected: FollowerPlace): Promise<boolean> {
  const { rows } = await sql<FollowerPlace>`select position, epoch from memory_follower for update`.execute(
    db,
  );
  return rows[0]?.position === expected.position && rows[0].epoch === expected.epoch;
}

/** `at`: a time at which everything was in memory that had been committed. */
export async function savePlace(db: Queryable, { position, epoch }: FollowerPlace, at: Date): Promise<void> {
  await sql`update memory_follower set position = ${position}, epoch = ${epoch}, updated_at = ${at}`.execute(
    db,
  );
}

/** The agents among these that are not deleted; they and the projects stay until the transaction ends. */
export async function lockOwners(
  db: Queryable,
  owners: { readonly projectIds: readonly string[]; readonly agentIds: readonly string[] },
): Promise<Set<string>> {
  // In the order of platform/db/lock-order.ts, as the foreign keys of the events would not.
  await sql`select from projects where id = any(${owners.projectIds}::text[]) order by id for key share`.execute(
    db,
  );
  const { rows } = await sql<{ id: string; deletedAt: Date | null }>`
    select id, deleted_at from agents where id = any(${owners.agentIds}::text[]) order by id for key share`.execute(
    db,
  );
  return new Set(rows.flatMap(({ id, deletedAt }) => (deletedAt === null ? [id] : [])));
}

/** What people said to an agent and it answered at once, or one message between agents that its receiver has read. */
export interface AnsweredTurn {
  readonly kind: 'chat' | 'conversation';
  /** The first of its messages. */
  readonly id: string;
  readonly projectId: string;
  readonly threadId: string;
  /** Who answered, or received it. */
  readonly agentId: string;
  readonly agentName: string;
  /** Who asked, or sent it. */
  readonly otherId: string;
  readonly otherName: string | null;
  readonly said: string;
  /** null: it needed no answer, or it is a message between agents. */
  readonly answer: string | null;
  readonly at: Date;
}

/** `q` and `m`: what one person said, and one answer has answered. */
const ofOneTurn = sql<boolean>`m.deliver_to = q.deliver_to and m.project_id = q.project_id and m.state = 'answered'
  and m.answered_at between q.answered_at - interval '1 second' and q.answered_at + interval '1 second'
  and m.thread_id = q.thread_id and m.visible and m.sender = 'user'
  and m.batch_id is not distinct from q.batch_id and m.human_id is not distinct from q.human_id`;

/**
 * The turns that these messages belong to, in the order in which they were answered. One answer may answer several
 * people: each has a turn. Messages that are not answered, invisible, or of the system belong to none.
 */
export async function answeredTurns(db: Queryable, messageIds: readonly string[]): Promise<AnsweredTurn[]> {
  const { rows } = await sql<AnsweredTurn>`
    with given as materialized (
      select * from chat_messages where id = any(${messageIds}::text[])
        and state = 'answered' and visible and deliver_to is not null and sender <> 'system'
    ), questions as (
      select distinct on (thread_id, batch_id, human_id) thread_id, batch_id, human_id, project_id, deliver_to, answered_at
      from given where conversation_id is null and sender = 'user'
      order by thread_id, batch_id, human_id, seq
    ), turns as (
      select 'chat' as kind, asked.ids[1] as id, q.project_id, q.thread_id, q.deliver_to as agent_id,
        coalesce(q.human_id, 'user') as other_id, asked.said, reply.content as answer,
        coalesce(reply.created_at, asked.answered_at) as at, asked.seq
      from questions q
        -- One statement answers the messages of a batch: their times are next to each other.
        cross join lateral (
          select array_agg(m.id order by m.seq) as ids, string_agg(m.content, E'\n\n' order by m.seq) as said,
            max(m.seq) as seq, max(m.answered_at) as answered_at, bool_and(m.no_reply) as no_reply
          from chat_messages m
          where ${ofOneTurn}
        ) asked
        left join delivery_batches b on b.id = q.batch_id
        left join chat_messages reply on not asked.no_reply and reply.id = coalesce(b.answer_id,
          -- The batch is forgotten with its session.
          (select a.id from chat_messages a
            where a.thread_id = q.thread_id and a.seq > asked.seq and a.sender = 'agent'
              and a.created_at > asked.answered_at - interval '1 second'
            order by a.seq limit 1))
      union all
      select 'conversation', id, project_id, thread_id, deliver_to, sender_id, content, null, created_at, seq
      from given where conversation_id is not null and sender = 'agent'
    )
    select t.kind, t.id, t.project_id, t.thread_id, t.agent_id, a.name as agent_name, t.other_id, o.name as other_name,
      t.said, t.answer, t.at
    from turns t join agents a on a.id = t.agent_id left join agents o on o.id = t.other_id
    order by t.at, t.thread_id, t.seq`.execute(db);
  return rows;
}

/** The messages of the turn that this one belongs to: an event that was made of it says what they say. */
export async function messagesOfTurn(db: Queryable, messageId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select m.id from chat_messages q join chat_messages m on ${ofOneTurn}
    where q.id = ${messageId} and q.conversation_id is null
    union select ${messageId}`.execute(db);
  return rows.map(({ id }) => id);
}

/** A place in the scan of answered messages, by the agent and project that they were for. */
export interface ScanPlace {
  readonly deliverTo: string;
  readonly projectId: string;
  readonly answeredAt: Date;
  readonly id: string;
}

/** The next messages of one agent in one project that were answered since a time. Read from chat_messages_answered_idx. */
export async function answeredSince(
  db: Queryable,
  pair: Pick<ScanPlace, 'deliverTo' | 'projectId'>,
  from: { readonly since: Date; readonly after: ScanPlace | undefined; readonly limit: number },
): Promise<ScanPlace[]> {
  const { after } = from;
  const { rows } = await sql<ScanPlace>`
    select deliver_to, project_id, answered_at, id from chat_messages
    where state = 'answered' and deliver_to = ${pair.deliverTo} and project_id = ${pair.projectId}
      and answered_at >= ${after?.answeredAt ?? from.since}
      and (answered_at, id) > (${after?.answeredAt ?? from.since}, ${after?.id ?? ''})
    order by answered_at, id limit ${from.limit}`.execute(db);
  return rows;
}

/** The agents, each in a project, that have answered since a time. */
export async function pairsAnsweredSince(
  db: Queryable,
  since: Date,
): Promise<Pick<ScanPlace, 'deliverTo' | 'projectId'>[]> {
  const next = (after: RawBuilder<unknown>) => sql`
    select deliver_to, project_id from chat_messages
    where state = 'answered' and deliver_to is not null ${after}
    order by deliver_to, project_id limit 1`;
  // From each pair to the next one in the index, past all messages between them.
  const { rows } = await sql<Pick<ScanPlace, 'deliverTo' | 'projectId'>>`
    with recursive pairs as (
      (${next(sql``)})
      union all
      select following.* from pairs p cross join lateral
        (${next(sql`and (deliver_to, project_id) > (p.deliver_to, p.project_id)`)}) following
    )
    select * from pairs p where exists (
      select from chat_messages m
      where m.state = 'answered' and m.deliver_to = p.deliver_to and m.project_id = p.project_id
        and m.answered_at >= ${since})`.execute(db);
  return rows;
}
