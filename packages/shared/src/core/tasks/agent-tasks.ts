import type { CreateTaskBody, TaskStatus } from '../../contract/task.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { requireOpen } from '../chat/delivery/agent-input.ts';
import { byteQuota, countTextIfRoom, quotaReached } from '../chat/quota/byte-quota.ts';
import type { ServiceDeps } from '../deps.ts';
import { type CallKey, keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { TaskQueries, type TaskRow } from './task-queries.ts';
import { changeTask, orMissing, requireAssignable, storeTask, taskNotFound } from './task-writes.ts';

export interface AgentNewTask extends Omit<CreateTaskBody, 'id'> {
  readonly idempotencyKey?: string | undefined;
}

export interface AgentTaskMove {
  readonly taskId: string;
  readonly status: TaskStatus;
  /** The version that the agent has seen; without it the stored one is moved. */
  readonly version?: number | undefined;
  readonly idempotencyKey?: string | undefined;
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
    return this.#once(caller, { tool: 'create_task', key }, body.assigneeId, async (tx) => {
      const text = body.title + (body.description ?? '');
      if (!(await countTextIfRoom(this.#deps, tx, caller, { text, quota })))
        throw quotaReached(this.#deps, caller, { quota });
      return storeTask(tx, { projectId, createdBy: agentId, body, now: await tx.now() });
    });
  }

  /** A task that has this status already stays as it is. */
  async move(caller: AgentCaller, { taskId, status, version, ...move }: AgentTaskMove): Promise<TaskRow> {
    const call: CallKey = { tool: 'update_task_status', key: move.idempotencyKey };
    return this.#once(caller, call, undefined, async (tx) => {
      const queries = new TaskQueries(tx.db);
      await queries.lockGraph(caller.projectId);
      const task = ofProject(caller, await queries.lock(taskId));
      if (task.status === status) return task;
      const by = { by: caller.agentId, now: await tx.now() };
      await changeTask(tx, task, { version: version ?? task.version, status }, by);
      return orMissing(await queries.find(taskId));
    });
  }

  /** The same call, sent twice: the lock of the session orders them, and the second gets the task of the first. */
  #once(
    caller: AgentCaller,
    call: CallKey,
    assigneeId: string | undefined,
    write: (tx: Tx) => Promise<TaskRow>,
  ): Promise<TaskRow> {
    return this.#deps.database.transaction(async (tx) => {
      if (assigneeId !== undefined) await requireAssignable(tx.db, caller.projectId, assigneeId);
      requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
      const first = await keptResult(tx.db, caller, call);
      if (first?.taskId !== undefined) return orMissing(await new TaskQueries(tx.db).find(first.taskId));
      const task = await write(tx);
      await keepResult(tx, caller, call, { taskId: task.id });
      return task;
    });
  }
}

function ofProject({ projectId }: AgentCaller, task: TaskRow | undefined): TaskRow {
  if (task?.projectId !== projectId) throw taskNotFound();
  return task;
}
