import {
  type CreateTaskBody,
  type ListTasksQuery,
  MAX_BOARD_TASKS,
  type Task,
  type TaskPage,
  type TaskStatus,
  type UpdateTaskBody,
} from '../../contract/task.ts';
import type { Database } from '../../platform/db/database.ts';
import { type Person, requireMember, requireWriter, requireWriterNow } from '../access/person.ts';
import { lockForChange } from './lock-task.ts';
import { TASK_STATUSES } from './rules/task-status.ts';
import { TaskQueries } from './task-queries.ts';
import {
  changeTask,
  orMissing,
  removeTask,
  requireAssignable,
  storeTask,
  type TaskActor,
  toView,
} from './task-writes.ts';
import { findVisible, requireOpenProject, requireStillOpen } from './visible-task.ts';

export interface TaskServiceDeps {
  readonly database: Database;
}

export interface AgentTaskQuery {
  readonly status?: readonly TaskStatus[] | undefined;
  readonly assigneeId?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface AgentTaskPage {
  readonly tasks: (Task & { readonly assigneeName: string | null })[];
  /** Counts of the whole board, independent of the filter. */
  readonly counts: Readonly<Record<TaskStatus, number>>;
  readonly nextCursor: string | null;
}

export class TaskService {
  readonly #database: Database;

  constructor(deps: TaskServiceDeps) {
    this.#database = deps.database;
  }

  async list(person: Person, projectId: string, query: ListTasksQuery): Promise<TaskPage> {
    await requireMember(this.#database.db, person, projectId);
    const limit = query.board ? MAX_BOARD_TASKS : query.limit;
    const { rows, nextCursor } = await new TaskQueries(this.#database.db).list(
      { projectId, ...query },
      { limit, cursor: query.cursor },
    );
    return { tasks: rows.map(toView), nextCursor };
  }

  /**
   * The live ones of the first `asked` of these ids, as many as fit into one answer, for readers of changes;
   * the caller has checked who may see them.
   */
  async firstByIds(
    taskIds: readonly string[],
  ): Promise<{ readonly rows: ReadonlyMap<string, Task>; readonly asked: number }> {
    const repository = new TaskQueries(this.#database.db);
    const first = await repository.firstThatFit(taskIds);
    const rows = await repository.findMany(first);
    return { rows: new Map(rows.map((row) => [row.id, toView(row)])), asked: first.length };
  }

  /** The board as an agent of the project reads it; the caller has checked that the agent is a member. */
  async listForAgent(projectId: string, query: AgentTaskQuery = {}): Promise<AgentTaskPage> {
    const repository = new TaskQueries(this.#database.db);
    const { rows, nextCursor } = await repository.list(
      { projectId, status: query.status, assigneeId: query.assigneeId },
      { limit: query.limit ?? 100, cursor: query.cursor },
    );
    const found = await repository.countByStatus(projectId);
    const counts = { backlog: 0, todo: 0, in_progress: 0, blocked: 0, done: 0, cancelled: 0 };
    for (const status of TASK_STATUSES) counts[status] = found.get(status) ?? 0;
    return { tasks: rows, counts, nextCursor };
  }

  async get(person: Person, taskId: string): Promise<Task> {
    return toView(await findVisible(this.#database.db, person, taskId));
  }

  async create(person: Person, projectId: string, body: CreateTaskBody): Promise<Task> {
    const row = await this.#database.transaction(async (tx) => {
      await requireOpenProject(tx.db, person, projectId);
      await lockForChange(tx, { projectId, assigneeId: body.assigneeId });
      await requireStillOpen(tx, person, projectId);
      if (body.assigneeId !== undefined) await requireAssignable(tx.db, projectId, body.assigneeId);
      return storeTask(tx, { projectId, by: actor(person), body, now: await tx.now() });
    });
    return toView(row);
  }

  /**
   * 409 version_conflict unless `version` is the stored one; then all fields of the body or none are changed.
   */
  async update(person: Person, taskId: string, body: UpdateTaskBody): Promise<Task> {
    const row = await this.#database.transaction(async (tx) => {
      const found = await findVisible(tx.db, person, taskId);
      const { projectId } = found;
      await requireOpenProject(tx.db, person, projectId);
      await lockForChange(tx, found, [body.assigneeId]);
      await requireStillOpen(tx, person, projectId);
      if (body.assigneeId && body.assigneeId !== found.assigneeId)
        await requireAssignable(tx.db, projectId, body.assigneeId);
      const repository = new TaskQueries(tx.db);
      const task = orMissing(await repository.lock(taskId));
      await changeTask(tx, task, body, await tx.now(), actor(person));
      return repository.find(taskId);
    });
    return toView(orMissing(row));
  }

  async remove(person: Person, taskId: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const found = await findVisible(tx.db, person, taskId);
      requireWriter(person);
      await lockForChange(tx, found);
      await requireWriterNow(tx, person, found.projectId);
      const task = orMissing(await new TaskQueries(tx.db).lock(taskId));
      await removeTask(tx, task, await tx.now(), actor(person));
    });
  }
}

function actor({ id }: Person): TaskActor {
  return { id, personId: id };
}
