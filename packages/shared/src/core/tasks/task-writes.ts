import type { Reason } from '../../contract/reason.ts';
import type { CreateTaskBody, Task, TaskPriority, UpdateTaskBody } from '../../contract/task.ts';
import { appendChangeEvents } from '../../platform/change-log/change-log.ts';
import type { Queryable, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { deleteAttachmentsOfTask } from '../attachments/attachment-queries.ts';
import { applyTaskChange } from '../task-work/change-work.ts';
import { type HistoryOfTask, insertHistories, insertHistory } from '../task-work/history-queries.ts';
import type { WorkState } from '../task-work/rules/task-work.ts';
import {
  dependentsOf,
  idsOfDependents,
  partsOf,
  startableTasks,
  unfinishedDependencies,
} from './dependency-queries.ts';
import { closesCycle } from './rules/task-graph.ts';
import { changesOf, type TrackedTask } from './rules/task-history.ts';
import { decideTaskChange, movesFrom, type TaskRefusal } from './rules/task-machine.ts';
import { endOfColumn } from './rules/task-place.ts';
import { isClosed } from './rules/task-status.ts';
import { taskFact } from './task-fact.ts';
import { placeOf } from './task-place.ts';
import { TaskQueries, type TaskRow, type TaskValues } from './task-queries.ts';

/*
 * How a task is stored and changed, by whomever. The caller has checked who it is, and that a new assignee is of the
 * project (requireAssignable, before anything else is locked).
 */

/** Who changes a task. */
export interface TaskActor {
  /** Null: the product itself, as when the last dependency is done. */
  readonly id: string | null;
  /** The person with whom the work that begins may speak: who changed it, or whose change began it. */
  readonly personId: string | null;
  /** Of an agent: what it begins continues its chain. */
  readonly chainId?: string | null;
  /** What the agent reports with the change. */
  readonly summary?: string;
  /** The same, with what the product says of it, for each reader. */
  readonly summaryReason?: Reason;
  /** It has done its part; the new assignee looks at it. */
  readonly isHandedIn?: boolean;
}

export interface NewTaskOrder {
  readonly projectId: string;
  readonly by: TaskActor;
  readonly body: CreateTaskBody;
  readonly now: Date;
}

/** @throws AppError id_taken, task_not_found */
export async function storeTask(tx: Tx, { projectId, by, body, now }: NewTaskOrder): Promise<TaskRow> {
  const repository = new TaskQueries(tx.db);
  await requireTasks(repository, projectId, [body.parentId, ...(body.dependsOn ?? [])]);
  const id = body.id ?? newId('tsk');
  // A new task closes no circle: no task can point at it yet, and it may not point at itself (404 above).
  const inserted = await repository.insert(
    {
      id,
      projectId,
      title: body.title,
      description: body.description ?? '',
      status: body.status ?? 'backlog',
      priority: body.priority ?? ('medium' satisfies TaskPriority),
      assigneeId: body.assigneeId ?? null,
      parentId: body.parentId ?? null,
      labels: body.labels ?? [],
      dueDate: body.dueDate ?? null,
      position: endOfColumn(now),
      createdBy: by.id,
    },
    now,
  );
  if (!inserted) throw new AppError('id_taken', 'This id is or was used by another task. Choose a new one.');
  await repository.replaceDependencies(id, body.dependsOn ?? []);
  if (body.status === 'in_progress') await requireFinished(tx, id, undefined);
  const changes = changesOf({}, { status: body.status ?? 'backlog' });
  await insertHistory(tx.db, { taskId: id, byId: by.id, changes, now });
  await tellTasks(tx, projectId, [id, body.parentId]);
  const task = orMissing(await repository.find(id));
  await applyTaskChange(tx, { projectId, taskId: id, before: null, after: workState(task), ...by, now });
  return task;
}

/** Changes the locked task as the body says, or not at all. The project is locked (lockForChange). */
export async function changeTask(
  tx: Tx,
  task: TaskRow,
  asked: UpdateTaskBody,
  now: Date,
  by: TaskActor,
): Promise<void> {
  const repository = new TaskQueries(tx.db);
  const { id, projectId, version } = task;
  const body = (await isLeftBehind(tx.db, task, asked)) ? { ...asked, assigneeId: null } : asked;
  const decision = decideTaskChange({ ...task, assigneeId: task.assigneeId ?? null }, body);
  if (!decision.ok) throw refused(decision.refusal, task, body);
  const { next } = decision.value;
  // First: of a task of another project nobody may hear whether it is done.
  await requireNoCycle(repository, task, body);
  const isBegun = next.status === 'in_progress' && task.status !== 'in_progress';
  if (isBegun) await requireFinished(tx, id, body.dependsOn);
  const { title, description, priority, parentId, labels, dueDate } = body;
  const named = { title, description, priority, parentId, labels, dueDate };
  const moves = next.status !== task.status;
  const values: TaskValues = {
    status: next.status,
    assigneeId: next.assigneeId,
    // Whoever moves it, or gives it to somebody else, ends the review.
    ...((moves || next.assigneeId !== (task.assigneeId ?? null)) && {
      reviewSince: by.isHandedIn === true ? now : null,
    }),
    ...named,
    ...(body.after !== undefined
      ? {
          position: await placeOf(tx, { projectId, taskId: id, status: next.status, after: body.after, now }),
        }
      : moves && { position: endOfColumn(now) }),
  };
  const wasWaiting = body.dependsOn !== undefined && (await unfinishedDependencies(tx.db, id)).length > 0;
  if (!(await repository.update(id, version, values, now))) throw refused('version_conflict', task, body);
  if (body.dependsOn !== undefined) await repository.replaceDependencies(id, body.dependsOn);
  const after: TrackedTask = { ...named, dependsOn: body.dependsOn, ...next };
  await insertHistory(tx.db, { taskId: id, byId: by.id, changes: changesOf(task, after), now });
  const isPartMoved = moves || parentId !== undefined;
  await tellTasks(tx, projectId, [id, ...(isPartMoved ? [task.parentId, parentId] : [])]);
  await applyTaskChange(tx, { projectId, taskId: id, before: workState(task), after: next, ...by, now });
  if (moves && isClosed(next.status)) await startWaiting(tx, await idsOfDependents(tx.db, id), by, now);
  // The last open one may have been taken out of what it waits for.
  if (wasWaiting && !moves) await startWaiting(tx, [id], by, now);
}

/** A closed task is opened again whose assignee has left meanwhile: it kept the name, and nobody would do the work. */
async function isLeftBehind(
  db: Queryable,
  task: TaskRow,
  { status, assigneeId }: UpdateTaskBody,
): Promise<boolean> {
  const isOpened = isClosed(task.status) && status !== undefined && !isClosed(status);
  if (!isOpened || assigneeId !== undefined || task.assigneeId === undefined) return false;
  return !(await isAssignable(db, task.projectId, task.assigneeId));
}

/** Deletes the locked task; what was part of it, or waited for it, is so no more. The project is locked. */
export async function removeTask(tx: Tx, task: TaskRow, now: Date, by: TaskActor): Promise<void> {
  const { id, projectId } = task;
  const links = await linksTo(tx, id);
  const waiting = !isClosed(task.status) ? await idsOfDependents(tx.db, id) : [];
  const changed = await new TaskQueries(tx.db).remove(id, now);
  await deleteAttachmentsOfTask(tx.db, id);
  await insertHistories(tx.db, { byId: by.id, now }, links);
  await tellTasks(tx, projectId, [id, task.parentId, ...changed]);
  await applyTaskChange(tx, { projectId, taskId: id, before: workState(task), after: null, ...by, now });
  await startWaiting(tx, waiting, by, now);
}

/** What the deletion of a task changes in others. */
async function linksTo(tx: Tx, id: string): Promise<HistoryOfTask[]> {
  const [parts, dependents] = [await partsOf(tx.db, id), await dependentsOf(tx.db, id)];
  return [
    ...parts.map((taskId) => ({ taskId, changes: changesOf({ parentId: id }, { parentId: null }) })),
    ...dependents.map(({ id: taskId, dependsOn }) => ({
      taskId,
      changes: changesOf({ dependsOn }, { dependsOn: dependsOn.filter((one) => one !== id) }),
    })),
  ];
}

/** The open tasks of an agent that leaves a project, or all of them, are nobody's. Its membership is deleted. */
export async function unassignTasks(
  tx: Tx,
  { byId, ...target }: { agentId: string; projectId?: string | undefined; byId: string },
  now: Date,
): Promise<void> {
  const tasks = await new TaskQueries(tx.db).unassignOpen(target.agentId, target.projectId, now);
  const changes = changesOf({ assigneeId: target.agentId }, { assigneeId: null });
  await insertHistories(
    tx.db,
    { byId, now },
    tasks.map(({ id: taskId }) => ({ taskId, changes })),
  );
  await appendChangeEvents(
    tx,
    tasks.map(({ id, projectId }) => taskFact(projectId, id)),
  );
}

/**
 * Those of these tasks begin that waited in todo and have nothing left to wait for by the change, when their assignee is an
 * agent. One of which nothing is done that it needs stays: a person decides whether it still makes sense.
 */
async function startWaiting(
  tx: Tx,
  dependents: readonly string[],
  { personId, chainId }: TaskActor,
  now: Date,
): Promise<void> {
  const queries = new TaskQueries(tx.db);
  const by = { id: null, personId, ...(chainId !== undefined && { chainId }) };
  for (const dependentId of await startableTasks(tx.db, dependents)) {
    const task = await queries.lock(dependentId);
    if (task?.status === 'todo')
      await changeTask(tx, task, { version: task.version, status: 'in_progress' }, now, by);
  }
}

async function requireFinished(
  tx: Tx,
  taskId: string,
  dependsOn: readonly string[] | undefined,
): Promise<void> {
  const unfinished =
    dependsOn === undefined
      ? await unfinishedDependencies(tx.db, taskId)
      : (await new TaskQueries(tx.db).findMany(dependsOn))
          .filter(({ status }) => !isClosed(status))
          .map(({ id }) => id);
  if (unfinished.length > 0) throw dependenciesUnfinished(unfinished);
}

function dependenciesUnfinished(taskIds: readonly string[]): AppError {
  return new AppError(
    'dependencies_unfinished',
    'This task waits for others that are not done. In todo it begins by itself when the last of them is done.',
    { details: { taskIds } },
  );
}

/** The part of a task on which its work depends. */
function workState({ status, assigneeId }: TaskRow): WorkState {
  return { status, assigneeId: assigneeId ?? null };
}

/** Readers of the log read these tasks again. */
async function tellTasks(
  tx: Tx,
  projectId: string,
  ids: readonly (string | null | undefined)[],
): Promise<void> {
  const named = new Set(ids.filter((id) => typeof id === 'string'));
  await appendChangeEvents(
    tx,
    [...named].map((id) => taskFact(projectId, id)),
  );
}

/**
 * A live agent or person of the project, or an owner. Call it before the task is locked: it locks the
 * membership against removal, and a removal locks tasks after the membership.
 */
export async function requireAssignable(
  db: Queryable,
  projectId: string,
  agentId: string,
  field = 'assigneeId',
): Promise<void> {
  if (await isAssignable(db, projectId, agentId)) return;
  throw new AppError(
    'agent_not_in_project',
    `${field} names nobody in this project. Add the agent to the project first.`,
  );
}

/** The same, as an answer. */
export async function isAssignable(db: Queryable, projectId: string, agentId: string): Promise<boolean> {
  const tasks = new TaskQueries(db);
  return (await tasks.lockMembership(projectId, agentId)) || (await tasks.isOwner(agentId));
}

async function requireTasks(
  repository: TaskQueries,
  projectId: string,
  ids: readonly (string | null | undefined)[],
): Promise<void> {
  const named = ids.filter((id) => typeof id === 'string');
  const existing = await repository.existing(projectId, named);
  const missing = named.filter((id) => !existing.has(id));
  if (missing.length > 0) {
    throw new AppError('task_not_found', 'parentId and dependsOn must name tasks of this project.', {
      details: { taskIds: missing },
    });
  }
}

async function requireNoCycle(repository: TaskQueries, task: TaskRow, body: UpdateTaskBody): Promise<void> {
  await requireTasks(repository, task.projectId, [body.parentId, ...(body.dependsOn ?? [])]);
  const waits = body.dependsOn ?? [];
  const closes =
    (waits.length > 0 &&
      closesCycle(toGraph(await repository.dependencyEdges(task.projectId)), task.id, waits)) ||
    (typeof body.parentId === 'string' &&
      closesCycle(toGraph(await repository.parentEdges(task.projectId)), task.id, [body.parentId]));
  if (closes) {
    throw new AppError('dependency_cycle', 'The task would wait for itself. Take one of the links out.');
  }
}

function toGraph(edges: readonly { from: string; to: string }[]): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const targets = graph.get(from);
    if (targets) targets.push(to);
    else graph.set(from, [to]);
  }
  return graph;
}

function refused(refusal: TaskRefusal, task: TaskRow, body: UpdateTaskBody): AppError {
  if (refusal === 'version_conflict') {
    return new AppError(
      'version_conflict',
      body.version === undefined
        ? 'Name the version that you have seen.'
        : 'Somebody changed this task. Read it again, then change it.',
      { details: { version: task.version } },
    );
  }
  const allowed = movesFrom(task.status);
  return new AppError(
    'invalid_status_transition',
    `A task cannot go from ${task.status} to ${body.status}. From ${task.status}: ${allowed.join(', ')}.`,
    { details: { from: task.status, to: body.status, allowed } },
  );
}

export function toView({ assigneeName: _, ...task }: TaskRow): Task {
  return task;
}

export function orMissing(task: TaskRow | undefined): TaskRow {
  if (!task) throw taskNotFound();
  return task;
}

/** To a session whose task is not its work any more. */
export function takenAway(): AppError {
  return new AppError(
    'task_not_in_progress',
    'Somebody has taken this task away from you. Stop, and call get_next_action.',
  );
}

export function taskNotFound(): AppError {
  return new AppError('task_not_found', 'There is no such task, or you are not a member of its project.');
}
