import { sql } from 'kysely';
import { z } from 'zod';
import { appendFacts } from '../changes/change-log.ts';
import type { Tx } from '../db/database.ts';
import { PurposeRepository } from '../db/repositories/purpose-repository.ts';
import { SessionRepository } from '../db/repositories/session-repository.ts';
import { type AgentActionView, decideAgentAction, type HoldReason } from '../domain/purpose/agent-action.ts';
import { AppError } from '../errors.ts';
import { newId, newSecret } from '../ids.ts';
import { hashToken } from '../token-hash.ts';
import { chatTransaction, lastWord, storeSystemMessage } from './chat-transaction.ts';
import { COORDINATOR_SILENT_MS, tellCoordinators } from './coordinator-alive.ts';
import type { ServiceDeps } from './deps.ts';
import { hasFreePlace, leaveQueue, makeRoom, seemsToHaveAPlace } from './places.ts';
import { expirePurpose } from './purpose-expiry.ts';
import { noteRunExit, type RunExit } from './run-exit.ts';
import { nowIn, tellPair } from './session-lifecycle.ts';

export interface CoordinatorBeat {
  readonly coordinatorId: string;
  readonly host: string;
  readonly bootId: string;
  readonly capacity: number;
  /** Every run that lives there, starting and stopping ones too. */
  readonly running: readonly string[];
  readonly labels: readonly string[];
  readonly roots: readonly string[];
}

export type AgentAction =
  | { readonly action: 'hold'; readonly reason: HoldReason }
  | {
      readonly action: 'start';
      readonly reason: 'has_pending_purpose' | 'scheduled';
      readonly purpose: 'chat';
      readonly conversationId: string | null;
      readonly runId: string;
      readonly provider: 'builtin' | 'claude' | 'openai' | 'command';
      readonly model: string | null;
      readonly baseUrl: string | null;
      readonly apiKeyEnv: string | null;
      readonly command: AgentCommand | null;
      readonly workingDirectory: string;
      /** We made the folder, so an unprivileged agent account may be given it. */
      readonly workingDirectoryMade: boolean;
      /** Absent for an agent without credential. */
      readonly ticket: string | null;
    };

const commandSchema = z.object({
  file: z.string(),
  args: z.array(z.string()),
  mode: z.enum(['resident', 'per_work']).optional(),
});
export type AgentCommand = z.infer<typeof commandSchema>;
const providerSchema = z.enum(['builtin', 'claude', 'openai', 'command']);

/** A run that its Coordinator does not list is given this long to appear before it counts as lost. */
const UNLISTED_GRACE_MS = 5_000;
/** A beat is followed by its question for work at once. */
const STILL_LISTED_MS = 2_000;
/** Silent for this long: its runs are lost, their work is given out again. */
const COORDINATOR_LOST_MS = 45_000;

type Pair = { readonly projectId: string; readonly agentId: string };

