import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Reason } from '../../contract/reason.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { type MembershipKey, PURPOSES, type WorkKey, workKeyOf } from '../rules/work-key.ts';
import { NOBODY_HOLDS_SQL } from '../sessions/session-work.ts';
import { HELD_FOR, type HeldFor, type WakeUpSnapshot } from './rules/wake-up-machine.ts';

export interface WakeUpRecord extends WakeUpSnapshot, WorkKey {
  readonly conversationId: string | null;
  readonly openedBy: string | null;
  /** The schedule that made it. */
  readonly scheduleId: string | null;
  readonly runId: string | null;
  readonly heldFor: HeldFor | null;
  readonly lastError: StartError | null;
}

/** Why the last start failed, as far as the Coordinator could say. */
export interface StartError {
  readonly error: string | null;
  /** The same for each reader in its language; absent in rows of older releases. */
  readonly reason?: Reason | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly lastLine: string | null;
  /** Of its output, where there is more than that one; absent in rows of older releases. */
  readonly lastLines?: string | null;
}

export type PurposeOutcome = 'authenticated' | 'expired' | 'taken_by_session';

interface PurposeRow {
  agentId: string;
  projectId: string;
  purpose: string;
  taskId: string;
  conversationId: string | null;
  openedBy: string | null;
  scheduleId: string | null;
  createdAt: Date;
  startedAt: Date | null;
  runId: string | null;
  failedStarts: number;
  notBefore: Date | null;
  heldSince: Date | null;
  heldFor: string | null;
  heldMs: number;
  lastError: unknown;
}

const purposeSchema = z.enum(PURPOSES);
const heldForSchema = z.enum(HELD_FOR).nullable();

/** For one membership, after its chat: the number of tasks that are checked when a start is taken. */
const MAX_ROWS_PER_MEMBERSHIP = 100;

function toPurpose(row: PurposeRow): WakeUpRecord {
  return {
    ...row,
    purpose: purposeSchema.parse(row.purpose),
    heldFor: heldForSchema.parse(row.heldFor),
    lastError: isStartError(row.lastError) ? row.lastError : null,
  };
}

function isStartError(value: unknown): value is StartError {
  return typeof value === 'object' && value !== null && 'exitCode' in value;
}

