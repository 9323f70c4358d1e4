import { sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { VISION_STATES, type VisionSnapshot } from './rules/vision-machine.ts';

export interface VisionRow extends VisionSnapshot {
  readonly id: string;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly clientId: string;
  readonly askedBy: string | null;
  readonly sessionId: string | null;
  readonly source: string;
  readonly timeoutMs: number;
  readonly createdAt: Date;
  readonly eventId: string | null;
  readonly reason: string | null;
}

const COLUMNS = [
  'id',
  'agentId',
  'projectId',
  'clientId',
  'askedBy',
  'sessionId',
  'source',
  'timeoutMs',
  'createdAt',
  'expiresAt',
  'state',
  'claimedUntil',
  'eventId',
  'reason',
] as const;

const IS_ABANDONED = sql<boolean>`(session_id is not null and not exists (
  select from agent_sessions s where s.id = vision_requests.session_id and s.state <> 'ended'))`;

const stateSchema = z.enum(VISION_STATES);

function selectRequests(db: Queryable) {
  return db.selectFrom('visionRequests').select(COLUMNS).select(IS_ABANDONED.as('isAbandoned'));
}

function toRow<R extends { state: string }>(row: R) {
  return { ...row, state: stateSchema.parse(row.state) };
}

export type NewVisionRequest = Pick<
  VisionRow,
  'id' | 'agentId' | 'projectId' | 'clientId' | 'askedBy' | 'sessionId' | 'source' | 'timeoutMs' | 'createdAt'
>;

export async function insertVisionRequest(db: Queryable, request: NewVisionRequest): Promise<void> {
  const expiresAt = new Date(request.createdAt.getTime() + request.timeoutMs);
  await db
    .insertInto('visionRequests')
    .values({ ...request, expiresAt })
    .execute();
}

export async function findVisionRequest(db: Queryable, id: string): Promise<VisionRow | undefined> {
  const row = await selectRequests(db).where('id', '=', id).executeTakeFirst();
  return row && toRow(row);
}

export async function lockVisionRequest(db: Queryable, id: string): Promise<VisionRow | undefined> {
  const row = await selectRequests(db).where('id', '=', id).forUpdate().executeTakeFirst();
  return row && toRow(row);
}

export async function findVisionRequests(db: Queryable, ids: readonly string[]): Promise<VisionRow[]> {
  const rows = await selectRequests(db).where('id', 'in', ids).execute();
  return rows.map(toRow);
}

export interface VisionReader {
  readonly agentId: string;
  readonly projectId: string | undefined;
  readonly personId: string;
  /** Absent: all clients of the person. */
  readonly clientId: string | undefined;
}

/** The open requests to a person, the oldest first; without project those of all and of none. */
export async function openVisionRequests(
  db: Queryable,
  to: VisionReader,
  now: Date,
  limit: number,
): Promise<VisionRow[]> {
  const { agentId, projectId, personId, clientId } = to;
  const rows = await selectRequests(db)
    .where('agentId', '=', agentId)
    .where('state', 'in', ['pending', 'describing'])
    .where(sql<boolean>`(expires_at > ${now} and not ${IS_ABANDONED} or claimed_until > ${now})`)
    // A client that is no person is one that this person has named.
    .where(({ or, eb }) => or([eb('clientId', '=', personId), eb('askedBy', '=', personId)]))
    .$if(clientId !== undefined, (query) => query.where('clientId', '=', clientId ?? ''))
    .$if(projectId !== undefined, (query) =>
      query.where(({ or, eb }) => or([eb('projectId', 'is', null), eb('projectId', '=', projectId ?? '')])),
    )
    .orderBy('createdAt')
    .limit(limit)
    .execute();
  return rows.map(toRow);
}

/** Requests of one agent are stored one after the other: until then nobody counts those that are open. */
export async function lockAsked(db: Queryable, agentId: string): Promise<void> {
  await sql`select from agents where id = ${agentId} for no key update`.execute(db);
}

/** How many of an agent wait for an answer. */
export async function countOpen(db: Queryable, agentId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ open: number }>`select count(*)::int as open from vision_requests
    where agent_id = ${agentId} and state in ('pending', 'describing') and expires_at > ${now}
      and not ${IS_ABANDONED}`.execute(db);
  return rows[0]?.open ?? 0;
}

