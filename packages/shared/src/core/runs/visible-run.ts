import type { Queryable } from '../../platform/db/database.ts';
import { AppError } from '../../platform/errors.ts';
import { type Person, requireMember } from '../access/person.ts';
import { RunQueries, type RunRecord } from './run-queries.ts';

/** For a person who may not see its project the run does not exist. */
export async function findVisibleRun(db: Queryable, person: Person, runId: string): Promise<RunRecord> {
  const run = await new RunQueries(db).find(runId);
  if (!run) throw runNotFound();
  await requireMember(db, person, run.projectId).catch((error: unknown) => {
    throw error instanceof AppError ? runNotFound() : error;
  });
  return run;
}

function runNotFound(): AppError {
  return new AppError('run_not_found', 'There is no such run.');
}
