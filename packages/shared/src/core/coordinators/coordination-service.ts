import type { Reason } from '../../contract/reason.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import { valueOfClock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { reasonParams } from '../../platform/texts/system-texts.ts';
import { chatTransaction, storeSystemMessage } from '../chat/chat-transaction.ts';
import { lastSystemParams } from '../chat/thread-queries.ts';
import type { ServiceDeps } from '../deps.ts';
import { beginningOf } from '../rules/storable-text.ts';
import type { MembershipKey } from '../rules/work-key.ts';
import { noteRunExit, type RunExit } from '../runs/run-exit.ts';
import { lockStartedRun, type RunProcess, runsToStop, setProcess } from '../runs/run-process-queries.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { hasPlace } from '../wake-ups/place-queries.ts';
import { startableMemberships } from '../wake-ups/start-queue-queries.ts';
import { type AgentAction, type StartInput, takeStart } from '../wake-ups/take-start.ts';
import { type ChangesReport, reportChanges } from '../worktrees/report-changes.ts';
import type { WorktreeOrder } from '../worktrees/rules/worktree-machine.ts';
import { ordersOf } from '../worktrees/worktree-queries.ts';
import { isAnythingToDo, touchCoordinator } from './beat-queries.ts';
import { type CoordinatorBeat, noteBeat } from './coordinator-beat.ts';
import { requireHolder } from './coordinator-holder.ts';
import { activeProjects, findMember } from './coordinator-queries.ts';
import { RestingBeats } from './resting-beats.ts';

/** A request for work follows a beat at once. */
const STILL_LISTED_MS = 2_000;

/** The requests and reports of Coordinators. Each start is given to exactly one of them. */
export class CoordinationService {
  readonly #deps: ServiceDeps;
  readonly #resting: RestingBeats;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#resting = new RestingBeats(deps.clock);
  }

  listActiveProjectsWithAgents(): Promise<
    { projectId: string; name: string; workingDirectory: string; agents: string[] }[]
  > {
    return activeProjects(this.#deps.database.db);
  }

  /**
   * A beat with the runs that live there; a run that should be in the list and is not is lost. `isAtRest`: it said nothing
   * new, and has no runs, so nothing has changed by it.
   */
  async beat(beat: CoordinatorBeat): Promise<{ isAtRest: boolean }> {
    return { isAtRest: this.#resting.take(beat) || (await noteBeat(this.#deps, beat)) };
  }

  /**
   * A beat without the runs: the list of a held call is as old as its begin, and must not decide at its end
   * about runs that were started meanwhile. Returns whether a person waits for a look at the programs of the host,
   * whether there may be work now, and the time of the database.
   */
  async seen(
    beat: CoordinatorBeat,
  ): Promise<{ lookForPrograms: boolean; hasWork: boolean; at: Date | undefined }> {
    const { database, clock } = this.#deps;
    const at = valueOfClock(clock);
    const seen = await touchCoordinator(database, beat, { at, listedSince: this.#lately() });
    this.#resting.note(beat, seen?.isAtRest === true && beat.running.length === 0);
    return {
      lookForPrograms: seen?.isAsked === true,
      hasWork: seen?.hasWork !== false,
      at: seen?.at,
    };
  }

  /** What this Coordinator can do now. Memberships are hints: getAgentAction decides. */
  async work(coordinatorId: string): Promise<{
    pairs: MembershipKey[];
    stop: { runId: string; reason: string }[];
    changes: { runId: string; madeFor: string; order: WorktreeOrder; number: number }[];
  }> {
    const { db } = this.#deps.database;
    if (!(await isAnythingToDo(this.#deps.database, coordinatorId, this.#lately())))
      return { pairs: [], stop: [], changes: [] };
    const now = await this.#deps.database.now();
    const listedSince = new Date(now.getTime() - STILL_LISTED_MS);
    // A full Coordinator has been told of `capacity` memberships that wait: if it were told again at once, it
    // would call without end.
    const withQueue = await hasPlace(db, coordinatorId, now);
    const [pairs, stop, changes] = await Promise.all([
      startableMemberships(db, now, { coordinatorId, withQueue }),
      runsToStop(db, coordinatorId, listedSince),
      ordersOf(db, coordinatorId),
    ]);
    return {
      pairs,
      changes,
      stop: stop.map((run) => ({ runId: run.runId, reason: run.stopReason ?? 'run_stopped' })),
    };
  }

  /** By the clock of this process: a minute is much longer than a check takes, and than clocks differ. */
  #lately(): Date {
    return new Date(this.#deps.clock.now().getTime() - 60_000);
  }

  /** Takes a start, or returns the reason why there is none. */
  getAgentAction(input: StartInput): Promise<AgentAction> {
    return takeStart(this.#deps, input);
  }

  /**
   * Reports that the process lives. Refused with run_lost when the run was given up meanwhile, or belongs to
   * another Coordinator. Idempotent.
   */
  async reportProcessStarted(
    input: RunProcess & { runId: string; coordinatorId: string; instanceId?: string | undefined },
  ): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const run = await lockStartedRun(tx.db, input.runId);
      if (!run) throw new AppError('run_not_found', 'There is no such run.');
      if (run.state === 'exited') throw runLost();
      if (run.coordinatorId !== null && run.coordinatorId !== input.coordinatorId) throw runLost();
      await requireHolder(tx.db, input);
      await setProcess(tx.db, input.runId, input);
      await appendChangeEvents(tx, [
        { kind: 'run', projectId: run.projectId, ref: { runId: input.runId, agentId: run.agentId } },
      ]);
      await notifyMembership(tx, run);
    });
  }

  /** What is in the worktree of a run, or what became of an order about it. */
  reportChanges(report: ChangesReport): Promise<void> {
    return reportChanges(this.#deps, report);
  }

  /** Refused with run_lost or coordinator_id_taken when the run or the id belongs to another Coordinator. */
  async reportProcessExit(exit: RunExit & { readonly instanceId?: string | undefined }): Promise<void> {
    await requireHolder(this.#deps.database.db, exit);
    return noteRunExit(this.#deps, exit, exit.cause === 'lost' ? 'lost' : undefined);
  }

  /**
   * A failure around an agent that is not an exit of a run: reported in its chat, the same failure once only.
   */
  async reportAgentError(
    input: MembershipKey & { error: string; reason?: Reason | undefined },
  ): Promise<void> {
    const member = await findMember(this.#deps.database.db, input);
    if (!member) throw new AppError('agent_not_in_project', 'This agent is not a member of the project.');
    if (member.type === 'human') throw new AppError('agent_is_human', 'This is a person, not an agent.');
    const error = beginningOf(input.error, 500);
    await chatTransaction(this.#deps, async (tx) => {
      await new SessionQueries(tx.db).lockMembership(input.projectId, input.agentId);
      if ((await lastSystemParams(tx.db, input))?.error === error) return;
      const { projectId, agentId } = input;
      await storeSystemMessage(tx, this.#deps, {
        projectId,
        agentId,
        code: 'agent_error',
        params: { error, ...reasonParams(input.reason) },
        visible: true,
      });
    });
  }
}

function runLost(): AppError {
  return new AppError('run_lost', 'This run is over for the server. End the process.');
}
