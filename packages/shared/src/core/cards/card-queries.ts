import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { PAGE_BYTES } from '../../platform/db/page.ts';
import { type MembershipKey, PURPOSES, type Purpose, type WorkKey } from '../rules/work-key.ts';
import type { CardSnapshot } from './rules/card-machine.ts';

/** What question cards and approvals have in common: the state as the rules see it, and who waits for it. */
export interface CardRecord extends CardSnapshot, WorkKey {
  readonly toolUseId: string;
  readonly seq: number;
  /** Null: the system asks. */
  readonly sessionId: string | null;
  readonly fingerprint: string;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  readonly cancelReason: string | null;
  readonly offeredAt: Date | null;
  /** Since when its session has it without having asked; null: it has asked. */
  readonly inheritedAt: Date | null;
}

/** A row of CARD_COLUMNS. */
export interface CardRow {
  readonly toolUseId: string;
  readonly seq: number;
  readonly projectId: string;
  readonly agentId: string;
  readonly purpose: string;
  readonly taskId: string;
  readonly sessionId: string | null;
  readonly fingerprint: string;
  readonly state: string;
  readonly createdAt: Date;
  readonly orphanedAt: Date | null;
  readonly resolvedAt: Date | null;
  readonly cancelReason: string | null;
  readonly offeredAt: Date | null;
  readonly inheritedAt: Date | null;
  readonly acknowledgedAt: Date | null;
}

/**
 * Over `q`, a table of cards. The work that a card was asked for is the work of its session; a card without
 * session belongs to the agent's chat.
 */
export const CARD_COLUMNS = sql.raw(`q.tool_use_id, q.seq, q.project_id, q.agent_id,
  coalesce((select s.purpose from agent_sessions s where s.id = q.session_id), 'chat') as purpose,
  coalesce((select s.task_id from agent_sessions s where s.id = q.session_id), '') as task_id, q.session_id,
  q.fingerprint, q.state, q.created_at, q.orphaned_at, q.resolved_at, q.cancel_reason, q.offered_at, q.inherited_at,
  q.acknowledged_at`);

/**
 * Over `q`: it is open, or a person has decided. What ended in another way stays as it is, and may be many: what works
 * on each card of a session or a membership leaves it out.
 */
const CHANGEABLE = sql.raw(`q.state not in ('timeout', 'cancelled')`);

const purposeSchema = z.enum(PURPOSES);

export function purposeOf({ purpose }: Pick<CardRow, 'purpose'>): Purpose {
  return purposeSchema.parse(purpose);
}

/** How one kind of cards is stored. */
export interface CardTable<Row extends CardRow, Card> {
  readonly name: 'user_questions' | 'approvals';
  /** CARD_COLUMNS, and those of the kind. */
  readonly columns: RawBuilder<unknown>;
  /** The column that says since when people see a card. */
  readonly shownAt: 'shown_at' | 'created_at';
  /** The size of the texts of `q`, in bytes. */
  readonly bytes: RawBuilder<unknown>;
  readonly toCard: (row: Row) => Card;
}

/** The position of a card in the order in which cards were stored. */
export interface DueCard {
  readonly toolUseId: string;
  readonly seq: number;
}

/** The statements that are the same for question cards and approvals. */
export class CardQueries<Row extends CardRow, Card extends CardRecord> {
  protected readonly db: Queryable;
  readonly #of: CardTable<Row, Card>;
  readonly #table: RawBuilder<unknown>;
  readonly #shownAt: RawBuilder<unknown>;

  constructor(db: Queryable, table: CardTable<Row, Card>) {
    this.db = db;
    this.#of = table;
    this.#table = sql.table(table.name);
    this.#shownAt = sql.raw(`q.${table.shownAt}`);
  }

  async find(toolUseId: string): Promise<Card | null> {
    return (await this.findMany([toolUseId])).get(toolUseId) ?? null;
  }

