import { sql } from 'kysely';
import { appendFacts } from '../../platform/changes/change-log.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { type ChatTx, chatThreadId, chatTransaction, storeSystemMessage } from '../chat/chat-transaction.ts';
import { failWaiting } from '../chat/delivery/redeliver.ts';
import { conversationsNotWoken } from '../conversations/conversation-sides.ts';
import type { ServiceDeps } from '../deps.ts';
import { endSession } from '../sessions/session-lifecycle.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { tellPair } from '../sessions/tell-pair.ts';
import { decideStartFailure } from '../wake-ups/rules/wake-up-machine.ts';
import { giveUp, startErrorParams } from '../wake-ups/wake-up-expiry.ts';
import { type StartError, WakeUpQueries } from '../wake-ups/wake-up-queries.ts';
import {
  crashBackoffMs,
  decideExitCause,
  type ExitCause,
  type ExitReport,
  isCrash,
  MAX_CRASHES_IN_A_ROW,
} from './rules/run-machine.ts';

export interface RunExit {
  readonly runId: string;
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly error?: string | undefined;
  /** What the Coordinator itself did: it ended the process (its own stop), or could not even start it. */
  readonly cause?: 'finished' | 'crashed' | 'killed' | 'could_not_start' | undefined;
  readonly stderrTail?: string | undefined;
}

interface RunRow {
  id: string;
  projectId: string;
  agentId: string;
  state: string;
  exitCause: string | null;
  stopRequestedAt: Date | null;
  stopReason: string | null;
  pid: number | null;
  signInRefusedAt: Date | null;
}

/**
 * A process is gone. Only what belongs to this run ends with it (trap 8): its session gives back what it held, its
 * started wake-up is tried again, or given up. Idempotent; a run that was given up before refuses: run_lost. Who gives
 * a run up says by `isStillTrue` whether what he saw before still holds, under the locks of the pair and the run.
 */
export async function noteRunExit(
  deps: ServiceDeps,
  exit: RunExit,
  forced?: ExitCause,
  isStillTrue?: (tx: ChatTx) => Promise<boolean>,
): Promise<void> {
  const found = await deps.database.db
    .selectFrom('agentRuns')
    .select(['projectId', 'agentId'])
    .where('id', '=', exit.runId)
    .executeTakeFirst();
  if (!found) throw new AppError('run_not_found', 'There is no such run.');
  await chatTransaction(deps, async (tx) => {
    await new SessionQueries(tx.db).lockPair(found.projectId, found.agentId);
    const run = await lockRun(tx, exit.runId);
    if (run.state === 'exited') {
      if (run.exitCause === 'lost' && forced === undefined)
        throw new AppError(
          'run_lost',
          'This run was given up while its Coordinator was silent. End the process.',
        );
      return;
    }
    if (isStillTrue !== undefined && !(await isStillTrue(tx))) return;
    await settle(deps, tx, run, exit, forced);
  });
}

