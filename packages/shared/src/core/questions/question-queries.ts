import { sql } from 'kysely';
import { z } from 'zod';
import {
  type Answers,
  answersSchema,
  type QuestionItem,
  questionItemSchema,
} from '../../contract/question.ts';
import type { Queryable } from '../../platform/db/database.ts';
import {
  CARD_COLUMNS,
  CardQueries,
  type CardRecord,
  type CardRow,
  type CardTable,
  type DueCard,
  purposeOf,
} from '../cards/card-queries.ts';
import type { QuestionSnapshot } from './rules/question-machine.ts';
import { QUESTION_STATES, type QuestionState } from './rules/question-states.ts';

/** A card as the rules see it, with the other columns that its readers need. */
export interface QuestionRecord extends CardRecord, QuestionSnapshot {
  readonly state: QuestionState;
  /** The card of the system whose answer this card gets too; people see only that one. */
  readonly follows: string | null;
  readonly questions: readonly QuestionItem[];
  readonly answers: Answers | null;
  readonly answeredBy: string | null;
  readonly answeredByName: string | null;
}

interface QuestionRow extends CardRow {
  readonly follows: string | null;
  readonly questions: unknown;
  readonly shownAt: Date | null;
  readonly answers: unknown;
  readonly answeredBy: string | null;
  readonly answeredByName: string | null;
}

const stateSchema = z.enum(QUESTION_STATES);
const itemsSchema = z.array(questionItemSchema);

function toQuestion(row: QuestionRow): QuestionRecord {
  return {
    ...row,
    purpose: purposeOf(row),
    questions: itemsSchema.parse(row.questions),
    state: stateSchema.parse(row.state),
    answers: row.answers === null ? null : answersSchema.parse(row.answers),
    isOfSystem: row.sessionId === null,
  };
}

const TABLE: CardTable<QuestionRow, QuestionRecord> = {
  name: 'user_questions',
  columns: sql`${CARD_COLUMNS}, q.follows, q.questions, q.shown_at, q.answers, q.answered_by,
    (select a.name from agents a where a.id = q.answered_by) as answered_by_name`,
  shownAt: 'shown_at',
  bytes: sql`octet_length(q.questions::text) + coalesce(octet_length(q.answers::text), 0)`,
  toCard: toQuestion,
};

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

export interface DueFollower extends DueCard {
  readonly projectId: string;
  readonly agentId: string;
}

export class QuestionQueries extends CardQueries<QuestionRow, QuestionRecord> {
  constructor(db: Queryable) {
    super(db, TABLE);
  }

  /** The newest card of the system about one subject. */
  async findAbout(about: string): Promise<QuestionRecord | null> {
    const [card] = await this.where(sql`q.about = ${about} order by q.seq desc limit 1`);
    return card ?? null;
  }

  /** False: another card has this id already. */
  async insert(card: NewQuestion): Promise<boolean> {
    const result = await this.db
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
      on conflict (follows, agent_id) where follows is not null do nothing`.execute(this.db);
  }

  /** Agents whose card follows one that is resolved, the oldest card first, after the position `after`. */
  async followersDue({ after, limit }: { after: DueFollower | null; limit: number }): Promise<DueFollower[]> {
    const { rows } = await sql<DueFollower>`
      select q.tool_use_id, q.seq, q.project_id, q.agent_id from user_questions q
      join user_questions led on led.tool_use_id = q.follows and led.state <> 'pending'
      where q.follows is not null and q.state = 'pending' and q.seq > ${after?.seq ?? 0}
      order by q.seq limit ${limit}`.execute(this.db);
    return rows;
  }

  async setShown(toolUseId: string, now: Date): Promise<void> {
    await this.db
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
    const result = await this.db
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
      this.db,
    );
    return rows[0]?.pending ?? false;
  }
}