  async findMany(toolUseIds: readonly string[]): Promise<Map<string, Card>> {
    const cards = await this.where(sql`q.tool_use_id = any(${toolUseIds}::text[])`);
    return new Map(cards.map((card) => [card.toolUseId, card]));
  }

  /** The caller has locked the membership; the row is locked too, in case a caller forgets it. */
  async lock(toolUseId: string): Promise<Card | null> {
    const [card] = await this.where(sql`q.tool_use_id = ${toolUseId} for update of q`);
    return card ?? null;
  }

  /**
   * Cards of a session that a command can change (CHANGEABLE) and that it has not acknowledged, in the order in which
   * it asked.
   */
  lockOfSession(sessionId: string): Promise<Card[]> {
    return this.where(sql`q.session_id = ${sessionId} and q.acknowledged_at is null and ${CHANGEABLE}
      order by q.seq for update of q`);
  }

  /**
   * The same for a membership, whichever session asked: also cards whose session has ended, and those of the
   * system.
   */
  lockOfMembership({ projectId, agentId }: MembershipKey): Promise<Card[]> {
    return this.where(sql`q.project_id = ${projectId} and q.agent_id = ${agentId} and q.acknowledged_at is null
      and ${CHANGEABLE} order by q.seq for update of q`);
  }

  /** Cards of the sessions of a membership that wait for a person. None that `setOffered` locks. */
  lockPending({ projectId, agentId }: MembershipKey): Promise<Card[]> {
    return this.where(sql`q.project_id = ${projectId} and q.agent_id = ${agentId} and q.acknowledged_at is null
      and q.state = 'pending' and q.session_id is not null order by q.seq for update of q`);
  }

  /** Cards of a membership for the same request, until their result is acknowledged: however they ended. */
  lockSame({ projectId, agentId }: MembershipKey, fingerprint: string): Promise<Card[]> {
    return this.where(sql`q.project_id = ${projectId} and q.agent_id = ${agentId} and q.acknowledged_at is null
      and q.fingerprint = ${fingerprint} order by q.seq for update of q`);
  }

  async setOrphaned(toolUseId: string, now: Date): Promise<void> {
    await sql`update ${this.#table} set orphaned_at = ${now}
      where tool_use_id = ${toolUseId} and acknowledged_at is null`.execute(this.db);
  }

  /**
   * What the session was given without asking (`isAsked` false) is told later, see TOLD_SQL; also what was offered to the
   * session before it.
   */
  async setSession(
    toolUseId: string,
    { sessionId, isAsked, now }: { sessionId: string; isAsked: boolean; now: Date },
  ): Promise<void> {
    await sql`update ${this.#table} set session_id = ${sessionId}, orphaned_at = null, offers = 0,
        offered_at = null, inherited_at = ${isAsked ? null : now}
      where tool_use_id = ${toolUseId} and acknowledged_at is null`.execute(this.db);
  }

  /**
   * The result of a card goes to this session, if it holds the card and lives at this moment; else null. `repeat`: it
   * was offered before. One statement, so a card is not offered to a session and left to its successor.
   */
  async setOffered(toolUseId: string, sessionId: string, now: Date): Promise<{ repeat: boolean } | null> {
    const { rows } = await sql<{ repeat: boolean }>`with live as materialized (
        select s.id from agent_sessions s
        where s.id = ${sessionId} and s.state <> 'ended' and s.revoked_at is null for key share
      ), held as materialized (
        select q.tool_use_id, q.offered_at from ${this.#table} q join live on live.id = q.session_id
        where q.tool_use_id = ${toolUseId} and q.state <> 'pending' for update of q
      ) update ${this.#table} q set offered_at = coalesce(held.offered_at, ${now}) from held
      where q.tool_use_id = held.tool_use_id returning held.offered_at is not null as repeat`.execute(
      this.db,
    );
    return rows[0] ?? null;
  }

