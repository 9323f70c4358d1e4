import { readdir, readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database } from '../platform/db/database.ts';

interface RunProcess {
  readonly pid: number;
  readonly runId: string;
}

/** I-8: no process without a live run, ten seconds after its end. A run id that this database does not know is somebody else's. */
export async function processViolations(database: Database): Promise<string[]> {
  const living = [...(await marked()), ...(await reported(database))];
  const over = await database.db
    .selectFrom('agentRuns')
    .select(['id', 'exitCause'])
    .where('id', 'in', ['', ...new Set(living.map(({ runId }) => runId))])
    .where('endedAt', '<', sql<Date>`clock_timestamp() - interval '10 s'`)
    .execute();
  const found = new Map(living.map((process) => [`${process.pid} of ${process.runId}`, process]));
  return [...found.values()].flatMap(({ pid, runId }) => {
    const run = over.find(({ id }) => id === runId);
    return run ? [`I-8 no process without a live run: ${pid} of ${runId}, which ${run.exitCause}`] : [];
  });
}

/** Agents and their descendants carry AIZUCHI_RUN_ID, the watcher of a run's guard RUN. */
async function marked(): Promise<RunProcess[]> {
  const found: RunProcess[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // Gone since the list was read, or of another account.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    const [, runId] = /(?:^|\0)(?:AIZUCHI_RUN_ID|RUN)=(run_[a-z0-9]+)(?:\0|$)/.exec(environment) ?? [];
    if (runId !== undefined) found.push({ pid: Number(name), runId });
  }
  return found;
}

/** The processes that runs of this boot were reported with: a spare runner has no run in its environment. */
async function reported(database: Database): Promise<RunProcess[]> {
  const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const runs = await database.db
    .selectFrom('agentRuns')
    .select(['id', 'pid', 'startTicks'])
    .where('bootId', '=', bootId)
    .where('pid', 'is not', null)
    .execute();
  const found: RunProcess[] = [];
  for (const { id, pid, startTicks } of runs)
    if (pid !== null && (await startTicksOf(pid)) === Number(startTicks)) found.push({ pid, runId: id });
  return found;
}

/** Undefined when there is no such process, or it has ended and nobody has read its exit. */
async function startTicksOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the command may contain spaces and brackets.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || state === 'Z' ? undefined : Number(fields[18]);
}
