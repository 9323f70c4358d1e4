import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';

/** I-8: no process without a live run, ten seconds after its end. A run id that this database does not know is somebody else's. */
export async function processViolations(database: Database): Promise<string[]> {
  const living = await runProcesses();
  const over = await database.db
    .selectFrom('agentRuns')
    .select(['id', 'exitCause'])
    .where('id', 'in', ['', ...new Set(living.map(({ runId }) => runId))])
    .where('endedAt', '<', sql<Date>`clock_timestamp() - interval '10 s'`)
    .execute();
  return living.flatMap(({ pid, runId }) => {
    const run = over.find(({ id }) => id === runId);
    return run ? [`I-8 no process without a live run: ${pid} of ${runId}, which ${run.exitCause}`] : [];
  });
}

/** Agents and their descendants carry AIZUCHI_RUN_ID, the watcher of a run's guard RUN. */
async function runProcesses(): Promise<{ pid: number; runId: string }[]> {
  const found: { pid: number; runId: string }[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // Gone since the list was read, or of another account.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    const [, runId] = /(?:^|\0)(?:AIZUCHI_RUN_ID|RUN)=(run_[a-z0-9]+)(?:\0|$)/.exec(environment) ?? [];
    if (runId !== undefined) found.push({ pid: Number(name), runId });
  }
  return found;
}
