import type { CreateTaskBody, TaskStatus } from '../../contract/task.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { requireOpen } from '../chat/delivery/agent-input.ts';
import { byteQuota, countTextIfRoom, quotaReached } from '../chat/quota/byte-quota.ts';
import { chainOfSession } from '../conversations/chain-queries.ts';
import { startInChain } from '../conversations/start-in-chain.ts';
import type { ServiceDeps } from '../deps.ts';
import { type CallKey, keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { noteActivityOfActive } from '../sessions/activity-queries.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import type { SessionRecord } from '../sessions/session-record.ts';
import { handIn, lockForHandIn } from './hand-in.ts';
import { lockForChange } from './lock-task.ts';
import type { Reviewer } from './review-queries.ts';
import { isOthersReview } from './rules/review.ts';
import { storeComment } from './store-comment.ts';
import { taskFact } from './task-fact.ts';
import { TaskQueries, type TaskRow } from './task-queries.ts';
import {
  changeTask,
  orMissing,
  requireAssignable,
  storeTask,
  type TaskActor,
  takenAway,
  taskNotFound,
} from './task-writes.ts';

export interface AgentNewTask extends Omit<CreateTaskBody, 'id'> {
  readonly idempotencyKey?: string | undefined;
}

export interface AgentTaskMove {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** The version that the agent has seen; without it the stored one is moved. */
  readonly version?: number | undefined;
  /** What is written on the task with it. */
  readonly comment?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

interface TaskCall {
  readonly caller: AgentCaller;
  readonly call: CallKey;
  /** Without an id it is made. */
  readonly changed: {
    readonly projectId: string;
    readonly id?: string;
    readonly assigneeId?: string | undefined;
  };
  /** The agent says that it is done. */
  readonly isDone?: boolean;
}

interface Locked {
  readonly session: SessionRecord;
  /** Of a task that an agent says is done. */
  readonly reviewer: Reviewer | undefined;
}

/** What agents do with the tasks of their project. Tasks of other projects are not there for them. */
export class AgentTasks {
  readonly #deps: ServiceDeps;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  async get(caller: AgentCaller, taskId: string): Promise<TaskRow> {
    return ofProject(caller, await new TaskQueries(this.#deps.database.db).find(taskId));
  }

  /** Its text counts in the byte quota of the agent. */
  async create(caller: AgentCaller, { idempotencyKey: key, ...body }: AgentNewTask): Promise<TaskRow> {
    const { projectId, agentId } = caller;
    const quota = await byteQuota(this.#deps);
    const changed = { projectId, assigneeId: body.assigneeId };
    return this.#once({ caller, call: { tool: 'create_task', key }, changed }, async (tx) => {
      const text = body.title + (body.description ?? '');
      if (!(await countTextIfRoom(this.#deps, tx, caller, { text, quota })))
        throw quotaReached(this.#deps, caller, { quota });
      const { status = 'backlog', dependsOn = [], assigneeId } = body;
      const by = await this.#actor(tx, caller, beginsAs(status, { dependsOn, assigneeId }));
      return storeTask(tx, { projectId, by: { ...by, id: agentId }, body, now: await tx.now() });
    });
  }

  /**
   * A task that has this status already stays as it is. One that is done is looked at first, in a project with a
   * reviewer, whichever agent says so, and of whichever task. The text of the comment counts in the byte quota.
   */
  async move(caller: AgentCaller, { taskId, status, version, ...move }: AgentTaskMove): Promise<TaskRow> {
    const call: CallKey = { tool: 'update_task_status', key: move.idempotencyKey };
    const found = ofProject(caller, await new TaskQueries(this.#deps.database.db).find(taskId));
    const quota = await byteQuota(this.#deps);
    const isDone = status === 'done';
    return this.#once({ caller, call, changed: found, isDone }, async (tx, { session, reviewer }) => {
      const queries = new TaskQueries(tx.db);
      const task = ofProject(caller, await queries.lock(taskId));
      const now = await tx.now();
      const { agentId } = caller;
      const isReviewed = isDone && isOthersReview(task, { agentId, reviewerId: reviewer?.id ?? null });
      const moves = task.status !== status && !isReviewed;
      if (moves) {
        if (caller.taskId === taskId && session.state !== 'active') throw takenAway();
        const seen = version ?? task.version;
        if (isDone && task.status === 'in_progress')
          await handIn(tx, this.#deps, { caller, task, reviewer, reported: 'done', version: seen, now });
        else
          await changeTask(
            tx,
            task,
            { version: seen, status },
            now,
            await this.#actor(tx, caller, beginsAs(status, task)),
          );
      }
      if (move.comment !== undefined) {
        await this.#comment(tx, caller, { taskId, body: move.comment, quota, now });
        if (!moves) await appendChangeEvents(tx, [taskFact(task.projectId, taskId)]);
      }
      return orMissing(await queries.find(taskId));
    });
  }

  async #comment(
    tx: Tx,
    caller: AgentCaller,
    { quota, ...comment }: { taskId: string; body: string; quota: number; now: Date },
  ): Promise<void> {
    if (!(await countTextIfRoom(this.#deps, tx, caller, { text: comment.body, quota })))
      throw quotaReached(this.#deps, caller, { quota });
    await storeComment(tx, { ...comment, projectId: caller.projectId, authorId: caller.agentId });
    await noteActivityOfActive(tx.db, caller.sessionId, comment.now);
  }

  /** `begins`: a task of an agent may be started by it, now or later, which counts in the limit of its chain. */
  async #actor(tx: Tx, caller: AgentCaller, begins: boolean): Promise<TaskActor> {
    const chainId = begins
      ? await startInChain(tx, this.#deps, caller)
      : await chainOfSession(tx.db, caller.sessionId);
    return { id: caller.agentId, personId: null, chainId };
  }

  /** The same call, sent twice: the lock of the session orders them, and the second gets the task of the first. */
  #once(
    { caller, call, changed, isDone = false }: TaskCall,
    write: (tx: Tx, found: Locked) => Promise<TaskRow>,
  ): Promise<TaskRow> {
    return this.#deps.database.transaction(async (tx) => {
      const { agentId } = caller;
      const isMade = changed.id === undefined;
      const reviewer =
        isDone && !isMade
          ? await lockForHandIn(tx, { ...changed, id: changed.id }, [agentId])
          : await lockForChange(tx, changed, [agentId]).then(() => undefined);
      if (isMade && changed.assigneeId) await requireAssignable(tx.db, caller.projectId, changed.assigneeId);
      const session = requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
      const first = await keptResult(tx.db, caller, call);
      if (first?.taskId !== undefined) return orMissing(await new TaskQueries(tx.db).find(first.taskId));
      const task = await write(tx, { session, reviewer });
      await keepResult(tx, caller, call, { taskId: task.id });
      return task;
    });
  }
}

/** Whether a task in this status is begun: at once, or by itself when the tasks that it waits for are done. */
function beginsAs(
  status: TaskStatus,
  { dependsOn, assigneeId }: { dependsOn: readonly string[]; assigneeId?: string | undefined },
): boolean {
  const isBegun = status === 'in_progress' || (status === 'todo' && dependsOn.length > 0);
  return isBegun && assigneeId !== undefined;
}

function ofProject({ projectId }: AgentCaller, task: TaskRow | undefined): TaskRow {
  if (task?.projectId !== projectId) throw taskNotFound();
  return task;
}
