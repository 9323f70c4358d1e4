import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { APPROVAL_LIMITS } from '../../contract/approval.ts';
import type { Queryable } from '../../platform/db/database.ts';
import {
  CARD_COLUMNS,
  CardQueries,
  type CardRecord,
  type CardRow,
  type CardTable,
  purposeOf,
} from '../cards/card-queries.ts';
import type { ApprovalSnapshot } from './rules/approval-machine.ts';
import {
  APPROVAL_KINDS,
  APPROVAL_STATES,
  type ApprovalKind,
  type ApprovalState,
} from './rules/approval-states.ts';
import { PERMISSION_POLICIES, type PermissionPolicy } from './rules/permission-policy.ts';

/** What a person is asked about. */
export interface ApprovalContent {
  readonly tool: string;
  readonly kind: ApprovalKind;
  readonly summary: string;
  /** What it would allow for the session, as the agent says it. */
  readonly sessionScope: string | null;
}

/** An approval as the rules see it, with the other columns that its readers need, without its input. */
export interface ApprovalRecord extends CardRecord, ApprovalSnapshot, ApprovalContent {
  readonly state: ApprovalState;
  readonly inputCut: boolean;
  readonly decidedBy: string | null;
  readonly decidedByName: string | null;
  /** The policy of the project that decided at once. */
  readonly policy: 'allow_edits' | 'deny' | null;
  readonly note: string | null;
}

interface ApprovalRow extends CardRow {
  readonly tool: string;
  readonly kind: string;
  readonly summary: string;
  readonly sessionScope: string | null;
  readonly inputCut: boolean;
  readonly decidedBy: string | null;
  readonly decidedByName: string | null;
  readonly policy: string | null;
  readonly note: string | null;
}

const stateSchema = z.enum(APPROVAL_STATES);
const kindSchema = z.enum(APPROVAL_KINDS);
const policySchema = z.enum(PERMISSION_POLICIES);
const decidingPolicySchema = policySchema.exclude(['ask']);

const TABLE: CardTable<ApprovalRow, ApprovalRecord> = {
  name: 'approvals',
  columns: sql`${CARD_COLUMNS}, q.tool, q.kind, q.summary, q.session_scope, q.input_cut, q.decided_by,
    (select a.name from agents a where a.id = q.decided_by) as decided_by_name, q.policy, q.note`,
  shownAt: 'created_at',
  bytes: sql`octet_length(q.input::text) + octet_length(q.summary) + coalesce(octet_length(q.session_scope), 0)
    + coalesce(octet_length(q.note), 0)`,
  toCard: toApproval,
};

function toApproval(row: ApprovalRow): ApprovalRecord {
  return {
    ...row,
    purpose: purposeOf(row),
    state: stateSchema.parse(row.state),
    kind: kindSchema.parse(row.kind),
    policy: row.policy === null ? null : decidingPolicySchema.parse(row.policy),
    // Several of a session may be open, so none queues.
    shownAt: row.createdAt,
    isOfSystem: false,
  };
}

/** Over `q`. The policy is a literal: an index leaves out one of them. */
export function isNotDecidedBy(policy: 'allow_edits' | 'deny'): RawBuilder<boolean> {
  return sql<boolean>`q.policy is distinct from ${sql.lit(policy)}`;
}

export interface NewApproval extends ApprovalContent {
  readonly toolUseId: string;
  readonly projectId: string;
  readonly agentId: string;
  readonly sessionId: string;
  /** JSON. */
  readonly input: string;
  readonly inputCut: boolean;
  readonly fingerprint: string;
  readonly createdAt: Date;
  /** The policy of the project has decided: it is never pending. */
  readonly decided: { readonly state: ApprovalState; readonly policy: string } | null;
}

export class ApprovalQueries extends CardQueries<ApprovalRow, ApprovalRecord> {
  constructor(db: Queryable) {
    super(db, TABLE);
  }

  /** False: another approval has this id already. */
  async insert({ decided, ...approval }: NewApproval): Promise<boolean> {
    const result = await this.db
      .insertInto('approvals')
      .values({
        ...approval,
        // Nobody waits to be told what a policy decides: the same request is decided again, at once.
        ...(decided && { ...decided, resolvedAt: approval.createdAt, acknowledgedAt: approval.createdAt }),
      })
      .onConflict((conflict) => conflict.column('toolUseId').doNothing())
      .executeTakeFirst();
    return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
  }

  /** From pending to its final state; false when another transaction was faster. */
  async setResolved(
    toolUseId: string,
    outcome: {
      state: Exclude<ApprovalState, 'pending'>;
      now: Date;
      decidedBy?: string;
      note?: string | null;
      cancelReason?: string;
    },
  ): Promise<boolean> {
    const result = await this.db
      .updateTable('approvals')
      .set({
        state: outcome.state,
        resolvedAt: outcome.now,
        decidedBy: outcome.decidedBy ?? null,
        note: outcome.note ?? null,
        cancelReason: outcome.cancelReason ?? null,
      })
      .where('toolUseId', '=', toolUseId)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    return Number(result.numUpdatedRows) > 0;
  }

  /** No session takes the decision over any more: none is told. */
  async setDropped(toolUseId: string, now: Date): Promise<void> {
    await this.db
      .updateTable('approvals')
      .set({ acknowledgedAt: now })
      .where('toolUseId', '=', toolUseId)
      .where('acknowledgedAt', 'is', null)
      .execute();
  }

  /** The inputs of these approvals. */
  inputs(toolUseIds: readonly string[]): Promise<Map<string, unknown>> {
    return this.#inputs(toolUseIds, null);
  }

  /** Those that are small enough for a frame. */
  smallInputs(toolUseIds: readonly string[]): Promise<Map<string, unknown>> {
    return this.#inputs(toolUseIds, APPROVAL_LIMITS.frameInputBytes);
  }

  async #inputs(toolUseIds: readonly string[], maxBytes: number | null): Promise<Map<string, unknown>> {
    if (toolUseIds.length === 0) return new Map();
    const { rows } = await sql<{ toolUseId: string; input: unknown }>`
      select q.tool_use_id, q.input from approvals q where q.tool_use_id = any(${toolUseIds}::text[])
        and (${maxBytes}::int is null or octet_length(q.input::text) <= ${maxBytes}::int)`.execute(this.db);
    return new Map(rows.map(({ toolUseId, input }) => [toolUseId, input]));
  }

  /** How many of a session wait for a person. */
  async countOpen(sessionId: string): Promise<number> {
    const { rows } = await sql<{ open: number }>`select count(*)::int as open from approvals q
      where q.session_id = ${sessionId} and q.acknowledged_at is null and q.state = 'pending'`.execute(
      this.db,
    );
    return rows[0]?.open ?? 0;
  }

  /** When the session made the newest of its requests that has `count` - 1 later ones; null: it made fewer. */
  async newestBut(sessionId: string, count: number): Promise<Date | null> {
    const row = await this.db
      .selectFrom('approvals')
      .select('createdAt')
      .where('sessionId', '=', sessionId)
      .orderBy('createdAt', 'desc')
      .offset(count - 1)
      .limit(1)
      .executeTakeFirst();
    return row?.createdAt ?? null;
  }

  async policyOf(projectId: string): Promise<PermissionPolicy> {
    const row = await this.db
      .selectFrom('projects')
      .select('permissionPolicy')
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    return policySchema.parse(row.permissionPolicy);
  }
}
