import { sql } from 'kysely';
import { appendFacts } from '../../platform/changes/change-log.ts';
import { AppError } from '../../platform/errors.ts';
import { chatTransaction, lastWord, storeSystemMessage } from '../chat/chat-transaction.ts';
import type { ServiceDeps } from '../deps.ts';
import { noteRunExit, type RunExit } from '../runs/run-exit.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { tellPair } from '../sessions/tell-pair.ts';
import { seemsToHaveAPlace } from '../wake-ups/places.ts';
import { type AgentAction, type StartInput, takeStart } from '../wake-ups/take-start.ts';
import { WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import { noteBeat } from './coordinator-beat.ts';
import { type CoordinatorBeat, requireHolder } from './coordinator-holder.ts';

/** A beat is followed by its question for work at once. */
const STILL_LISTED_MS = 2_000;

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
  beat(beat: CoordinatorBeat): Promise<void> {
    return noteBeat(this.#deps, beat);
  }

  /**
   * A sign of life only: a list of runs that was true when a held call began must not judge, when it ends, the
   * runs that were started meanwhile.
   */
  async seen(beat: CoordinatorBeat): Promise<void> {
    const { database } = this.#deps;
    await database.db
      .updateTable('coordinators')
      .set({ lastSeenAt: await database.now(), silentSince: null })
      .where('id', '=', beat.coordinatorId)
      // Another one may have taken the id over meanwhile.
      .where('host', '=', beat.host)
      .where('bootId', '=', beat.bootId)
      .where('instanceId', 'is not distinct from', beat.instanceId ?? null)
      .execute();
  }

  /** What this Coordinator can do now. Pairs are hints: getAgentAction decides. */
  async work(coordinatorId: string): Promise<{ pairs: Pair[]; stop: { runId: string; reason: string }[] }> {
    const { db } = this.#deps.database;
    // A full Coordinator has heard `capacity` of what is held: told again at once it would ask without end.
    const now = await this.#deps.database.now();
    const listedSince = new Date(now.getTime() - STILL_LISTED_MS);
    const withQueue = await seemsToHaveAPlace(db, coordinatorId, now);
    const [pairs, stop] = await Promise.all([
      new WakeUpQueries(db).startablePairs(now, { withQueue }),
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

  /** Takes a start, or says why not. */
  getAgentAction(input: StartInput): Promise<AgentAction> {
    return takeStart(this.#deps, input);
  }

  /** The process lives. Refused with run_lost when the run was given up meanwhile, or is another's. Idempotent. */
  async reportProcessStarted(input: {
    runId: string;
    coordinatorId: string;
    host: string;
    bootId: string;
    pid: number;
    startTicks: number;
    instanceId?: string | undefined;
  }): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const run = await tx.db
        .selectFrom('agentRuns')
        .select(['projectId', 'agentId', 'state', 'exitCause', 'coordinatorId'])
        .where('id', '=', input.runId)
        .forUpdate()
        .executeTakeFirst();
      if (!run) throw new AppError('run_not_found', 'There is no such run.');
      if (run.state === 'exited') throw runLost();
      if (run.coordinatorId !== null && run.coordinatorId !== input.coordinatorId) throw runLost();
      await requireHolder(tx, input);
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

  reportProcessExit(exit: RunExit): Promise<void> {
    return noteRunExit(this.#deps, exit);
  }

  /** Something went wrong around an agent that is no exit of a run: said in its chat, the same thing once. */
  async reportAgentError(input: Pair & { error: string }): Promise<void> {
    const member = await this.#deps.database.db
      .selectFrom('projectAgents as pa')
      .innerJoin('agents as a', 'a.id', 'pa.agentId')
      .select('a.type')
      .where('pa.projectId', '=', input.projectId)
      .where('pa.agentId', '=', input.agentId)
      .executeTakeFirst();
    if (!member) throw new AppError('agent_not_in_project', 'This agent is not a member of the project.');
    if (member.type === 'human') throw new AppError('agent_is_human', 'This is a person, not an agent.');
    const error = input.error.slice(0, 500);
    await chatTransaction(this.#deps, async (tx) => {
      await new SessionQueries(tx.db).lockPair(input.projectId, input.agentId);
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
}

function runLost(): AppError {
  return new AppError('run_lost', 'This run is over for the server. End the process.');
}