  async setAcknowledged(toolUseIds: readonly string[], sessionId: string, now: Date): Promise<void> {
    await sql`update ${this.#table} set acknowledged_at = ${now}
      where tool_use_id = any(${toolUseIds}::text[]) and session_id = ${sessionId}
        and state <> 'pending' and acknowledged_at is null`.execute(this.db);
  }

  /** Resolved cards that no successor takes over: their session has ended, so nobody will be told. */
  async setNobodyHears(sessionId: string, now: Date): Promise<void> {
    await sql`update ${this.#table} set acknowledged_at = ${now}
      where session_id = ${sessionId} and acknowledged_at is null
        and state <> 'pending' and orphaned_at is null`.execute(this.db);
  }

  /** The cards of a project that people have seen, newest first. */
  async list(
    projectId: string,
    query: {
      state?: Card['state'] | undefined;
      agentId?: string | undefined;
      /** Over `q`, a condition of the kind. */
      only?: RawBuilder<boolean>;
      before?: number | undefined;
      limit: number;
    },
  ): Promise<{ cards: Card[]; hasMore: boolean }> {
    const { state = null, agentId = null, only = sql<boolean>`true`, before = null, limit } = query;
    const { rows } = await sql<Row & { hasNext: true | null }>`select ${this.#of.columns}, q.has_next from (
        select q.*, row_number() over w as place, lead(true) over w as has_next,
          sum(${this.#of.bytes}) over w as bytes
        from (select q.* from ${this.#table} q
          where q.project_id = ${projectId} and ${this.#shownAt} is not null
            and (${state}::text is null or q.state = ${state}::text)
            and (${agentId}::text is null or q.agent_id = ${agentId}::text)
            and ${only} and (${before}::bigint is null or q.seq < ${before}::bigint)
          order by q.seq desc limit ${limit + 1}) q
        window w as (order by q.seq desc)
      ) q where q.place = 1 or (q.place <= ${limit} and q.bytes <= ${PAGE_BYTES})
      order by q.seq desc`.execute(this.db);
    return { cards: rows.map((row) => this.#of.toCard(row)), hasMore: rows.at(-1)?.hasNext === true };
  }

  /** Those that may be shown to people now, in the order in which they were stored. */
  pendingOf(projectId: string): Promise<Card[]> {
    return this.where(sql`q.project_id = ${projectId} and q.state = 'pending' and ${this.#shownAt} is not null
      order by ${this.#shownAt}, q.seq limit 200`);
  }

  /**
   * Cards whose time is over: shown before `shownBefore` (null: there is no time-out), or long without a
   * session; the oldest first, after the position `after`.
   */
  async due(of: {
    shownBefore: Date | null;
    orphanedBefore: Date;
    after: DueCard | null;
    limit: number;
  }): Promise<DueCard[]> {
    const { rows } = await sql<DueCard>`select q.tool_use_id, q.seq from ${this.#table} q
      where q.state = 'pending' and ((q.session_id is not null and ${this.#shownAt} <= ${of.shownBefore}::timestamptz)
        or q.orphaned_at <= ${of.orphanedBefore}) and q.seq > ${of.after?.seq ?? 0}
      order by q.seq limit ${of.limit}`.execute(this.db);
    return rows;
  }

  /** Reads the cards of a condition, which may be followed by an order, a limit and a lock. */
  protected async where(condition: RawBuilder<unknown>): Promise<Card[]> {
    const { rows } = await sql<Row>`select ${this.#of.columns} from ${this.#table} q
      where ${condition}`.execute(this.db);
    return rows.map((row) => this.#of.toCard(row));
  }
}

/** The statements, whatever the columns of the kind are. */
export type CardStore<Card extends CardRecord> = Pick<
  CardQueries<CardRow, Card>,
  | 'find'
  | 'findMany'
  | 'lock'
  | 'lockOfSession'
  | 'lockOfMembership'
  | 'lockSame'
  | 'setOffered'
  | 'setAcknowledged'
  | 'setNobodyHears'
  | 'due'
>;
