import { textSchema } from '../../contract/ids.ts';
import {
  MAX_CONTEXT_LENGTH,
  MAX_SUMMARY_LENGTH,
  MY_TASK_LIMITS,
  type ReportResult,
} from '../../contract/tools/task-tools.ts';
import type { Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { requireOpen } from '../chat/delivery/agent-input.ts';
import { byteQuota, countTextIfRoom, quotaReached } from '../chat/quota/byte-quota.ts';
import type { ServiceDeps } from '../deps.ts';
import { takeFolder } from '../folders/folder-waits.ts';
import { type CallKey, keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { noteActivityOfActive } from '../sessions/activity-queries.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { type Attempt, endedAttempts, newestAttemptOf, ownReport } from '../task-work/attempt-queries.ts';
import { noteTaskOffered } from '../task-work/work-queries.ts';
import {
  type ContextNote,
  contextNotes,
  insertContextNote,
  type TaskBefore,
  type TaskRemark,
  taskRemarks,
  tasksBefore,
} from './agent-work-queries.ts';
import { handIn, lockForHandIn } from './hand-in.ts';
import type { TaskStatus } from './rules/task-status.ts';
import { storeComment } from './store-comment.ts';
import { TaskQueries, type TaskRow } from './task-queries.ts';
import { orMissing, takenAway } from './task-writes.ts';

/** The task of a session, with all that its agent needs to begin or to go on. */
export interface MyTask {
  readonly task: TaskRow;
  readonly attempt: number;
  readonly notes: readonly ContextNote[];
  readonly comments: readonly TaskRemark[];
  readonly attempts: readonly Attempt[];
  readonly dependencies: readonly TaskBefore[];
}

const contextSchema = textSchema(1, MAX_CONTEXT_LENGTH);
const summarySchema = textSchema(1, MAX_SUMMARY_LENGTH);

const STATUS_OF = {
  done: 'done',
  success: 'done',
  completed: 'done',
  blocked: 'blocked',
  failed: 'blocked',
} as const satisfies Record<ReportResult, TaskStatus>;

/** What the session of a task does with its task. No other session may. */
export class AgentWork {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /**
   * The session is about to be told its task; `repeat`: it was before, and has not acknowledged it. Undefined: another agent
   * has begun to work in the folder that they share.
   */
  async offer(caller: AgentCaller): Promise<{ repeat: boolean } | undefined> {
    const { database, clock } = this.#deps;
    const { sessionId } = caller;
    const now = clock.now();
    return database.transaction(async (tx) => {
      if (caller.sharesFolder && !(await takeFolder(tx, { id: sessionId, ...caller }, now))) return undefined;
      return { repeat: await noteTaskOffered(tx.db, sessionId, now) };
    });
  }

  /** @throws AppError not_a_task_session, task_not_found */
  async get(caller: AgentCaller): Promise<MyTask> {
    const taskId = taskOf(caller);
    const { db } = this.#deps.database;
    const task = orMissing(await new TaskQueries(db).find(taskId));
    const attempts = await endedAttempts(db, taskId, MY_TASK_LIMITS.attempts);
    return {
      task,
      attempt: (await newestAttemptOf(db, caller)) ?? 0,
      notes: await contextNotes(db, taskId, MY_TASK_LIMITS.context),
      comments: await taskRemarks(db, taskId, MY_TASK_LIMITS.comments),
      attempts,
      dependencies: await tasksBefore(db, taskId),
    };
  }

  /** Also of a session that was told to stop: the next attempt goes on from there. */
  async saveContext(
    caller: AgentCaller,
    { text, idempotencyKey: key }: { text: string; idempotencyKey?: string | undefined },
  ): Promise<void> {
    const taskId = taskOf(caller);
    const note = parsed(contextSchema, text, 'text');
    const quota = await byteQuota(this.#deps);
    await this.#deps.database.transaction(async (tx) => {
      requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
      const call: CallKey = { tool: 'save_context', key };
      if ((await keptResult(tx.db, caller, call)) !== null) return;
      await this.#count(tx, caller, note, quota);
      const now = await tx.now();
      const attempt = (await newestAttemptOf(tx.db, caller)) ?? null;
      await insertContextNote(tx.db, { taskId, agentId: caller.agentId, attempt, text: note, now });
      await noteActivityOfActive(tx.db, caller.sessionId, now);
      await keepResult(tx, caller, call, { taskId });
    });
  }

  /**
   * The end of the work: the attempt with its summary, a comment, the status, and the tasks that begin by it, all or
   * nothing.
   * A session reports once; the same result again is answered as the first, and adds nothing.
   * @throws AppError not_a_task_session; task_not_in_progress: somebody has taken the task away, or it is reported otherwise.
   */
  async report(
    caller: AgentCaller,
    input: { result: ReportResult; summary: string; idempotencyKey?: string | undefined },
  ): Promise<TaskRow> {
    const taskId = taskOf(caller);
    const summary = parsed(summarySchema, input.summary, 'summary');
    const call: CallKey = { tool: 'report_completed', key: input.idempotencyKey };
    const quota = await byteQuota(this.#deps);
    return this.#deps.database.transaction(async (tx) => {
      const queries = new TaskQueries(tx.db);
      const found = orMissing(await queries.find(taskId));
      const reviewer = await lockForHandIn(tx, found, [caller.agentId]);
      const session = requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
      if ((await keptResult(tx.db, caller, call)) !== null) return orMissing(await queries.find(taskId));
      const task = await queries.lock(taskId);
      const own = await ownReport(tx.db, { ...caller, runId: session.runId });
      // Its first call has arrived, and the response to it perhaps has not.
      if (own !== undefined) {
        if (own !== STATUS_OF[input.result]) throw reportedAlready(own);
        return orMissing(task);
      }
      if (session.state !== 'active' || task?.status !== 'in_progress' || task.assigneeId !== caller.agentId)
        throw takenAway();
      await this.#count(tx, caller, summary, quota);
      const now = await tx.now();
      const reported = STATUS_OF[input.result];
      const { version } = task;
      await handIn(tx, this.#deps, { caller, task, reviewer, reported, version, summary, now });
      const { projectId, agentId: authorId } = caller;
      await storeComment(tx, { projectId, taskId, authorId, body: summary, now });
      await keepResult(tx, caller, call, { taskId });
      return orMissing(await queries.find(taskId));
    });
  }

  async #count(tx: Tx, caller: AgentCaller, text: string, quota: number): Promise<void> {
    if (!(await countTextIfRoom(this.#deps, tx, caller, { text, quota })))
      throw quotaReached(this.#deps, caller, { quota });
  }
}

function reportedAlready(reported: 'done' | 'blocked'): AppError {
  return new AppError(
    'task_not_in_progress',
    `You have reported this task already, and your work on it has ended as ${reported}. Call get_next_action.`,
  );
}

/** @throws AppError not_a_task_session */
function taskOf({ purpose, taskId }: AgentCaller): string {
  if (purpose === 'task') return taskId;
  throw new AppError(
    'not_a_task_session',
    'This session is for the chat. Only a session that was started for a task works on it: get_task reads a task, update_task_status moves it.',
  );
}

function parsed(schema: ReturnType<typeof textSchema>, text: string, name: string): string {
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new AppError('invalid_input', `${name}: ${result.error.issues[0]?.message ?? 'not a text'}.`);
}
