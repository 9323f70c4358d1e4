import { sql } from 'kysely';
import { z } from 'zod';
import {
  type Answers,
  answersSchema,
  type QuestionItem,
  questionItemSchema,
} from '../../contract/question.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { PAGE_BYTES } from '../../platform/db/page.ts';
import { PURPOSES, type WorkKey } from '../rules/work-key.ts';
import type { QuestionSnapshot } from './rules/question-machine.ts';
import { QUESTION_STATES, type QuestionState } from './rules/question-states.ts';

/** A card as the rules see it, with the other columns that its readers need. */
export interface QuestionRecord extends QuestionSnapshot, WorkKey {
  readonly toolUseId: string;
  readonly seq: number;
  /** Null: the system asks. */
  readonly sessionId: string | null;
  /** The card of the system whose answer this card gets too; people see only that one. */
  readonly follows: string | null;
  readonly questions: readonly QuestionItem[];
  readonly fingerprint: string;
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
  readonly answers: Answers | null;
  readonly answeredBy: string | null;
  readonly answeredByName: string | null;
  readonly cancelReason: string | null;
  readonly offeredAt: Date | null;
}

interface QuestionRow {
  toolUseId: string;
  seq: number;
  projectId: string;
  agentId: string;
  purpose: string;
  taskId: string;
  sessionId: string | null;
  follows: string | null;
  questions: unknown;
  fingerprint: string;
  state: string;
  createdAt: Date;
  shownAt: Date | null;
  orphanedAt: Date | null;
  resolvedAt: Date | null;
  answers: unknown;
  answeredBy: string | null;
  answeredByName: string | null;
  cancelReason: string | null;
  offeredAt: Date | null;
  acknowledgedAt: Date | null;
}

/**
 * The work that it was asked for is the work of its session; a card without session belongs to the agent's
 * chat.
 */
const COLUMNS = sql`q.tool_use_id, q.seq, q.project_id, q.agent_id,
  coalesce((select s.purpose from agent_sessions s where s.id = q.session_id), 'chat') as purpose,
  coalesce((select s.task_id from agent_sessions s where s.id = q.session_id), '') as task_id, q.session_id, q.follows, q.questions, q.fingerprint, q.state,
  q.created_at, q.shown_at, q.orphaned_at, q.resolved_at, q.answers, q.answered_by,
  (select a.name from agents a where a.id = q.answered_by) as answered_by_name, q.cancel_reason, q.offered_at, q.acknowledged_at`;

const purposeSchema = z.enum(PURPOSES);
const stateSchema = z.enum(QUESTION_STATES);
const itemsSchema = z.array(questionItemSchema);

function toQuestion(row: QuestionRow): QuestionRecord {
  return {
    ...row,
    purpose: purposeSchema.parse(row.purpose),
    questions: itemsSchema.parse(row.questions),
    state: stateSchema.parse(row.state),
    answers: row.answers === null ? null : answersSchema.parse(row.answers),
    isOfSystem: row.sessionId === null,
  };
}

export interface NewQuestion {
  readonly toolUseId: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly sessionId: string | null;
  readonly about: string | null;
  readonly questions: readonly QuestionItem[];
  readonly fingerprint: string;
  readonly createdAt: Date;
  readonly shownAt: Date | null;
}

export interface DueQuestion {
  readonly toolUseId: string;
  readonly seq: number;
}

export interface DueFollower extends DueQuestion {
  readonly projectId: string;
  readonly agentId: string;
}