/** What Coordinators ask and report. Of any number of them exactly one is given each start. */
export class CoordinationService {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  async listActiveProjectsWithAgents(): Promise<
    { projectId: string; name: string; workingDirectory: string; agents: string[] }[]
  > {
    const { rows } = await sql<{
      projectId: string;
      name: string;
      workingDirectory: string;
      agents: string[];
    }>`
      select p.id as project_id, p.name, p.working_directory,
        coalesce(array_agg(a.id order by a.id) filter (where a.id is not null), '{}') as agents
      from projects p
      left join project_agents pa on pa.project_id = p.id
      left join agents a on a.id = pa.agent_id and a.type = 'ai' and a.deleted_at is null
      where p.status <> 'archived' and p.deleted_at is null
      group by p.id order by p.id`.execute(this.#deps.database.db);
    return rows;
  }

  /** A sign of life, and which runs live there; a run that it should have but does not list is lost. */
  async beat(beat: CoordinatorBeat): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const now = await nowIn(tx, this.#deps.clock);
      const { rows } = await sql<{ appeared: boolean; changed: boolean }>`
        with old as (select last_seen_at, capacity, used from coordinators where id = ${beat.coordinatorId})
        insert into coordinators (id, host, boot_id, labels, roots, capacity, used, registered_at, last_seen_at)
        values (${beat.coordinatorId}, ${beat.host}, ${beat.bootId}, ${beat.labels}, ${beat.roots}, ${beat.capacity},
          ${beat.running.length}, ${now}, ${now})
        on conflict (id) do update set host = excluded.host, boot_id = excluded.boot_id, labels = excluded.labels,
          roots = excluded.roots, capacity = excluded.capacity, used = excluded.used,
          last_seen_at = excluded.last_seen_at, silent_since = null, lost_at = null
        returning
          coalesce((select last_seen_at < ${new Date(now.getTime() - COORDINATOR_SILENT_MS)} from old), true) as appeared,
          (select capacity <> ${beat.capacity} or used <> ${beat.running.length} from old) as changed`.execute(
        tx.db,
      );
      if (rows[0]?.appeared) await tellCoordinators(tx);
      else if (rows[0]?.changed) await appendFacts(tx, [{ kind: 'coordinators', projectId: null, ref: {} }]);
    });
    await this.#adoptUnnamed(beat);
    await this.#settleUnlisted(beat);
    await this.#stopGivenUp(beat);
  }

  /**
   * A sign of life only: a list of runs that was true when a held call began must not judge, when it ends, the
   * runs that were started meanwhile.
   */
  async seen(coordinatorId: string): Promise<void> {
    await this.#deps.database.db
      .updateTable('coordinators')
      .set({ lastSeenAt: this.#deps.clock.now(), silentSince: null })
      .where('id', '=', coordinatorId)
      .execute();
  }

  /** What this Coordinator can do now. Pairs are hints: getAgentAction decides. */
  async work(coordinatorId: string): Promise<{ pairs: Pair[]; stop: { runId: string; reason: string }[] }> {
    const { db } = this.#deps.database;
    // A full Coordinator has heard `capacity` of what is held: told again at once it would ask without end.
    const now = this.#deps.clock.now();
    const listedSince = new Date(now.getTime() - STILL_LISTED_MS);
    const withQueue = await seemsToHaveAPlace(db, coordinatorId, now);
    const [pairs, stop] = await Promise.all([
      new PurposeRepository(db).startablePairs(now, { withQueue }),
      db
        .selectFrom('agentRuns')
        .select(['id as runId', 'stopReason'])
        .where('coordinatorId', '=', coordinatorId)
        .where('stopRequestedAt', 'is not', null)
        .where((eb) => eb.or([eb('state', '<>', 'exited'), eb('stopRequestedAt', '>', listedSince)]))
        .execute(),
    ]);
    return {
      pairs,
      stop: stop.map((run) => ({ runId: run.runId, reason: run.stopReason ?? 'run_stopped' })),
    };
  }

  /** Takes a start, or says why not. Expires a wake-up past its TTL on the way (UC010). */
  async getAgentAction(input: Pair & { coordinatorId?: string | undefined }): Promise<AgentAction> {
    const ttlMs = (await this.#deps.settings.current()).pendingPurposeTtlSeconds * 1_000;
    const decide = () => this.#deps.database.transaction((tx) => this.#decide(tx, input, ttlMs));
    const first = await decide();
    if (first !== 'expire') return this.#withRoom(first);
    await expirePurpose(this.#deps, input);
    const second = await decide();
    return second === 'expire' ? { action: 'hold', reason: 'no_pending_work' } : this.#withRoom(second);
  }

  /** Whoever must wait for a place makes the one that is idle longest leave. */
  async #withRoom(action: AgentAction): Promise<AgentAction> {
    if (action.action === 'hold' && action.reason === 'capacity') await makeRoom(this.#deps);
    return action;
  }

  /** The process lives. Refused with run_lost when the run was given up meanwhile. Idempotent. */
  async reportProcessStarted(input: {
    runId: string;
    coordinatorId: string;
    host: string;
    bootId: string;
    pid: number;
    startTicks: number;
  }): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const run = await tx.db
        .selectFrom('agentRuns')
        .select(['projectId', 'agentId', 'state', 'exitCause'])
        .where('id', '=', input.runId)
        .forUpdate()
        .executeTakeFirst();
      if (!run) throw new AppError('run_not_found', 'There is no such run.');
      if (run.state === 'exited') throw runLost();
      await tx.db
        .updateTable('agentRuns')
        .set({ host: input.host, bootId: input.bootId, pid: input.pid, startTicks: input.startTicks })
        .where('id', '=', input.runId)
        .execute();
      await appendFacts(tx, [
        { kind: 'run', projectId: run.projectId, ref: { runId: input.runId, agentId: run.agentId } },
      ]);
      await tellPair(tx, run);
    });
  }

  async reportProcessExit(exit: RunExit): Promise<void> {
    await noteRunExit(this.#deps, exit);
  }

  /** Something went wrong around an agent that is no exit of a run: said in its chat, the same thing once. */
  async reportAgentError(input: Pair & { error: string }): Promise<void> {
    const member = await this.#deps.database.db
      .selectFrom('projectAgents')
      .select('agentId')
      .where('projectId', '=', input.projectId)
      .where('agentId', '=', input.agentId)
      .executeTakeFirst();
    if (!member) throw new AppError('agent_not_in_project', 'This agent is not a member of the project.');
    const error = input.error.slice(0, 500);
    await chatTransaction(this.#deps, async (tx) => {
      await new SessionRepository(tx.db).lockPair(input.projectId, input.agentId);
      if ((await lastWord(tx, input))?.error === error) return;
      const { projectId, agentId } = input;
      await storeSystemMessage(tx, this.#deps, {
        projectId,
        agentId,
        code: 'agent_error',
        params: { error },
        visible: true,
      });
    });
  }

  /**
   * Gives up the runs of a Coordinator that was silent for too long; their work is given out again. It counts as
   * lost only afterwards: who dies in the middle leaves the rest to the next sweep.
   */
  async loseSilentCoordinators(): Promise<number> {
    const { db } = this.#deps.database;
    const now = this.#deps.clock.now();
    const before = new Date(now.getTime() - COORDINATOR_LOST_MS);
    const silent = await db
      .selectFrom('coordinators')
      .select('id')
      .where('lastSeenAt', '<', before)
      .where('lostAt', 'is', null)
      .execute();
    let count = 0;
    for (const { id } of silent) {
      for (const run of await this.#liveRuns(id))
        await noteRunExit(this.#deps, { runId: run.id, exitCode: null }, 'lost');
      const lost = await db
        .updateTable('coordinators')
        .set({ lostAt: now })
        .where('id', '=', id)
        .where('lastSeenAt', '<', before)
        .where('lostAt', 'is', null)
        .executeTakeFirst();
      count += Number(lost.numUpdatedRows);
    }
    return count;
  }

  /** Whoever lists a run that was started without naming a Coordinator is its Coordinator: it must hear when to end it. */
  async #adoptUnnamed(beat: CoordinatorBeat): Promise<void> {
    if (beat.running.length === 0) return;
    await sql`update agent_runs set coordinator_id = ${beat.coordinatorId}
      where id = any(${beat.running}::text[]) and coordinator_id is null`.execute(this.#deps.database.db);
  }

  async #settleUnlisted(beat: CoordinatorBeat): Promise<void> {
    const listed = new Set(beat.running);
    const before = this.#deps.clock.now().getTime() - UNLISTED_GRACE_MS;
    for (const run of await this.#liveRuns(beat.coordinatorId)) {
      if (!listed.has(run.id) && run.startedAt.getTime() < before)
        await noteRunExit(this.#deps, { runId: run.id, exitCode: null }, 'lost');
    }
  }

  /**
   * Runs that were given up while their Coordinator was silent but live on there (I-8): asked to end at every beat
   * that still lists them.
   */
  async #stopGivenUp(beat: CoordinatorBeat): Promise<void> {
    if (beat.running.length === 0) return;
    await sql`update agent_runs set stop_requested_at = ${this.#deps.clock.now()},
        stop_reason = coalesce(stop_reason, exit_cause)
      where id = any(${beat.running}::text[]) and coordinator_id = ${beat.coordinatorId}
        and state = 'exited' and exit_cause in ('lost', 'stalled')`.execute(this.#deps.database.db);
  }

  async #liveRuns(coordinatorId: string): Promise<{ id: string; startedAt: Date }[]> {
    return this.#deps.database.db
      .selectFrom('agentRuns')
      .select(['id', 'startedAt'])
      .where('coordinatorId', '=', coordinatorId)
      .where('state', '<>', 'exited')
      .execute();
  }

  async #decide(
    tx: Tx,
    input: Pair & { coordinatorId?: string | undefined },
    ttlMs: number,
  ): Promise<AgentAction | 'expire'> {
    const purposes = new PurposeRepository(tx.db);
    const sessions = new SessionRepository(tx.db);
    const assigned = await sessions.lockPair(input.projectId, input.agentId);
    const row = assigned ? await purposes.lockChat(input) : null;
    const open = assigned ? await sessions.lockOpen(input.projectId, input.agentId) : [];
    const agent = await this.#agent(tx, input);
    const now = await nowIn(tx, this.#deps.clock);
    const view: AgentActionView = {
      assigned: assigned && agent !== undefined,
      projectStatus: agent?.projectStatus ?? 'archived',
      row,
      session: open.find((one) => one.purpose === 'chat') ?? null,
      hasFreePlace: row?.startedAt === null ? await hasFreePlace(tx.db, input.coordinatorId, now) : true,
      hasInProgressTask: (agent?.inProgress ?? 0) > 0,
      hasBlockedTask: (agent?.blocked ?? 0) > 0,
    };
    const decision = decideAgentAction(view, now, ttlMs);
    if (decision.action === 'expire') return 'expire';
    if (decision.action === 'hold') {
      const heldFor = decision.heldFor ?? null;
      if (row !== null && row.startedAt === null && row.heldFor !== heldFor) {
        await purposes.setHeld({ ...input, heldFor, now });
        await tellPair(tx, input);
        await leaveQueue(tx, row);
      }
      return { action: 'hold', reason: decision.reason };
    }
    if (agent === undefined || row === null) return { action: 'hold', reason: 'agent_not_assigned' };
    const { conversationId, scheduleId } = row;
    const scheduled = scheduleId !== null;
    const action = await this.#start(tx, input, { agent, conversationId, scheduled, now });
    if (action.action === 'start') await leaveQueue(tx, row);
    return action;
  }

  async #start(
    tx: Tx,
    input: Pair & { coordinatorId?: string | undefined },
    start: { agent: StartableAgent; conversationId: string | null; scheduled: boolean; now: Date },
  ): Promise<AgentAction> {
    const runId = newId('run');
    const { agent, now } = start;
    if (!(await new PurposeRepository(tx.db).claimChat({ ...input, runId, now })))
      return { action: 'hold', reason: 'spawn_in_progress' };
    await tx.db
      .insertInto('agentRuns')
      .values({
        id: runId,
        agentId: input.agentId,
        projectId: input.projectId,
        purpose: 'chat',
        conversationId: start.conversationId,
        coordinatorId: input.coordinatorId ?? null,
        provider: agent.provider,
        model: agent.model,
        startedAt: now,
      })
      .execute();
    const ticket = agent.hasCredential ? newSecret() : null;
    if (ticket !== null)
      await tx.db
        .insertInto('launchTickets')
        .values({
          ticketHash: hashToken(ticket),
          runId,
          agentId: input.agentId,
          projectId: input.projectId,
          createdAt: now,
        })
        .execute();
    await appendFacts(tx, [
      { kind: 'run', projectId: input.projectId, ref: { runId, agentId: input.agentId } },
    ]);
    await tellPair(tx, input);
    return {
      action: 'start',
      reason: start.scheduled ? 'scheduled' : 'has_pending_purpose',
      purpose: 'chat',
      conversationId: start.conversationId,
      runId,
      provider: providerSchema.parse(agent.provider),
      model: agent.model,
      baseUrl: agent.baseUrl,
      apiKeyEnv: agent.apiKeyEnv,
      command: agent.command === null ? null : commandSchema.parse(agent.command),
      workingDirectory: agent.workingDirectory,
      workingDirectoryMade: agent.workingDirectoryMade,
      ticket,
    };
  }

  async #agent(tx: Tx, pair: Pair): Promise<StartableAgent | undefined> {
    const { rows } = await sql<StartableAgent>`
      select a.provider, a.model, a.base_url, a.api_key_env, a.command, c.agent_id is not null as has_credential,
        p.working_directory, p.working_directory_made, p.status as project_status,
        (select count(*)::int from tasks t where t.project_id = p.id and t.assignee_id = a.id
          and t.status = 'in_progress' and t.deleted_at is null) as in_progress,
        (select count(*)::int from tasks t where t.project_id = p.id and t.assignee_id = a.id
          and t.status = 'blocked' and t.deleted_at is null) as blocked
      from agents a
      join projects p on p.id = ${pair.projectId} and p.deleted_at is null
      left join agent_credentials c on c.agent_id = a.id
      where a.id = ${pair.agentId} and a.type = 'ai' and a.deleted_at is null`.execute(tx.db);
    return rows[0];
  }
}

interface StartableAgent {
  provider: string;
  model: string | null;
  baseUrl: string | null;
  apiKeyEnv: string | null;
  command: unknown;
  hasCredential: boolean;
  workingDirectory: string;
  workingDirectoryMade: boolean;
  projectStatus: 'active' | 'paused' | 'archived';
  inProgress: number;
  blocked: number;
}

function runLost(): AppError {
  return new AppError('run_lost', 'This run is over for the server. End the process.');
}
