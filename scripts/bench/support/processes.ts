import { readdir, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { BenchWorld } from './bench-world.ts';

/** The unit of the times in /proc, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

const entries = z.array(z.object({ name: z.string(), pid: z.number() }));

/** The pids of the product's services, from its services.json. */
export async function servicePids(bench: BenchWorld): Promise<Map<string, number>> {
  const file = `${bench.product.environment.AIZUCHI_HOME}/run/services.json`;
  const services = entries.parse(JSON.parse(await readFile(file, 'utf8')));
  return new Map(services.map(({ name, pid }) => [name, pid]));
}

export async function pidOf(bench: BenchWorld, service: string): Promise<number> {
  const pid = (await servicePids(bench)).get(service);
  if (pid === undefined) throw new Error(`${service} does not run`);
  return pid;
}

/** The pid of the parent of all server processes of Postgres. */
export async function postmasterPid(bench: BenchWorld): Promise<number> {
  const { rows } = await bench.database.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return parentOf(rows[0]?.pid ?? 0);
}

export async function parentOf(pid: number): Promise<number> {
  return (await readStat(pid)).parent;
}

/** Seconds of CPU that a process has used so far, all threads together. */
export async function cpuSeconds(pid: number): Promise<number> {
  return (await readStat(pid)).own;
}

/** The same, including its children, also those that have ended. */
export async function familySeconds(pid: number): Promise<number> {
  const { own, reaped } = await readStat(pid);
  let sum = own + reaped;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // A child that ends during the loop is counted by its parent the next time.
    const child = await readStat(Number(name)).catch(() => undefined);
    if (child?.parent === pid) sum += child.own + child.reaped;
  }
  return sum;
}

interface ProcessStat {
  readonly parent: number;
  readonly group: number;
  /** Seconds of CPU of the process, and of its children that have ended. */
  readonly own: number;
  readonly reaped: number;
}

export async function readStat(pid: number): Promise<ProcessStat> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name is in parentheses and may contain any character. After it: state, parent, group, …, utime, stime, cutime,
  // cstime.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  const [, parent, group] = fields;
  if (parent === undefined || group === undefined) throw new Error(`/proc/${pid}/stat says nothing`);
  return {
    parent,
    group,
    own: (utime + stime) / TICKS_PER_SECOND,
    reaped: (cutime + cstime) / TICKS_PER_SECOND,
  };
}