/** False: another answer was faster. */
export async function claimVision(
  db: Queryable,
  id: string,
  claim: { readonly claimId: string; readonly claimedUntil: Date },
): Promise<boolean> {
  const claimed = await db
    .updateTable('visionRequests')
    .set({ ...claim, state: 'describing' })
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'describing'])
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** False: it is another process's now, or gone. */
export async function renewVision(
  db: Queryable,
  id: string,
  { claimId, claimedUntil }: { claimId: string; claimedUntil: Date },
): Promise<boolean> {
  const renewed = await db
    .updateTable('visionRequests')
    .set({ claimedUntil })
    .where('id', '=', id)
    .where('claimId', '=', claimId)
    .returning('id')
    .executeTakeFirst();
  return renewed !== undefined;
}

/** The answer became nothing: the request is open again. */
export async function releaseVision(db: Queryable, id: string, claimId: string): Promise<void> {
  await db
    .updateTable('visionRequests')
    .set({ state: 'pending', claimId: null, claimedUntil: null })
    .where('id', '=', id)
    .where('claimId', '=', claimId)
    .execute();
}

/** False: the answer is not its own any more. */
export async function finishVision(
  db: Queryable,
  id: string,
  { claimId, eventId, now }: { claimId: string; eventId: string; now: Date },
): Promise<boolean> {
  const finished = await db
    .updateTable('visionRequests')
    .set({ state: 'described', claimId: null, claimedUntil: null, eventId, resolvedAt: now })
    .where('id', '=', id)
    .where('claimId', '=', claimId)
    .returning('id')
    .executeTakeFirst();
  return finished !== undefined;
}

export async function declineVision(db: Queryable, id: string, reason: string, now: Date): Promise<void> {
  await db
    .updateTable('visionRequests')
    .set({ state: 'declined', claimId: null, claimedUntil: null, reason, resolvedAt: now })
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'describing'])
    .execute();
}

/**
 * For how long an end that was offered is offered again: its response may be lost, and the call made again. Later the same
 * words ask for what is to be seen then. In milliseconds.
 */
const TOLD_AGAIN_MS = 60_000;

/** The newest request of a session about the same whose end it was not offered, or has just been and not acknowledged. */
export async function untoldOfSession(
  db: Queryable,
  { sessionId, source, now }: { sessionId: string; source: string; now: Date },
): Promise<VisionRow | undefined> {
  const since = new Date(now.getTime() - TOLD_AGAIN_MS);
  const row = await selectRequests(db)
    .where('sessionId', '=', sessionId)
    .where('source', '=', source)
    .where('acknowledgedAt', 'is', null)
    .where(({ or, eb }) => or([eb('toldAt', 'is', null), eb('toldAt', '>', since)]))
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toRow(row);
}

/** The end was offered to the session that has asked, or was acknowledged by it. Idempotent: the first time counts. */
export async function setVisionMark(
  db: Queryable,
  mark: 'toldAt' | 'acknowledgedAt',
  { sessionId, id, now }: { sessionId: string; id: string; now: Date },
): Promise<void> {
  await db
    .updateTable('visionRequests')
    .set({ [mark]: now })
    .where('id', '=', id)
    .where('sessionId', '=', sessionId)
    .where(mark, 'is', null)
    .execute();
}

/** What the images show; undefined: the event was deleted since. */
export async function descriptionOf(db: Queryable, eventId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('memoryEvents')
    .select('caption')
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row?.caption ?? undefined;
}

/** Whoever wrote to the agent in this chat last, or opened its session, as far as that person may answer. */
export async function personToAsk(
  db: Queryable,
  session: { readonly id: string; readonly projectId: string; readonly openedBy: string | null },
  threadId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    with said as (
      select human_id as id from (
        select human_id, sender from chat_messages where thread_id = ${threadId} order by seq desc limit 50
      ) newest where sender = 'user' and human_id is not null limit 1)
    select a.id from (select id, 1 as place from said union all select ${session.openedBy}::text, 2) asked
    join agents a on a.id = asked.id and a.type = 'human' and a.deleted_at is null and a.access_level <> 'viewer'
    where a.access_level = 'owner' or exists (select from project_agents m
      where m.project_id = ${session.projectId} and m.agent_id = a.id)
    order by asked.place limit 1`.execute(db);
  return rows[0]?.id;
}

/** Those of a membership that are open go: nobody waits for them any more. */
export async function dropVisionRequests(
  db: Queryable,
  { projectId, agentId }: MembershipKey,
): Promise<void> {
  await db
    .deleteFrom('visionRequests')
    .where('agentId', '=', agentId)
    .where('projectId', '=', projectId)
    .where('state', 'in', ['pending', 'describing'])
    .execute();
}
