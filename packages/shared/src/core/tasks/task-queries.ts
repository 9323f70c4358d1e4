import { type InferResult, type RawBuilder, sql } from 'kysely';
import { type Task, taskSchema } from '../../contract/task.ts';
import type { Queryable } from '../../platform/db/database.ts';
import {
  after,
  bytesOf,
  firstThatFit,
  type PageOf,
  type PageRequest,
  readPage,
} from '../../platform/db/page.ts';
import { CLOSED_STATUSES, type TaskStatus } from './rules/task-status.ts';

export type TaskRow = Task & { readonly assigneeName: string | null };

export interface TaskFilter {
  readonly projectId: string;
  readonly status?: readonly TaskStatus[] | undefined;
  readonly assigneeId?: string | undefined;
  readonly parentId?: string | undefined;
  readonly label?: string | undefined;
}

export interface NewTask {
  readonly id: string;
  readonly projectId: string;
  readonly title: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly priority: Task['priority'];
  readonly assigneeId: string | null;
  readonly parentId: string | null;
  readonly labels: string[];
  readonly dueDate: string | null;
  readonly position: number;
  readonly createdBy: string | null;
}

type ChangeableTask = Omit<NewTask, 'id' | 'projectId' | 'createdBy'>;
/** What is undefined does not change. */
export type TaskValues = { readonly [K in keyof ChangeableTask]?: ChangeableTask[K] | undefined } & {
  /** Since when its reviewer looks at it. */
  readonly reviewSince?: Date | null | undefined;
};

const SIZE = bytesOf({ texts: ['tasks.title', 'tasks.description'], json: ['tasks.labels'] });
/** This many always fit into one answer: a task has at most 206 kB. */
const FIT_ALWAYS = 5;

export class TaskQueries {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  async find(id: string): Promise<TaskRow | undefined> {
    const [row] = await this.findMany([id]);
    return row;
  }

  /** `projectId`: they are of this project. So a whole board is found by its index, which knows how many they are. */
  async findMany(ids: readonly string[], projectId?: string): Promise<TaskRow[]> {
    if (ids.length === 0) return [];
    const rows = await selectTasks(this.#db, ids)
      .$if(projectId !== undefined, (query) => query.where('tasks.projectId', '=', projectId ?? ''))
      .execute();
    return rows.map(toTask);
  }

  /** The first of these ids, as many as fit into one answer (PAGE_BYTES). */
  async firstThatFit(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length <= FIT_ALWAYS) return ids;
    const rows = await this.#db
      .selectFrom('tasks')
      .select(['id', SIZE])
      .where('id', 'in', [...ids])
      .execute();
    return firstThatFit(ids, new Map(rows.map(({ id, bytes }) => [id, bytes])));
  }

  /** The live task, locked until the transaction ends. */
  async lock(id: string): Promise<TaskRow | undefined> {
    await this.#db.selectFrom('tasks').select('id').where('id', '=', id).forNoKeyUpdate().execute();
    return this.find(id);
  }

  /** In the order of their creation; fewer than the limit when their texts are long (PAGE_BYTES). */
  async list(filter: TaskFilter, page: PageRequest): Promise<PageOf<TaskRow>> {
    const { status, assigneeId, parentId, label } = filter;
    const found = await this.#db
      .selectFrom('tasks')
      .select(['tasks.id', 'tasks.createdAt', SIZE])
      .where('tasks.deletedAt', 'is', null)
      .where('tasks.projectId', '=', filter.projectId)
      .$if(status !== undefined, (query) => query.where('tasks.status', 'in', [...(status ?? [])]))
      .$if(assigneeId !== undefined, (query) => query.where('tasks.assigneeId', '=', assigneeId ?? null))
      .$if(parentId !== undefined, (query) => query.where('tasks.parentId', '=', parentId ?? null))
      .$if(label !== undefined, (query) => query.where(sql<boolean>`${label} = any(tasks.labels)`))
      .where(after('tasks', page.cursor))
      .orderBy('tasks.createdAt')
      .orderBy('tasks.id')
      .limit(page.limit + 1)
      .execute();
    return readPage(found, page.limit, (ids) => this.findMany(ids, filter.projectId));
  }

