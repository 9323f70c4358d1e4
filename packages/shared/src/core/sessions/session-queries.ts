import { sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { PURPOSES, type WorkKey } from '../rules/work-key.ts';
import {
  EXIT_REASONS,
  LOGOUT_REASONS,
  SESSION_STATES,
  type SessionEnd,
  type SessionSnapshot,
  type SessionWork,
} from './rules/session-machine.ts';
import { CONTROLS, type Control, type ControlView } from './rules/turn-control.ts';
import {
  HELD_SQL,
  LIVE_CONVERSATION_SQL,
  OPEN_QUESTION_SQL,
  UNREAD_SQL,
  UNTOLD_END_SQL,
} from './session-work.ts';

/** A session as the rules see it, with the other columns that its callers need. */
export interface SessionRecord extends SessionSnapshot, WorkKey {
  readonly id: string;
  readonly runId: string | null;
  readonly openedBy: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly phase: string | null;
  readonly offeredAt: Date | null;
  /** Since then it may only learn its end and leave. */
  readonly revokedAt: Date | null;
}

/** A close that need not wait any longer. */
export interface WaitingClose {
  readonly id: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly closeRequestedAt: Date;
}

interface SessionRow {
  id: string;
  agentId: string;
  projectId: string;
  purpose: string;
  taskId: string;
  state: string;
  runId: string | null;
  openedBy: string | null;
  createdAt: Date;
  lastActivityAt: Date;
  closeRequestedAt: Date | null;
  terminatingAt: Date | null;
  exitAction: string | null;
  exitReason: string | null;
  exitOfferedAt: Date | null;
  exitAcknowledgedAt: Date | null;
  endedAt: Date | null;
  revokedAt: Date | null;
  phase: string | null;
}

const purposeSchema = z.enum(PURPOSES);
export const sessionStateSchema = z.enum(SESSION_STATES);
const controlSchema = z.enum(CONTROLS).nullable();
const reasonSchema = z.enum(EXIT_REASONS);
const logoutReasonSchema = z.enum(LOGOUT_REASONS);

/** The end of a session, from its two columns. */
export function toEnd(action: string | null, reason: string | null): SessionEnd | null {
  if (action === null) return null;
  return action === 'logout'
    ? { action: 'logout', reason: logoutReasonSchema.parse(reason) }
    : { action: 'exit', reason: reasonSchema.parse(reason) };
}

function toSession(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    agentId: row.agentId,
    projectId: row.projectId,
    purpose: purposeSchema.parse(row.purpose),
    taskId: row.taskId,
    state: sessionStateSchema.parse(row.state),
    runId: row.runId,
    openedBy: row.openedBy,
    createdAt: row.createdAt,
    lastActivityAt: row.lastActivityAt,
    closeRequestedAt: row.closeRequestedAt,
    terminatingAt: row.terminatingAt,
    end: toEnd(row.exitAction, row.exitReason),
    offeredAt: row.exitOfferedAt,
    acknowledgedAt: row.exitAcknowledgedAt,
    endedAt: row.endedAt,
    revokedAt: row.revokedAt,
    phase: row.phase,
  };
}

/** The work that keeps sessions needed, in one SQL expression; `s` is agent_sessions. */
export const WORK_SQL = sql<SessionWork>`jsonb_build_object(
  'unread', ${sql.raw(UNREAD_SQL)},
  'held', ${sql.raw(HELD_SQL)},
  'openQuestion', ${sql.raw(OPEN_QUESTION_SQL)},
  'liveConversation', ${sql.raw(LIVE_CONVERSATION_SQL)},
  'unacknowledgedEnd', ${sql.raw(UNTOLD_END_SQL)})`;

const SESSION_COLUMNS = [
  's.id',
  's.agentId',
  's.projectId',
  's.purpose',
  's.taskId',
  's.state',
  's.runId',
  's.openedBy',
  's.createdAt',
  's.lastActivityAt',
  's.closeRequestedAt',
  's.terminatingAt',
  's.exitAction',
  's.exitReason',
  's.exitOfferedAt',
  's.exitAcknowledgedAt',
  's.endedAt',
  's.revokedAt',
  's.phase',
] as const;