async function lockRun(tx: ChatTx, runId: string): Promise<RunRow> {
  return tx.db
    .selectFrom('agentRuns')
    .select([
      'id',
      'projectId',
      'agentId',
      'state',
      'exitCause',
      'stopRequestedAt',
      'stopReason',
      'pid',
      'signInRefusedAt',
    ])
    .where('id', '=', runId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

async function settle(
  deps: ServiceDeps,
  tx: ChatTx,
  run: RunRow,
  exit: RunExit,
  forced: ExitCause | undefined,
): Promise<void> {
  const sessions = new SessionQueries(tx.db);
  const open = await sessions.lockOpen(run.projectId, run.agentId);
  const session = open.find((one) => one.runId === run.id) ?? null;
  const now = await tx.now();
  const work = session === null ? null : await sessions.work(session.id);
  const report: ExitReport = {
    exitCode: exit.exitCode,
    signal: exit.signal ?? null,
    error: exit.error ?? null,
    neverBegan: exit.cause === 'could_not_start',
    endedByCoordinator: exit.cause === 'killed',
  };
  const wasEnding = session !== null && session.state === 'terminating';
  const workUndone =
    session === null
      ? await startsStill(tx, run.id)
      : !wasEnding && (work?.held || work?.unread || work?.liveConversation || false);
  const cause =
    forced ??
    decideExitCause(
      { stopRequested: run.stopRequestedAt !== null, processStarted: run.pid !== null, workUndone },
      report,
    );
  await closeRun(tx, run, exit, cause, now);
  const error = toStartError(exit);
  if (session !== null) {
    // It may live on and ask: it is told to go, not that it was idle.
    if (forced !== undefined && session.state === 'active')
      await sessions.setTerminating(session.id, { action: 'exit', reason: 'run_stopped' }, now);
    await endSession(tx, session, isCrash(cause) ? 'crashed' : 'ended', now);
    if (isCrash(cause) && workUndone) await coolDownOrStop(deps, tx, run, { error, cause, now });
  } else await settleStart(deps, tx, run, { error, cause, now });
  await tellPair(tx, run);
}

async function startsStill(tx: ChatTx, runId: string): Promise<boolean> {
  const row = await tx.db
    .selectFrom('pendingAgentPurposes')
    .select('runId')
    .where('runId', '=', runId)
    .executeTakeFirst();
  return row !== undefined;
}

async function closeRun(tx: ChatTx, run: RunRow, exit: RunExit, cause: ExitCause, now: Date): Promise<void> {
  await tx.db
    .updateTable('agentRuns')
    .set({
      state: 'exited',
      endedAt: now,
      exitCause: cause,
      // One that was told to leave and did has the reason of its session.
      stopReason: sql<string | null>`coalesce(stop_reason, (select s.exit_reason from agent_sessions s
        where s.run_id = ${run.id} order by s.created_at desc limit 1))`,
      exitCode: exit.exitCode,
      signal: exit.signal ?? null,
      error: exit.error ?? null,
      stderrTail: exit.stderrTail ?? null,
    })
    .where('id', '=', run.id)
    .where('state', '<>', 'exited')
    .execute();
  await tx.db
    .updateTable('launchTickets')
    .set({ revokedAt: now })
    .where('runId', '=', run.id)
    .where('revokedAt', 'is', null)
    .execute();
  await appendFacts(tx, [
    { kind: 'run', projectId: run.projectId, ref: { runId: run.id, agentId: run.agentId } },
  ]);
}

/** The process ended before it signed in: again after 1 s and 2 s, then the row goes at once with its error. */
async function settleStart(
  deps: ServiceDeps,
  tx: ChatTx,
  run: RunRow,
  why: { error: StartError; cause: ExitCause; now: Date },
): Promise<void> {
  const purposes = new WakeUpQueries(tx.db);
  const row = await purposes.lockChat(run);
  if (!row || row.runId !== run.id) return;
  // A refused sign-in leaves the row to its TTL (UC010); the page says so at once.
  if (run.signInRefusedAt !== null || (await hadNothingToSignInWith(tx, run, why)))
    return purposes.setLastError({ ...row, error: why.error });
  if (!isCrash(why.cause)) {
    await purposes.setStartFailed({
      ...row,
      failedStarts: row.failedStarts,
      notBefore: why.now,
      error: why.error,
    });
    return;
  }
  const decision = decideStartFailure(row, why.now);
  if (decision.retry) return purposes.setStartFailed({ ...row, ...decision, error: why.error });
  const couldNotStart = why.cause === 'could_not_start';
  await giveUp(tx, deps, row, {
    code: couldNotStart ? 'could_not_start' : 'agent_gave_up',
    params: { ...startErrorParams(why.error), count: row.failedStarts + 1 },
    now: why.now,
  });
}

/** An agent without credential gets no ticket: whatever it ended with, another start would end the same. */
async function hadNothingToSignInWith(
  tx: ChatTx,
  run: RunRow,
  why: { cause: ExitCause; now: Date },
): Promise<boolean> {
  if (why.cause !== 'crashed') return false;
  const { numUpdatedRows } = await tx.db
    .updateTable('agentRuns as r')
    .set({ signInRefusedAt: why.now })
    .where('r.id', '=', run.id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('launchTickets as t').select('t.runId').whereRef('t.runId', '=', 'r.id'))),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * A crash with people waiting: the next start waits 1 … 60 s; the third in a row stops and says so, also when the
 * message that it crashed over is failed by now and nothing would be started for it.
 */
async function coolDownOrStop(
  deps: ServiceDeps,
  tx: ChatTx,
  run: RunRow,
  why: { error: StartError; cause: ExitCause; now: Date },
): Promise<void> {
  const purposes = new WakeUpQueries(tx.db);
  const row = await purposes.lockChat(run);
  const crashes = await crashesInARow(tx.db, run);
  if (crashes < MAX_CRASHES_IN_A_ROW) {
    const notBefore = new Date(why.now.getTime() + crashBackoffMs(crashes));
    await tx.db
      .updateTable('pendingAgentPurposes')
      .set({ notBefore, lastError: JSON.stringify(why.error) })
      .where('projectId', '=', run.projectId)
      .where('agentId', '=', run.agentId)
      .where('purpose', '=', 'chat')
      .execute();
    return;
  }
  if (row) await purposes.remove({ ...row, outcome: 'expired', now: why.now });
  const params = { ...startErrorParams(why.error), count: crashes };
  await failWaiting(tx, run, 'agent_crashed', params, why.now);
  await conversationsNotWoken(tx, run, why.now);
  await storeSystemMessage(tx, deps, {
    projectId: run.projectId,
    agentId: run.agentId,
    code: 'agent_gave_up',
    params,
    visible: true,
  });
}

/**
 * Crashes since the agent last answered anything here, and since the system last said something in its chat; our own
 * stops and lost hosts do not count. The moment of each is one step into an index.
 */
export async function crashesInARow(
  db: Queryable,
  run: { readonly projectId: string; readonly agentId: string },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from agent_runs r
    where r.agent_id = ${run.agentId} and r.project_id = ${run.projectId}
      and r.exit_cause in ('crashed', 'could_not_start')
      and r.ended_at > coalesce((select m.answered_at from chat_messages m
        where m.deliver_to = ${run.agentId} and m.project_id = ${run.projectId} and m.state = 'answered'
        order by m.answered_at desc limit 1), '-infinity')
      and r.ended_at > coalesce((select m.created_at from chat_messages m
        where m.thread_id = ${chatThreadId(run.projectId, run.agentId)} and m.visible and m.sender = 'system'
        order by m.seq desc limit 1), '-infinity')`.execute(db);
  return rows[0]?.count ?? 0;
}

function toStartError(exit: RunExit): StartError {
  const lastLine = exit.stderrTail?.trimEnd().split('\n').at(-1)?.slice(0, 500) ?? null;
  return { error: exit.error ?? null, exitCode: exit.exitCode, signal: exit.signal ?? null, lastLine };
}