export class QuestionQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async find(toolUseId: string): Promise<QuestionRecord | null> {
    return (await this.findMany([toolUseId])).get(toolUseId) ?? null;
  }

  async findMany(toolUseIds: readonly string[]): Promise<Map<string, QuestionRecord>> {
    const { rows } = await sql<QuestionRow>`select ${COLUMNS} from user_questions q
      where q.tool_use_id = any(${toolUseIds}::text[])`.execute(this.#db);
    return new Map(rows.map((row) => [row.toolUseId, toQuestion(row)]));
  }

  /** The caller has locked the membership; the row is locked too, in case a caller forgets it. */
  async lock(toolUseId: string): Promise<QuestionRecord | null> {
    const { rows } = await sql<QuestionRow>`select ${COLUMNS} from user_questions q
      where q.tool_use_id = ${toolUseId} for update of q`.execute(this.#db);
    return rows[0] ? toQuestion(rows[0]) : null;
  }

  /**
   * Cards of a session that are open, or whose result it has not acknowledged, in the order in which it
   * asked.
   */
  async lockOfSession(sessionId: string): Promise<QuestionRecord[]> {
    const { rows } = await sql<QuestionRow>`select ${COLUMNS} from user_questions q
      where q.session_id = ${sessionId} and q.acknowledged_at is null order by q.seq for update of q`.execute(
      this.#db,
    );
    return rows.map(toQuestion);
  }

  /**
   * The same for a membership, whichever session asked: also cards whose session has ended, and those of the
   * system.
   */
  async lockOfMembership(membership: { projectId: string; agentId: string }): Promise<QuestionRecord[]> {
    const { rows } = await sql<QuestionRow>`select ${COLUMNS} from user_questions q
      where q.project_id = ${membership.projectId} and q.agent_id = ${membership.agentId} and q.acknowledged_at is null
      order by q.seq for update of q`.execute(this.#db);
    return rows.map(toQuestion);
  }

  /** The newest card of the system about one subject. */
  async findAbout(about: string): Promise<QuestionRecord | null> {
    const { rows } = await sql<QuestionRow>`select ${COLUMNS} from user_questions q
      where q.about = ${about} order by q.seq desc limit 1`.execute(this.#db);
    return rows[0] ? toQuestion(rows[0]) : null;
  }

  /** False: another card has this id already. */
  async insert(card: NewQuestion): Promise<boolean> {
    const result = await this.#db
      .insertInto('userQuestions')
      .values({ ...card, questions: JSON.stringify(card.questions) })
      .onConflict((conflict) => conflict.column('toolUseId').doNothing())
      .executeTakeFirst();
    return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
  }

  /** The agent waits for the answer to this card; inserted once, however often the agent was stopped. */
  async insertFollower(card: {
    toolUseId: string;
    follows: string;
    agentId: string;
    now: Date;
  }): Promise<void> {
    await sql`insert into user_questions (tool_use_id, project_id, agent_id, follows, questions, fingerprint, created_at)
      select ${card.toolUseId}, project_id, ${card.agentId}, tool_use_id, questions, fingerprint, ${card.now}
      from user_questions where tool_use_id = ${card.follows}
      on conflict (follows, agent_id) where follows is not null do nothing`.execute(this.#db);
  }

  /** Agents whose card follows one that is resolved, the oldest card first, after the position `after`. */
  async followersDue({ after, limit }: { after: DueFollower | null; limit: number }): Promise<DueFollower[]> {
    const { rows } = await sql<DueFollower>`
      select q.tool_use_id, q.seq, q.project_id, q.agent_id from user_questions q
      join user_questions led on led.tool_use_id = q.follows and led.state <> 'pending'
      where q.follows is not null and q.state = 'pending' and q.seq > ${after?.seq ?? 0}
      order by q.seq limit ${limit}`.execute(this.#db);
    return rows;
  }

  async setShown(toolUseId: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('userQuestions')
      .set({ shownAt: now })
      .where('toolUseId', '=', toolUseId)
      .where('state', '=', 'pending')
      .where('shownAt', 'is', null)
      .execute();
  }

  /** From pending to its final state; false when another transaction was faster. */
  async setResolved(
    toolUseId: string,
    outcome: {
      state: Exclude<QuestionState, 'pending'>;
      now: Date;
      answers?: Answers;
      answeredBy?: string;
      cancelReason?: string;
    },
  ): Promise<boolean> {
    const result = await this.#db
      .updateTable('userQuestions')
      .set({
        state: outcome.state,
        resolvedAt: outcome.now,
        answers: outcome.answers === undefined ? null : JSON.stringify(outcome.answers),
        answeredBy: outcome.answeredBy ?? null,
        cancelReason: outcome.cancelReason ?? null,
      })
      .where('toolUseId', '=', toolUseId)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    return Number(result.numUpdatedRows) > 0;
  }

  async setOrphaned(toolUseId: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('userQuestions')
      .set({ orphanedAt: now })
      .where('toolUseId', '=', toolUseId)
      .where('acknowledgedAt', 'is', null)
      .execute();
  }

  async setSession(toolUseId: string, sessionId: string): Promise<void> {
    await this.#db
      .updateTable('userQuestions')
      .set({ sessionId, orphanedAt: null, tellings: 0 })
      .where('toolUseId', '=', toolUseId)
      .where('acknowledgedAt', 'is', null)
      .execute();
  }

  async setOffered(toolUseId: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('userQuestions')
      .set({ offeredAt: now })
      .where('toolUseId', '=', toolUseId)
      .where('offeredAt', 'is', null)
      .execute();
  }

  async setAcknowledged(toolUseIds: readonly string[], sessionId: string, now: Date): Promise<void> {
    await this.#db
      .updateTable('userQuestions')
      .set({ acknowledgedAt: now })
      .where('toolUseId', 'in', [...toolUseIds])
      .where('sessionId', '=', sessionId)
      .where('state', '<>', 'pending')
      .where('acknowledgedAt', 'is', null)
      .execute();
  }

  /** The cards of a project that people have seen, newest first. */
  async list(
    projectId: string,
    query: {
      state?: QuestionState | undefined;
      agentId?: string | undefined;
      before?: number | undefined;
      limit: number;
    },
  ): Promise<{ cards: QuestionRecord[]; hasMore: boolean }> {
    const { state = null, agentId = null, before = null, limit } = query;
    const { rows } = await sql<QuestionRow & { hasNext: true | null }>`select ${COLUMNS}, q.has_next from (
        select q.*, row_number() over w as place, lead(true) over w as has_next,
          sum(octet_length(q.questions::text) + coalesce(octet_length(q.answers::text), 0)) over w as bytes
        from (select q.* from user_questions q
          where q.project_id = ${projectId} and q.shown_at is not null
            and (${state}::text is null or q.state = ${state}::text)
            and (${agentId}::text is null or q.agent_id = ${agentId}::text)
            and (${before}::bigint is null or q.seq < ${before}::bigint)
          order by q.seq desc limit ${limit + 1}) q
        window w as (order by q.seq desc)
      ) q where q.place = 1 or (q.place <= ${limit} and q.bytes <= ${PAGE_BYTES})
      order by q.seq desc`.execute(this.#db);
    return {
      cards: rows.map(({ hasNext: _, ...row }) => toQuestion(row)),
      hasMore: rows.at(-1)?.hasNext === true,
    };
  }

  /** Those that may be shown to people now, in the order in which they were stored. */
  async pendingOf(projectId: string): Promise<QuestionRecord[]> {
    const { rows } = await sql<QuestionRow>`select ${COLUMNS} from user_questions q
      where q.project_id = ${projectId} and q.state = 'pending' and q.shown_at is not null
      order by q.shown_at, q.seq limit 200`.execute(this.#db);
    return rows.map(toQuestion);
  }

  /** Whether a card is shown in any live project of this member; null: of all. */
  async isAnyPending(
    memberId: string | null,
    chat?: { projectId: string; agentId: string },
  ): Promise<boolean> {
    const { projectId = null, agentId = null } = chat ?? {};
    const { rows } = await sql<{ pending: boolean }>`select exists (
      select from user_questions q join projects p on p.id = q.project_id and p.deleted_at is null
      where q.state = 'pending' and q.shown_at is not null
        and (${projectId}::text is null or (q.project_id = ${projectId}::text and q.agent_id = ${agentId}::text))
        and (${memberId}::text is null or exists (
        select from project_agents pa where pa.project_id = p.id and pa.agent_id = ${memberId}::text))) as pending`.execute(
      this.#db,
    );
    return rows[0]?.pending ?? false;
  }

  /**
   * Cards whose time is over: shown before `shownBefore` (null: there is no time-out), or long without a
   * session; the oldest first, after the position `after`.
   */
  async due(of: {
    shownBefore: Date | null;
    orphanedBefore: Date;
    after: DueQuestion | null;
    limit: number;
  }): Promise<DueQuestion[]> {
    const { rows } = await sql<DueQuestion>`select q.tool_use_id, q.seq from user_questions q
      where q.state = 'pending' and ((q.session_id is not null and q.shown_at <= ${of.shownBefore}::timestamptz)
        or q.orphaned_at <= ${of.orphanedBefore}) and q.seq > ${of.after?.seq ?? 0}
      order by q.seq limit ${of.limit}`.execute(this.#db);
    return rows;
  }
}