export class WakeUpQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async lock(key: WorkKey): Promise<WakeUpRecord | null> {
    const row = await this.#db
      .selectFrom('pendingAgentPurposes')
      .selectAll()
      .where((eb) => eb.and(workKeyOf(key)))
      .forUpdate()
      .executeTakeFirst();
    return row ? toPurpose(row) : null;
  }

  /** The rows of a membership, that of its chat first, then those of its tasks, the oldest first. */
  async lockOfMembership({ projectId, agentId }: MembershipKey): Promise<WakeUpRecord[]> {
    const rows = await this.#db
      .selectFrom('pendingAgentPurposes')
      .selectAll()
      .where('projectId', '=', projectId)
      .where('agentId', '=', agentId)
      .orderBy('purpose')
      .orderBy('createdAt')
      .orderBy('taskId')
      .limit(MAX_ROWS_PER_MEMBERSHIP)
      .forUpdate()
      .execute();
    return rows.map(toPurpose);
  }

  /**
   * A message waits for the chat of this agent, the agent could be started, and there is no session of its
   * chat. `resumes`: a conversation without an unread message waits too.
   */
  async isChatNeeded(membership: MembershipKey, { resumes }: { resumes: boolean }): Promise<boolean> {
    const { rows } = await sql<{ needed: boolean }>`
      select (${resumes} or exists (select from chat_messages m
          where m.deliver_to = ${membership.agentId} and m.project_id = ${membership.projectId} and m.state = 'stored'
            and ${sql.raw(NOBODY_HOLDS_SQL)}))
        and exists (select from projects p where p.id = ${membership.projectId} and p.status <> 'archived')
        and exists (select from project_agents pa
          where pa.project_id = ${membership.projectId} and pa.agent_id = ${membership.agentId})
        and not exists (select from agent_sessions s where s.project_id = ${membership.projectId}
          and s.agent_id = ${membership.agentId} and s.purpose = 'chat' and s.state = 'active') as needed`.execute(
      this.#db,
    );
    return rows[0]?.needed ?? false;
  }

  /** True when this call made the row; an existing one is not changed (trap 6: never upserted). */
  async insert(
    row: WorkKey & {
      openedBy: string | null;
      conversationId?: string | null;
      scheduleId?: string;
      notBefore?: Date | null;
      now: Date;
    },
  ): Promise<boolean> {
    const result = await this.#db
      .insertInto('pendingAgentPurposes')
      .values({
        ...workKeyOf(row),
        openedBy: row.openedBy,
        conversationId: row.conversationId ?? null,
        scheduleId: row.scheduleId ?? null,
        notBefore: row.notBefore ?? null,
        createdAt: row.now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
  }

  /** A person opened the chat of a wake-up without a person: its session may then ask that person. */
  async setOpenedBy(key: WorkKey & { openedBy: string }): Promise<void> {
    await this.#db
      .updateTable('pendingAgentPurposes')
      .set({ openedBy: key.openedBy })
      .where((eb) => eb.and(workKeyOf(key)))
      .where('openedBy', 'is', null)
      .execute();
  }

  /** The one statement that takes a start: of any number of Coordinators exactly one gets true. */
  async claim(key: WorkKey & { runId: string; now: Date }): Promise<boolean> {
    const result = await sql`
      update pending_agent_purposes set started_at = ${key.now}, run_id = ${key.runId}, not_before = null,
        held_ms = held_ms + coalesce(extract(epoch from ${key.now}::timestamptz - held_since) * 1000, 0)::bigint,
        held_since = null, held_for = null
      where ${isRowOf(key)} and started_at is null`.execute(this.#db);
    return Number(result.numAffectedRows ?? 0) > 0;
  }

  async setStartFailed(
    key: WorkKey & { failedStarts: number; notBefore: Date; error: StartError },
  ): Promise<void> {
    await this.#db
      .updateTable('pendingAgentPurposes')
      .set({
        startedAt: null,
        runId: null,
        failedStarts: key.failedStarts,
        notBefore: key.notBefore,
        lastError: JSON.stringify(key.error),
      })
      .where((eb) => eb.and(workKeyOf(key)))
      .execute();
  }

  /** The next start waits. */
  async setBackoff(key: WorkKey & { notBefore: Date; error: StartError }): Promise<void> {
    await this.#db
      .updateTable('pendingAgentPurposes')
      .set({ notBefore: key.notBefore, lastError: JSON.stringify(key.error) })
      .where((eb) => eb.and(workKeyOf(key)))
      .execute();
  }

  async setLastError(key: WorkKey & { error: StartError }): Promise<void> {
    await this.#db
      .updateTable('pendingAgentPurposes')
      .set({ lastError: JSON.stringify(key.error) })
      .where((eb) => eb.and(workKeyOf(key)))
      .execute();
  }

  /**
   * Stops the clock of created_at for a reason, or starts it again; a row that is held already keeps its
   * time.
   */
  async setHeld(key: WorkKey & { heldFor: HeldFor | null; now: Date }): Promise<void> {
    const { heldFor } = key;
    await sql`
      update pending_agent_purposes set
        held_ms = held_ms + case when ${heldFor}::text is not null then 0
          else coalesce(extract(epoch from ${key.now}::timestamptz - held_since) * 1000, 0)::bigint end,
        held_since = case when ${heldFor}::text is not null then coalesce(held_since, ${key.now}::timestamptz) end,
        held_for = ${heldFor}::text
      where ${isRowOf(key)} and held_for is distinct from ${heldFor}::text`.execute(this.#db);
  }

  /** Removes the row and keeps its outcome for an hour. */
  async remove(key: WorkKey & { outcome: PurposeOutcome; now: Date }): Promise<void> {
    await this.#remove(isRowOf(key), key);
  }

  /** The same for every row of a membership: that of its chat and those of its tasks. */
  async removeOfMembership(
    { projectId, agentId }: MembershipKey,
    how: { outcome: PurposeOutcome; now: Date },
  ): Promise<void> {
    await this.#remove(sql<boolean>`project_id = ${projectId} and agent_id = ${agentId}`, how);
  }

  async #remove(which: RawBuilder<boolean>, how: { outcome: PurposeOutcome; now: Date }): Promise<void> {
    await sql`
      with gone as (delete from pending_agent_purposes where ${which} returning *)
      insert into pending_purpose_outcomes
        (agent_id, project_id, purpose, task_id, conversation_id, created_at, started_at, removed_at, outcome)
      select agent_id, project_id, purpose, task_id, conversation_id, created_at, started_at, ${how.now}, ${how.outcome}
      from gone`.execute(this.#db);
  }

  /**
   * Removes the wake-up that was made for a conversation when nothing waits for it any more: no person, no
   * message that no session reads, no conversation that waits to begin or that has no session on the agent's
   * side. Returns the removed row, else null.
   */
  async removeUnneededChat(
    membership: MembershipKey,
    now: Date,
  ): Promise<Pick<WakeUpRecord, 'runId' | 'heldFor'> | null> {
    const { rows } = await sql<Pick<WakeUpRecord, 'runId' | 'heldFor'>>`
      with gone as (
        delete from pending_agent_purposes p
        where p.project_id = ${membership.projectId} and p.agent_id = ${membership.agentId} and p.purpose = 'chat'
          and p.conversation_id is not null and p.opened_by is null
          and not exists (select from chat_messages m
            where m.deliver_to = p.agent_id and m.project_id = p.project_id and m.state = 'stored'
              and ${sql.raw(NOBODY_HOLDS_SQL)})
          and not exists (select from conversations c
            where c.project_id = p.project_id and c.state in ('pending', 'active')
              and ((c.initiator_agent_id = p.agent_id and c.initiator_session_id is null)
                or (c.participant_agent_id = p.agent_id and c.participant_session_id is null)))
        returning *
      ), outcome as (
        insert into pending_purpose_outcomes
          (agent_id, project_id, purpose, task_id, conversation_id, created_at, started_at, removed_at, outcome)
        select agent_id, project_id, purpose, task_id, conversation_id, created_at, started_at, ${now}, 'expired'
        from gone
      )
      select run_id, held_for from gone`.execute(this.#db);
    return rows[0] ?? null;
  }
}

function isRowOf({ agentId, projectId, purpose, taskId }: WorkKey): RawBuilder<boolean> {
  return sql<boolean>`agent_id = ${agentId} and project_id = ${projectId} and purpose = ${purpose} and task_id = ${taskId}`;
}
