import { sql } from 'kysely';
import type { Queryable } from '../../platform/db/database.ts';
import type { WorkKey } from '../rules/work-key.ts';
import type { SessionEnd, SessionWork } from './rules/session-machine.ts';
import { SESSION_COLUMNS, type SessionRecord, toSession } from './session-record.ts';
import {
  HELD_OR_TASK_SQL,
  LIVE_CONVERSATION_SQL,
  OPEN_CARD_SQL,
  UNREAD_SQL,
  UNTOLD_END_SQL,
} from './session-work.ts';

/** The work that keeps sessions needed, in one SQL expression; `s` is agent_sessions. */
export const WORK_SQL = sql<SessionWork>`jsonb_build_object(
  'unread', ${sql.raw(UNREAD_SQL)},
  'held', ${sql.raw(HELD_OR_TASK_SQL)},
  'openCard', ${sql.raw(OPEN_CARD_SQL)},
  'liveConversation', ${sql.raw(LIVE_CONVERSATION_SQL)},
  'unacknowledgedEnd', ${sql.raw(UNTOLD_END_SQL)})`;

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
      .orderBy('s.id', 'desc')
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
  async findByBearer(
    bearerHash: string,
  ): Promise<(SessionRecord & { ticketUnused: boolean; provider: string | null }) | null> {
    const row = await this.#db
      .selectFrom('agentSessions as s')
      .leftJoin('launchTickets as t', (join) =>
        join.onRef('t.sessionId', '=', 's.id').on('t.ticketHash', '=', bearerHash),
      )
      .innerJoin('agents as a', 'a.id', 's.agentId')
      .select(SESSION_COLUMNS)
      .select('a.provider')
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
    if (!row) return null;
    return { ...toSession(row), ticketUnused: Boolean(row.ticketUnused), provider: row.provider };
  }

  async work(id: string): Promise<SessionWork> {
    const row = await this.#db
      .selectFrom('agentSessions as s')
      .select(WORK_SQL.as('work'))
      .where('s.id', '=', id)
      .executeTakeFirstOrThrow();
    return row.work;
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

  /** `exitOfferedAt` stays: the offer may be on its way, and then the agent leaves all the same. */
  async setActiveAgain(id: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('agentSessions')
      .set({
        state: 'active',
        exitAction: null,
        exitReason: null,
        terminatingAt: null,
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

  /** Recent calls; a later stored time stays. */
  async touch(ids: readonly string[], now: Date): Promise<void> {
    await sql`update agent_sessions set last_seen_at = ${now}
      where id = any(${ids}::text[]) and last_seen_at < ${now}`.execute(this.#db);
  }
}