export class SessionQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /**
   * Serialises all rare operations of one (agent, project): it is the first lock of every such transaction,
   * so that the order is always membership → session → thread. False when the agent is not a member.
   */
  async lockMembership(projectId: string, agentId: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('projectAgents')
      .select('agentId')
      .where('projectId', '=', projectId)
      .where('agentId', '=', agentId)
      .forUpdate()
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Sessions of the membership that are not ended, locked, the newest first. */
  async lockOpen(projectId: string, agentId: string): Promise<SessionRecord[]> {
    const rows = await this.#db
      .selectFrom('agentSessions as s')
      .select(SESSION_COLUMNS)
      .where('s.projectId', '=', projectId)
      .where('s.agentId', '=', agentId)
      .where('s.state', '<>', 'ended')
      .orderBy('s.createdAt', 'desc')
      .forUpdate()
      .execute();
    return rows.map(toSession);
  }

  /**
   * From the next call on, sessions of the membership that are not ended may only learn their end and leave.
   */
  async revoke(membership: { projectId: string; agentId: string }, now: Date): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set({ revokedAt: now })
      .where('projectId', '=', membership.projectId)
      .where('agentId', '=', membership.agentId)
      .where('state', '<>', 'ended')
      .where('revokedAt', 'is', null)
      .execute();
  }

  async lockById(id: string): Promise<SessionRecord | null> {
    const row = await this.#db
      .selectFrom('agentSessions as s')
      .select(SESSION_COLUMNS)
      .where('s.id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    return row ? toSession(row) : null;
  }

  async findById(id: string): Promise<SessionRecord | null> {
    const row = await this.#db
      .selectFrom('agentSessions as s')
      .select(SESSION_COLUMNS)
      .where('s.id', '=', id)
      .executeTakeFirst();
    return row ? toSession(row) : null;
  }

  /** The session whose bearer has this hash: its own token, or the launch ticket bound to it. */
  async findByBearer(bearerHash: string): Promise<(SessionRecord & { ticketUnused: boolean }) | null> {
    const row = await this.#db
      .selectFrom('agentSessions as s')
      .leftJoin('launchTickets as t', (join) =>
        join.onRef('t.sessionId', '=', 's.id').on('t.ticketHash', '=', bearerHash),
      )
      .select(SESSION_COLUMNS)
      .select((eb) =>
        eb.and([eb('t.ticketHash', 'is not', null), eb('t.usedAt', 'is', null)]).as('ticketUnused'),
      )
      .where((eb) =>
        eb.or([
          eb('s.tokenHash', '=', bearerHash),
          eb(
            's.id',
            '=',
            eb.selectFrom('launchTickets').select('sessionId').where('ticketHash', '=', bearerHash),
          ),
        ]),
      )
      .executeTakeFirst();
    return row ? { ...toSession(row), ticketUnused: Boolean(row.ticketUnused) } : null;
  }

  async work(id: string): Promise<SessionWork> {
    const row = await this.#db
      .selectFrom('agentSessions as s')
      .select(WORK_SQL.as('work'))
      .where('s.id', '=', id)
      .executeTakeFirstOrThrow();
    return row.work;
  }

  /**
   * Memberships whose close waited for work that is done, after the position `after`: the process that should
   * have settled it died before.
   */
  async closableWithoutWork({
    after,
    limit,
  }: {
    after: WaitingClose | null;
    limit: number;
  }): Promise<WaitingClose[]> {
    // Runs each second and almost never finds a row: planning the whole query would cost more than everything
    // else in a sweep.
    const anyWaits = await this.#db
      .selectFrom('agentSessions')
      .select('id')
      .where('state', '=', 'active')
      .where('closeRequestedAt', 'is not', null)
      .limit(1)
      .executeTakeFirst();
    if (!anyWaits) return [];
    const { rows } = await sql<WaitingClose>`
      select s.id, s.project_id, s.agent_id, s.close_requested_at from agent_sessions s
      cross join lateral (select ${WORK_SQL} as work) w
      where s.state = 'active' and s.close_requested_at is not null
        and not (w.work ->> 'unread')::boolean and not (w.work ->> 'held')::boolean
        and not (w.work ->> 'openQuestion')::boolean and not (w.work ->> 'liveConversation')::boolean
        and not (w.work ->> 'unacknowledgedEnd')::boolean
        and (s.close_requested_at, s.id) > (${after?.closeRequestedAt ?? new Date(0)}, ${after?.id ?? ''})
      order by s.close_requested_at, s.id limit ${limit}`.execute(this.#db);
    return rows;
  }

  async insert(
    session: WorkKey & {
      id: string;
      tokenHash: string | null;
      runId: string | null;
      openedBy: string | null;
      now: Date;
    },
  ): Promise<void> {
    const { now, ...columns } = session;
    await this.#db
      .insertInto('agentSessions')
      .values({ ...columns, createdAt: now, lastActivityAt: now, lastSeenAt: now })
      .execute();
  }

  /** A new reason for an end that has begun does not extend its time. */
  async setTerminating(id: string, end: SessionEnd, now: Date): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set((eb) => ({
        state: 'terminating',
        exitAction: end.action,
        exitReason: end.reason,
        terminatingAt: eb.fn.coalesce('terminatingAt', eb.val(now)),
      }))
      .where('id', '=', id)
      .where('state', '<>', 'ended')
      .execute();
  }

  async setActiveAgain(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set({
        state: 'active',
        exitAction: null,
        exitReason: null,
        terminatingAt: null,
        exitOfferedAt: null,
        closeRequestedAt: null,
        lastActivityAt: now,
      })
      .where('id', '=', id)
      .where('state', '=', 'terminating')
      .where('exitAcknowledgedAt', 'is', null)
      .execute();
  }

  async setCloseRequested(id: string, at: Date | null): Promise<void> {
    await this.#db.updateTable('agentSessions').set({ closeRequestedAt: at }).where('id', '=', id).execute();
  }

  /** A person has opened the chat of a session that began without one. */
  async setOpenedBy(id: string, personId: string): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set({ openedBy: personId })
      .where('id', '=', id)
      .where('openedBy', 'is', null)
      .execute();
  }

  async setOffered(id: string, now: Date): Promise<void> {
    await this.#db.updateTable('agentSessions').set({ exitOfferedAt: now }).where('id', '=', id).execute();
  }

  async setAcknowledged(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set({ exitAcknowledgedAt: now })
      .where('id', '=', id)
      .where('exitAcknowledgedAt', 'is', null)
      .execute();
  }

  /** These tickets cannot be used for a sign-in any more. */
  async revokeTicketsOf(sessionId: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('launchTickets')
      .set({ revokedAt: now })
      .where('sessionId', '=', sessionId)
      .where('revokedAt', 'is', null)
      .execute();
  }

  async setEnded(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set({ state: 'ended', endedAt: now, control: null })
      .where('id', '=', id)
      .where('state', '<>', 'ended')
      .execute();
  }

  async controls(ids: readonly string[]): Promise<(ControlView & { id: string })[]> {
    const rows = await this.#db
      .selectFrom('agentSessions')
      .select(['id', 'state', 'exitAction', 'exitReason', 'control', 'controlOffered', 'controlAcknowledged'])
      .where('id', 'in', ids)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      state: sessionStateSchema.parse(row.state),
      end: toEnd(row.exitAction, row.exitReason),
      control: controlSchema.parse(row.control),
      offered: controlSchema.parse(row.controlOffered),
      acknowledged: controlSchema.parse(row.controlAcknowledged),
    }));
  }

  async setControlOffered(id: string, control: Control): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set({ controlOffered: control })
      .where('id', '=', id)
      .execute();
  }

  async setControlAcknowledged(id: string, control: Control): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set({ controlAcknowledged: control })
      .where('id', '=', id)
      .execute();
  }

  /** Recent calls; a later stored time stays. */
  async touch(ids: readonly string[], now: Date): Promise<void> {
    await sql`update agent_sessions set last_seen_at = ${now}
      where id = any(${ids}::text[]) and last_seen_at < ${now}`.execute(this.#db);
  }
}
