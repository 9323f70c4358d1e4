import { sql } from 'kysely';
import { z } from 'zod';
import { type TurnUsage, turnUsageSchema } from '../../contract/turn.ts';
import type { Queryable } from '../../platform/db/database.ts';

export interface NewTurn {
  readonly eventId: string;
  readonly agentId: string;
  readonly clientId: string;
  readonly leaseUntil: Date;
}

/** False: a turn of this agent and client runs. */
export async function insertTurn(db: Queryable, turn: NewTurn): Promise<boolean> {
  const inserted = await db
    .insertInto('chatTurns')
    .values({ ...turn, state: 'running' })
    .onConflict((conflict) =>
      conflict.columns(['agentId', 'clientId']).where('state', '=', 'running').doNothing(),
    )
    .returning('eventId')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** A turn that has lost its process, and what it has said. */
export interface DeadTurn {
  readonly eventId: string;
  readonly said: string;
}

type Which = { readonly eventId: string } | Pick<NewTurn, 'agentId' | 'clientId'>;

/** A running turn that has lost its process: by its event, or that of an agent and client. */
export function findDeadTurn(db: Queryable, which: Which, now: Date): Promise<DeadTurn | undefined> {
  return selectDead(db, which, now).executeTakeFirst();
}

/** Locks it. */
export function lockDeadTurn(db: Queryable, eventId: string, now: Date): Promise<DeadTurn | undefined> {
  return selectDead(db, { eventId }, now).forUpdate().executeTakeFirst();
}

function selectDead(db: Queryable, which: Which, now: Date) {
  const dead = db
    .selectFrom('chatTurns')
    .select(['eventId', 'said'])
    .where('state', '=', 'running')
    .where('leaseUntil', '<=', now);
  return 'eventId' in which
    ? dead.where('eventId', '=', which.eventId)
    : dead.where('agentId', '=', which.agentId).where('clientId', '=', which.clientId);
}

/** Before its turn, as a deletion does (platform/db/lock-order.ts). False: it is deleted. */
export async function lockEventOfTurn(db: Queryable, eventId: string): Promise<boolean> {
  const locked = await db
    .selectFrom('memoryEvents')
    .select('id')
    .where('id', '=', eventId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return locked !== undefined;
}

/** Turns that have lost their process, in the order of their ids, after the position `after`. */
export function deadTurns(db: Queryable, now: Date, after: string, limit: number): Promise<DeadTurn[]> {
  return db
    .selectFrom('chatTurns')
    .select(['eventId', 'said'])
    .where('state', '=', 'running')
    .where('leaseUntil', '<=', now)
    .where('eventId', '>', after)
    .orderBy('eventId')
    .limit(limit)
    .execute();
}

export interface RenewedTurn {
  readonly isStopRequested: boolean;
  /** The agent is still there: not deleted, and a member of the project of the turn, which is not archived. */
  readonly hasAgent: boolean;
}

/** Undefined: the turn is not running any more. Absent `said`: nothing more was said. */
export async function renewTurn(
  db: Queryable,
  eventId: string,
  renewal: { readonly said?: string; readonly leaseUntil: Date },
): Promise<RenewedTurn | undefined> {
  return db
    .updateTable('chatTurns')
    .set(renewal)
    .where('eventId', '=', eventId)
    .where('state', '=', 'running')
    .returning(['isStopRequested', HAS_AGENT.as('hasAgent')])
    .executeTakeFirst();
}

const HAS_AGENT = sql<boolean>`exists (
  select from memory_events e join agents a on a.id = e.agent_id and a.deleted_at is null
  where e.id = chat_turns.event_id and (e.project_id is null or exists (
    select from project_agents pa join projects p on p.id = pa.project_id
    where pa.project_id = e.project_id and pa.agent_id = e.agent_id
      and p.deleted_at is null and p.status <> 'archived')))`;

export interface TurnEnd {
  readonly state: 'done' | 'stopped' | 'failed';
  readonly errorCode: 'llm_unavailable' | 'llm_stream_failed' | null;
  readonly usage: TurnUsage | null;
  readonly retrievalRunId: string | null;
}

/** False: it had ended already. What was said stands in the event from now on. */
export async function endTurn(db: Queryable, eventId: string, end: TurnEnd, now: Date): Promise<boolean> {
  const ended = await db
    .updateTable('chatTurns')
    .set({ ...end, usage: end.usage && JSON.stringify(end.usage), said: '', endedAt: now })
    .where('eventId', '=', eventId)
    .where('state', '=', 'running')
    .returning('eventId')
    .executeTakeFirst();
  return ended !== undefined;
}

/** False: it is not running. */
export async function requestStop(db: Queryable, eventId: string): Promise<boolean> {
  const asked = await db
    .updateTable('chatTurns')
    .set({ isStopRequested: true })
    .where('eventId', '=', eventId)
    .where('state', '=', 'running')
    .returning('eventId')
    .executeTakeFirst();
  return asked !== undefined;
}

export interface TurnRow {
  readonly eventId: string;
  readonly agentId: string;
  readonly projectId: string | null;
  readonly state: 'running' | TurnEnd['state'];
  /** What was said, so far or at all. */
  readonly text: string;
  readonly leaseUntil: Date;
  readonly errorCode: TurnEnd['errorCode'];
  readonly usage: TurnUsage | null;
  readonly retrievalRunId: string | null;
}

const stateSchema = z.enum(['running', 'done', 'stopped', 'failed']);
const errorCodeSchema = z.enum(['llm_unavailable', 'llm_stream_failed']).nullable();

/** Undefined: no event of a turn. */
export async function findTurn(db: Queryable, eventId: string): Promise<TurnRow | undefined> {
  const row = await db
    .selectFrom('chatTurns as t')
    .innerJoin('memoryEvents as e', 'e.id', 't.eventId')
    .select(['t.eventId', 't.agentId', 'e.projectId', 't.state', 't.said', 'e.assistantText'])
    .select(['t.leaseUntil', 't.errorCode', 't.usage', 't.retrievalRunId'])
    .where('t.eventId', '=', eventId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { said, assistantText, state, errorCode, usage, ...rest } = row;
  return {
    ...rest,
    state: stateSchema.parse(state),
    errorCode: errorCodeSchema.parse(errorCode),
    usage: turnUsageSchema.nullable().parse(usage),
    text: state === 'running' ? said : (assistantText ?? ''),
  };
}

/** The event that this one replies to. */
export async function previousChatAt(db: Queryable, eventId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('memoryEventLinks as l')
    .innerJoin('memoryEvents as p', 'p.id', 'l.toEventId')
    .select('p.createdAt')
    .where('l.fromEventId', '=', eventId)
    .where('l.label', '=', 'reply_to')
    .orderBy('p.createdAt', 'desc')
    .executeTakeFirst();
  return row?.createdAt ?? null;
}

export interface SpeakerRow {
  readonly name: string;
  readonly type: string;
  readonly systemPrompt: string | null;
}

/** Undefined: there is no such agent. */
export function findSpeaker(db: Queryable, agentId: string): Promise<SpeakerRow | undefined> {
  return db
    .selectFrom('agents')
    .select(['name', 'type', 'systemPrompt'])
    .where('id', '=', agentId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export async function isPerson(db: Queryable, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('agents')
    .select('id')
    .where('id', '=', id)
    .where('type', '=', 'human')
    .executeTakeFirst();
  return found !== undefined;
}

export interface MoodRow {
  readonly bodyText: string;
  readonly payload: unknown;
  readonly lastConfirmedAt: Date;
}

/** The newest mood that holds, of a project and in general; without project only in general. */
export function findLongMood(
  db: Queryable,
  agentId: string,
  projectId: string | null,
): Promise<MoodRow | undefined> {
  return (
    db
      .selectFrom('memoryStates')
      .select(['bodyText', 'payload', 'lastConfirmedAt'])
      .where('agentId', '=', agentId)
      .where('kind', '=', 'long_mood_state')
      .where('validTo', 'is', null)
      .where((where) =>
        where.or([
          where('projectId', 'is', null),
          ...(projectId === null ? [] : [where('projectId', '=', projectId)]),
        ]),
      )
      .orderBy('lastConfirmedAt', 'desc')
      // Not ascending: memory_states_agent_idx has that order, and holds the states of all kinds.
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  );
}
