import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { NOBODY_HOLDS_SQL } from '../sessions/session-work.ts';
import { HELD_FOR, type HeldFor, type PurposeSnapshot } from './rules/wake-up-machine.ts';

export interface PurposeRecord extends PurposeSnapshot {
  readonly agentId: string;
  readonly projectId: string;
  readonly purpose: 'chat' | 'task';
  readonly taskId: string;
  readonly conversationId: string | null;
  readonly openedBy: string | null;
  /** The schedule that made it. */
  readonly scheduleId: string | null;
  readonly runId: string | null;
  readonly heldFor: HeldFor | null;
  readonly lastError: StartError | null;
}

/** Why the last start came to nothing, as far as the Coordinator could say. */
export interface StartError {
  readonly error: string | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly lastLine: string | null;
}

export type PurposeOutcome = 'authenticated' | 'expired' | 'taken_by_session';

/** The chat wake-up of a pair; tasks have keys of their own (trap 7). */
export interface PurposeKey {
  readonly projectId: string;
  readonly agentId: string;
}

export interface DuePurpose extends PurposeKey {
  readonly createdAt: Date;
}

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

const heldForSchema = z.enum(HELD_FOR).nullable();

function toPurpose(row: PurposeRow): PurposeRecord {
  return {
    ...row,
    purpose: row.purpose === 'task' ? 'task' : 'chat',
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

  async lockChat(key: PurposeKey): Promise<PurposeRecord | null> {
    const row = await this.#db
      .selectFrom('pendingAgentPurposes')
      .selectAll()
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('purpose', '=', 'chat')
      .where('taskId', '=', '')
      .forUpdate()
      .executeTakeFirst();
    return row ? toPurpose(row) : null;
  }

  /**
   * Somebody waits for this agent, it could come, and no session of its chat is there. `resumes`: a conversation without
   * a word to read waits too.
   */
  async isNeeded(pair: PurposeKey, { resumes }: { resumes: boolean }): Promise<boolean> {
    const { rows } = await sql<{ needed: boolean }>`
      select (${resumes} or exists (select from chat_messages m
          where m.deliver_to = ${pair.agentId} and m.project_id = ${pair.projectId} and m.state = 'stored'
            and ${sql.raw(NOBODY_HOLDS_SQL)}))
        and exists (select from projects p where p.id = ${pair.projectId} and p.status <> 'archived')
        and exists (select from project_agents pa
          where pa.project_id = ${pair.projectId} and pa.agent_id = ${pair.agentId})
        and not exists (select from agent_sessions s where s.project_id = ${pair.projectId}
          and s.agent_id = ${pair.agentId} and s.purpose = 'chat' and s.state = 'active') as needed`.execute(
      this.#db,
    );
    return rows[0]?.needed ?? false;
  }

  /** True when this call made the row; an existing one is left as it is (trap 6: never upserted). */
  async insertChat(
    key: PurposeKey & {
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
        projectId: key.projectId,
        agentId: key.agentId,
        purpose: 'chat',
        openedBy: key.openedBy,
        conversationId: key.conversationId ?? null,
        scheduleId: key.scheduleId ?? null,
        notBefore: key.notBefore ?? null,
        createdAt: key.now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return Number(result.numInsertedOrUpdatedRows ?? 0) > 0;
  }

  /** A person came to a wake-up that nobody had opened: the session that comes of it has him in front of it. */
  async setOpenedBy(key: PurposeKey & { openedBy: string }): Promise<void> {
    await this.#db
      .updateTable('pendingAgentPurposes')
      .set({ openedBy: key.openedBy })
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('purpose', '=', 'chat')
      .where('openedBy', 'is', null)
      .execute();
  }

  /** The one statement that takes a start: of any number of Coordinators exactly one gets true. */
  async claimChat(key: PurposeKey & { runId: string; now: Date }): Promise<boolean> {
    const result = await sql`
      update pending_agent_purposes set started_at = ${key.now}, run_id = ${key.runId}, not_before = null,
        held_ms = held_ms + coalesce(extract(epoch from ${key.now}::timestamptz - held_since) * 1000, 0)::bigint,
        held_since = null, held_for = null
      where project_id = ${key.projectId} and agent_id = ${key.agentId} and purpose = 'chat' and task_id = ''
        and started_at is null`.execute(this.#db);
    return Number(result.numAffectedRows ?? 0) > 0;
  }

  async setStartFailed(
    key: PurposeKey & { failedStarts: number; notBefore: Date; error: StartError },
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
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('purpose', '=', 'chat')
      .execute();
  }

  /** The next start waits. */
  async setCoolDown(key: PurposeKey & { notBefore: Date; error: StartError }): Promise<void> {
    await this.#db
      .updateTable('pendingAgentPurposes')
      .set({ notBefore: key.notBefore, lastError: JSON.stringify(key.error) })
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('purpose', '=', 'chat')
      .execute();
  }

  async setLastError(key: PurposeKey & { error: StartError }): Promise<void> {
    await this.#db
      .updateTable('pendingAgentPurposes')
      .set({ lastError: JSON.stringify(key.error) })
      .where('projectId', '=', key.projectId)
      .where('agentId', '=', key.agentId)
      .where('purpose', '=', 'chat')
      .execute();
  }

  /** Stops the clock of created_at for a reason, or resumes it; a row that is held already keeps its moment. */
  async setHeld(key: PurposeKey & { heldFor: HeldFor | null; now: Date }): Promise<void> {
    const { heldFor } = key;
    await sql`
      update pending_agent_purposes set
        held_ms = held_ms + case when ${heldFor}::text is not null then 0
          else coalesce(extract(epoch from ${key.now}::timestamptz - held_since) * 1000, 0)::bigint end,
        held_since = case when ${heldFor}::text is not null then coalesce(held_since, ${key.now}::timestamptz) end,
        held_for = ${heldFor}::text
      where project_id = ${key.projectId} and agent_id = ${key.agentId} and purpose = 'chat'
        and held_for is distinct from ${heldFor}::text`.execute(this.#db);
  }

  /** Removes the row and keeps what became of it for an hour. False when it was gone already. */
  async remove(key: PurposeKey & { outcome: PurposeOutcome; now: Date }): Promise<boolean> {
    const result = await sql`
      with gone as (
        delete from pending_agent_purposes
        where project_id = ${key.projectId} and agent_id = ${key.agentId} and purpose = 'chat' and task_id = ''
        returning *
      )
      insert into pending_purpose_outcomes
        (agent_id, project_id, purpose, task_id, conversation_id, created_at, started_at, removed_at, outcome)
      select agent_id, project_id, purpose, task_id, conversation_id, created_at, started_at, ${key.now}, ${key.outcome}
      from gone`.execute(this.#db);
    return Number(result.numAffectedRows ?? 0) > 0;
  }

  /**
   * Removes the wake-up that was made for a conversation when nothing waits for it any more: no person, no message,
   * no conversation that wants to begin or has nobody on the agent's side. The removed row, else null.
   */
  async removeUnneeded(key: PurposeKey & { now: Date }): Promise<{ runId: string | null } | null> {
    const { rows } = await sql<{ runId: string | null }>`
      with gone as (
        delete from pending_agent_purposes p
        where p.project_id = ${key.projectId} and p.agent_id = ${key.agentId} and p.purpose = 'chat'
          and p.task_id = '' and p.conversation_id is not null and p.opened_by is null
          and not exists (select from chat_messages m
            where m.deliver_to = p.agent_id and m.project_id = p.project_id and m.state = 'stored')
          and not exists (select from conversations c
            where c.project_id = p.project_id and c.state in ('pending', 'active')
              and ((c.initiator_agent_id = p.agent_id and c.initiator_session_id is null)
                or (c.participant_agent_id = p.agent_id and c.participant_session_id is null)))
        returning *
      ), outcome as (
        insert into pending_purpose_outcomes
          (agent_id, project_id, purpose, task_id, conversation_id, created_at, started_at, removed_at, outcome)
        select agent_id, project_id, purpose, task_id, conversation_id, created_at, started_at, ${key.now}, 'expired'
        from gone
      )
      select run_id from gone`.execute(this.#db);
    return rows[0] ?? null;
  }

  /** Rows that a Coordinator could start at once: nothing live, nothing ending, not cooling down. */
  async startablePairs(
    now: Date,
    options: { withQueue: boolean },
  ): Promise<{ agentId: string; projectId: string }[]> {
    const { rows } = await sql<{ agentId: string; projectId: string }>`
      select p.agent_id, p.project_id from pending_agent_purposes p
      where p.started_at is null and (p.not_before is null or p.not_before <= ${now})
        and not exists (select from agent_sessions s where s.project_id = p.project_id and s.agent_id = p.agent_id
          and s.purpose = p.purpose and s.task_id = p.task_id and s.state <> 'ended')
        and (p.held_for is distinct from 'capacity' or ${options.withQueue})
      order by p.created_at limit 500`.execute(this.#db);
    return rows;
  }

  /** Rows that nobody has picked up yet, the oldest first. */
  async waiting(limit: number): Promise<PurposeKey[]> {
    return await this.#db
      .selectFrom('pendingAgentPurposes')
      .select(['projectId', 'agentId'])
      .where('startedAt', 'is', null)
      .orderBy('createdAt')
      .limit(limit)
      .execute();
  }

  /** Rows that wait for a place, the first in the queue first. */
  async queue(limit: number): Promise<PurposeKey[]> {
    return await this.#db
      .selectFrom('pendingAgentPurposes')
      .select(['projectId', 'agentId'])
      .where('heldFor', '=', 'capacity')
      .orderBy('createdAt')
      .orderBy('projectId')
      .orderBy('agentId')
      .limit(limit)
      .execute();
  }

  /** Rows whose clock has run out, the oldest first, behind `after`: for the sweeper; the lock and the rule decide. */
  async pastTtl(of: {
    now: Date;
    ttlMs: number;
    after: DuePurpose | null;
    limit: number;
  }): Promise<DuePurpose[]> {
    const since = new Date(of.now.getTime() - of.ttlMs);
    return this.#chatRows(
      sql<boolean>`(started_at <= ${since} or (started_at is null and held_since is null
        and created_at + held_ms * interval '1 ms' <= ${since}))`,
      of,
    );
  }

  /** Rows whose clock rests, the oldest first, behind `after`. */
  async held(page: { after: DuePurpose | null; limit: number }): Promise<DuePurpose[]> {
    return this.#chatRows(sql<boolean>`held_since is not null`, page);
  }

  async #chatRows(
    which: RawBuilder<boolean>,
    { after, limit }: { after: DuePurpose | null; limit: number },
  ): Promise<DuePurpose[]> {
    return await this.#db
      .selectFrom('pendingAgentPurposes')
      .select(['projectId', 'agentId', 'createdAt'])
      .where('purpose', '=', 'chat')
      .where(which)
      .where(
        sql<boolean>`(created_at, project_id, agent_id)
          > (${after?.createdAt ?? new Date(0)}, ${after?.projectId ?? ''}, ${after?.agentId ?? ''})`,
      )
      .orderBy('createdAt')
      .orderBy('projectId')
      .orderBy('agentId')
      .limit(limit)
      .execute();
  }
}
