import type { ListRunsQuery, Run, RunLogQuery, RunPage } from '../../contract/run.ts';
import { AppError } from '../../platform/errors.ts';
import { runError } from '../../platform/texts/run-texts.ts';
import { type Person, requireMember, requireWriter } from '../access/person.ts';
import { failWaiting } from '../chat/delivery/redeliver-messages.ts';
import { partFromConversations } from '../conversations/conversation-sides.ts';
import type { ServiceDeps } from '../deps.ts';
import { notifyMembership } from '../sessions/notify-membership.ts';
import { terminateSessions } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { stopTask } from '../task-work/block-task.ts';
import { WakeUpQueries, type WakeUpRecord } from '../wake-ups/wake-up-queries.ts';
import { type RunLogPart, readRunLog } from './read-run-log.ts';
import { RunQueries, type RunRecord } from './run-queries.ts';
import { requestRunStop } from './run-stop.ts';
import { findVisibleRun } from './visible-run.ts';

/** The processes of agents as people see them: listed, read, stopped. */
export class RunService {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  async list(person: Person, projectId: string, query: ListRunsQuery): Promise<RunPage> {
    await requireMember(this.#deps.database.db, person, projectId);
    const { agentId, state: states, changes } = query;
    const { rows, nextCursor } = await new RunQueries(this.#deps.database.db).list(
      { projectId, agentId, states, isUndecided: changes !== undefined },
      query,
    );
    return { runs: rows.map((row) => this.#toView(row)), nextCursor };
  }

  async get(person: Person, runId: string): Promise<Run> {
    return this.#toView(await findVisibleRun(this.#deps.database.db, person, runId));
  }

  /** The output of the process, as far as it is on this host. */
  async log(person: Person, runId: string, query: RunLogQuery): Promise<RunLogPart> {
    const run = await findVisibleRun(this.#deps.database.db, person, runId);
    const part = await readRunLog(this.#deps.config.home, run.id, query);
    if (part === null) throw logNotFound(run);
    return part;
  }

  /**
   * A person ends the process. The messages that it was to answer fail with Retry, its session or its waiting
   * start ends, all in one transaction, so nothing starts by itself. Idempotent; a run that has ended does
   * not change.
   */
  async stop(person: Person, runId: string): Promise<void> {
    const found = await findVisibleRun(this.#deps.database.db, person, runId);
    requireWriter(person);
    await this.#deps.database.transaction(async (tx) => {
      const sessions = new SessionQueries(tx.db);
      const wakeUps = new WakeUpQueries(tx.db);
      await sessions.lockMembership(found.projectId, found.agentId);
      const row = await wakeUps.lock(found);
      const open = await sessions.lockOpen(found.projectId, found.agentId);
      const now = await tx.now();
      if (!(await requestRunStop(tx, runId, 'stopped_by_person', now))) return;
      const own = open.filter((session) => session.runId === runId);
      if (takesWorkAlong(runId, own, row)) {
        if (found.purpose === 'chat') await failWaiting(tx, found, 'stopped_by_person', {}, now);
        await partFromConversations(tx, found, { now, of: { purpose: found.purpose, sessions: own } });
        if (row !== null) await wakeUps.remove({ ...row, outcome: 'expired', now });
      }
      await terminateSessions(tx, own, 'run_stopped', now);
      if (found.purpose === 'task') await stopTask(tx, found, { personId: person.id, now });
      await notifyMembership(tx, found);
    });
  }

  #toView(run: RunRecord): Run {
    // Of some Coordinators only the text is known.
    const error = runError(this.#deps.config.locale, { ...run, reason: run.reason ?? undefined });
    return {
      id: run.id,
      agentId: run.agentId,
      projectId: run.projectId,
      purpose: run.purpose,
      ...(run.taskId !== '' && { taskId: run.taskId }),
      coordinatorId: run.coordinatorId,
      ...(run.host !== null && { host: run.host }),
      ...placeOf(run),
      provider: run.provider,
      ...(run.model !== null && { model: run.model }),
      pid: run.pid,
      state: run.state,
      startedAt: run.startedAt.toISOString(),
      ...(run.endedAt !== null && { endedAt: run.endedAt.toISOString() }),
      ...(run.exitCause !== null && { exitCause: run.exitCause }),
      ...(run.exitCode !== null && { exitCode: run.exitCode }),
      ...(run.signal !== null && { signal: run.signal }),
      ...(run.stopReason !== null && { stopReason: run.stopReason }),
      ...(error !== null && { error }),
      ...reasonFor(run, error),
      ...(run.stderrTail !== null && { stderrTail: run.stderrTail }),
      ...(run.waitsForAgentId !== null && { waitsForAgentId: run.waitsForAgentId }),
      ...(run.changes !== null && { changes: run.changes }),
    };
  }
}

/** Nothing beside an error of which only the text is known. */
function reasonFor({ error: own, reason }: RunRecord, error: string | null): Pick<Run, 'reason'> {
  if (error === null) return {};
  if (own === null) return { reason: null };
  return reason === null ? {} : { reason };
}

/** Where it lives, and what it needs; of one that is over, what it needed at most. */
function placeOf({ executor, node, image, limits, memoryMb, memoryMostMb, state }: RunRecord) {
  const isNowKnown = memoryMb !== null && state !== 'exited';
  return {
    ...(executor !== null && { executor }),
    ...(node !== null && { node }),
    ...(image !== null && { image }),
    ...(limits !== null && { limits }),
    ...(memoryMostMb !== null && {
      memory: { ...(isNowKnown && { nowMb: memoryMb }), mostMb: memoryMostMb },
    }),
  };
}

/**
 * Whether the waiting messages of its work wait for this run; a session that is ending already may have a
 * next start behind it.
 */
function takesWorkAlong(runId: string, own: readonly SessionRecord[], row: WakeUpRecord | null): boolean {
  if (row?.runId === runId) return true;
  return own.some(({ state }) => state === 'active' || row === null);
}

function logNotFound(run: RunRecord): AppError {
  const where = run.host ?? run.coordinatorId;
  return new AppError(
    'run_log_not_found',
    where === null
      ? 'This run has written no log.'
      : `No log of this run is on this host. Its Coordinator runs on ${where}: look there for logs/runs/${run.id}.log in its AIZUCHI_HOME, unless the run wrote nothing or the log was removed.`,
    { details: { host: where } },
  );
}
