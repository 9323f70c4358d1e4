import { sql } from 'kysely';
import { z } from 'zod';
import type { Queryable } from '../../platform/db/database.ts';
import { type WorkKey, workKeyOf } from '../rules/work-key.ts';
import { EXIT_CAUSES } from '../runs/rules/run-machine.ts';
import type { EarlierRun } from './rules/take-over.ts';

const causeSchema = z.enum(EXIT_CAUSES).nullable();

/** The last run for this work before the run `runId`. */
export async function findEarlierRun(
  db: Queryable,
  work: WorkKey,
  runId: string,
): Promise<(Omit<EarlierRun, 'hasLeftWork'> & { readonly id: string }) | undefined> {
  const run = await db
    .selectFrom('agentRuns')
    .select(['id', 'exitCause', 'stopRequestedAt', 'stopReason'])
    .where((eb) => eb.and(workKeyOf(work)))
    .where('id', '<>', runId)
    .orderBy('startedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (run === undefined) return undefined;
  const exitCause = causeSchema.parse(run.exitCause);
  // A run that was given up is asked for its end, too, with its cause as the reason.
  const wasAskedToEnd = run.stopRequestedAt !== null && run.stopReason !== exitCause;
  return { id: run.id, exitCause, wasAskedToEnd, wasForTask: work.purpose === 'task' };
}

/** Whether a message that an earlier session held waits for this agent; a task is begun only while it is to be done. */
export async function hasLeftWork(db: Queryable, { agentId, projectId, purpose }: WorkKey): Promise<boolean> {
  if (purpose === 'task') return true;
  const { rows } = await sql`select from chat_messages m where m.deliver_to = ${agentId}
    and m.project_id = ${projectId} and m.state = 'stored' and m.redelivered limit 1`.execute(db);
  return rows.length > 0;
}

/** What was seen in it counts on; what a Coordinator said about an order is over. */
export async function giveWorktree(db: Queryable, from: string, to: string): Promise<void> {
  await db
    .updateTable('worktrees')
    .set({ runId: to, state: 'created', fault: null, reason: null, conflict: null })
    .where('runId', '=', from)
    .execute();
}
