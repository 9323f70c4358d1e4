import type { Queryable, Tx } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import {
  type Person,
  projectArchived,
  requireMember,
  requireWriter,
  requireWriterNow,
} from '../access/person.ts';
import { TaskQueries, type TaskRow } from './task-queries.ts';
import { orMissing, taskNotFound } from './task-writes.ts';

/** 404 task_not_found also for tasks of projects that the caller may not see. */
export async function findVisible(db: Queryable, person: Person, taskId: string): Promise<TaskRow> {
  const task = orMissing(await new TaskQueries(db).find(taskId));
  await requireMember(db, person, task.projectId).catch((error: unknown) => {
    throw error instanceof AppError ? taskNotFound() : error;
  });
  return task;
}

/** For those who change tasks. */
export async function requireOpenProject(db: Queryable, person: Person, projectId: string): Promise<void> {
  const project = await requireMember(db, person, projectId);
  requireWriter(person);
  if (project.status === 'archived') throw projectArchived();
}

/** The same again by the rights of this moment: the transaction has waited for its locks. */
export async function requireStillOpen(tx: Tx, person: Person, projectId: string): Promise<void> {
  await requireWriterNow(tx, person, projectId);
  await requireOpenProject(tx.db, person, projectId);
}