  /** Locks the membership of a live agent or person against removal; false: there is none. */
  async lockMembership(projectId: string, agentId: string): Promise<boolean> {
    const member = await this.#db
      .selectFrom('projectAgents as pa')
      .innerJoin('agents as a', 'a.id', 'pa.agentId')
      .select('a.id')
      .where('pa.projectId', '=', projectId)
      .where('pa.agentId', '=', agentId)
      .where('a.deletedAt', 'is', null)
      .forKeyShare('pa')
      .executeTakeFirst();
    return member !== undefined;
  }

  async isOwner(agentId: string): Promise<boolean> {
    const owner = await this.#db
      .selectFrom('agents')
      .select('id')
      .where('id', '=', agentId)
      .where('accessLevel', '=', 'owner')
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    return owner !== undefined;
  }

  async countByStatus(projectId: string): Promise<Map<string, number>> {
    const rows = await this.#db
      .selectFrom('tasks')
      .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
      .where('projectId', '=', projectId)
      .where('deletedAt', 'is', null)
      .groupBy('status')
      .execute();
    return new Map(rows.map(({ status, count }) => [status, Number(count)]));
  }

  /** False: the id exists already, possibly for a deleted task. */
  async insert(task: NewTask, now: Date): Promise<boolean> {
    const result = await this.#db
      .insertInto('tasks')
      .values({ ...task, createdAt: now, updatedAt: now })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .executeTakeFirst();
    return result.numInsertedOrUpdatedRows === 1n;
  }

  /** False: another transaction changed it since `version`. */
  async update(id: string, version: number, values: TaskValues, now: Date): Promise<boolean> {
    const result = await this.#db
      .updateTable('tasks')
      .set({ ...values, version: version + 1, updatedAt: now })
      .where('id', '=', id)
      .where('version', '=', version)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /**
   * The deletion is soft; tasks that depended on it no longer do, its parts become independent tasks. Returns
   * the ids of those changed.
   */
  async remove(id: string, now: Date): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      with gone as (
        update tasks set deleted_at = ${now}, updated_at = ${now} where id = ${id} and deleted_at is null
      ), edges as (
        delete from task_dependencies where task_id = ${id} or depends_on_id = ${id}
        returning case when task_id = ${id} then null else task_id end as task_id
      )
      update tasks set version = version + 1, updated_at = ${now},
        parent_id = case when parent_id = ${id} then null else parent_id end
      where deleted_at is null and id <> ${id}
        and (parent_id = ${id} or id in (select task_id from edges where task_id is not null))
      returning id`.execute(this.#db);
    return rows.map((row) => row.id);
  }

  /** Open tasks of an agent that is removed become unassigned; in one project, or everywhere. */
  async unassignOpen(agentId: string, projectId: string | undefined, now: Date) {
    return this.#db
      .updateTable('tasks')
      .set(({ eb }) => ({ assigneeId: null, version: eb('version', '+', 1), updatedAt: now }))
      .where('assigneeId', '=', agentId)
      .where('deletedAt', 'is', null)
      .where('status', 'not in', CLOSED_STATUSES)
      .$if(projectId !== undefined, (query) => query.where('projectId', '=', projectId ?? ''))
      .returning(['id', 'projectId'])
      .execute();
  }

  /** Which of these are live tasks of this project. */
  async existing(projectId: string, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom('tasks')
      .select('id')
      .where('projectId', '=', projectId)
      .where('id', 'in', [...ids])
      .where('deletedAt', 'is', null)
      .execute();
    return new Set(rows.map((row) => row.id));
  }

  async replaceDependencies(taskId: string, dependsOn: readonly string[]): Promise<void> {
    await this.#db.deleteFrom('taskDependencies').where('taskId', '=', taskId).execute();
    if (dependsOn.length === 0) return;
    await this.#db
      .insertInto('taskDependencies')
      .values(dependsOn.map((dependsOnId) => ({ taskId, dependsOnId })))
      .execute();
  }

  /** All "waits for" edges of a project. */
  async dependencyEdges(projectId: string): Promise<{ from: string; to: string }[]> {
    return this.#db
      .selectFrom('taskDependencies')
      .innerJoin('tasks', 'tasks.id', 'taskDependencies.taskId')
      .where('tasks.projectId', '=', projectId)
      .select(['taskDependencies.taskId as from', 'taskDependencies.dependsOnId as to'])
      .execute();
  }

  /** All "is part of" edges of a project. */
  async parentEdges(projectId: string): Promise<{ from: string; to: string }[]> {
    return this.#db
      .selectFrom('tasks')
      .where('projectId', '=', projectId)
      .where('parentId', 'is not', null)
      .select(['id as from', 'parentId as to'])
      .$narrowType<{ to: string }>()
      .execute();
  }
}

/** How many parts tasks have, of those that have some. */
function countParts(ids: RawBuilder<string[]>) {
  return sql<{ parentId: string; total: number; done: number }>`(select p.parent_id,
    count(*)::integer as total, (count(*) filter (where p.status = 'done'))::integer as done
    from tasks p where p.parent_id = any(${ids}) and p.deleted_at is null and p.status <> 'cancelled'
    group by p.parent_id)`.as('parts');
}

/**
 * The parts of all tasks are counted in one pass: looked up for each task, and without statistics (right after an
 * import), Postgres took an index of all tasks for each, so that a board of 1,000 cost a million rows.
 */
function selectTasks(db: Queryable, taskIds: readonly string[]) {
  // One parameter: there may be thousands.
  const ids = sql<string[]>`${[...taskIds]}::text[]`;
  return db
    .selectFrom('tasks')
    .leftJoin('agents', 'agents.id', 'tasks.assigneeId')
    .leftJoin(countParts(ids), 'parts.parentId', 'tasks.id')
    .where(sql<boolean>`tasks.id = any(${ids})`)
    .select([
      'tasks.id',
      'tasks.projectId',
      'tasks.title',
      'tasks.description',
      'tasks.status',
      'tasks.priority',
      'tasks.assigneeId',
      'agents.name as assigneeName',
      'tasks.parentId',
      'tasks.version',
      'tasks.createdBy',
      'tasks.createdAt',
      'tasks.updatedAt',
      sql<string[]>`array(select d.depends_on_id from task_dependencies d
        where d.task_id = tasks.id order by d.depends_on_id)`.as('dependsOn'),
      'tasks.labels',
      sql<string | null>`to_char(tasks.due_date, 'YYYY-MM-DD')`.as('dueDate'),
      'tasks.position',
      'parts.total',
      'parts.done',
      sql<number>`(select coalesce(max(a.n), 0) from task_attempts a where a.task_id = tasks.id)`.as(
        'attempts',
      ),
      sql<number>`(select count(*) from task_comments c where c.task_id = tasks.id)::integer`.as('comments'),
    ])
    .where('tasks.deletedAt', 'is', null);
}

type SelectedTask = InferResult<ReturnType<typeof selectTasks>>[number];

function toTask(row: SelectedTask): TaskRow {
  const {
    assigneeName,
    assigneeId,
    parentId,
    createdBy,
    createdAt,
    updatedAt,
    dueDate,
    total,
    done,
    ...rest
  } = row;
  const task = taskSchema.parse({
    ...rest,
    assigneeId: assigneeId ?? undefined,
    parentId: parentId ?? undefined,
    createdBy: createdBy ?? undefined,
    dueDate: dueDate ?? undefined,
    parts: total === null || done === null ? undefined : { total, done },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  });
  return { ...task, assigneeName };
}
