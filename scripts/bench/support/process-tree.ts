import { readdir, readFile } from 'node:fs/promises';
import { readStat } from './processes.ts';

/** What some processes have used and use now. */
export interface Usage {
  readonly processes: number;
  /** Since their start, with those of their children that have ended. */
  readonly cpuSeconds: number;
  /** Their proportional share: what several of them have in common counts once. */
  readonly memoryMb: number;
}

/** The roots and all their descendants. */
export function treeOf(roots: readonly number[], parents: ReadonlyMap<number, number>): Set<number> {
  const children = Map.groupBy(parents.keys(), (pid) => parents.get(pid));
  const tree = new Set<number>();
  const left = roots.filter((pid) => parents.has(pid));
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    if (tree.has(pid)) continue;
    tree.add(pid);
    left.push(...(children.get(pid) ?? []));
  }
  return tree;
}

/** The pids of the roots, of their process groups and of all descendants of these that run now. */
export async function pidsOfTree(roots: readonly number[]): Promise<Set<number>> {
  const parents = new Map<number, number>();
  // The watcher of a run is in the group of the agent, but not its child.
  const begins = new Set(roots);
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) && (await readStat(Number(name)).catch(() => undefined));
    if (!stat) continue;
    parents.set(Number(name), stat.parent);
    if (roots.includes(stat.group)) begins.add(Number(name));
  }
  return treeOf([...begins], parents);
}

/** A process that has ended meanwhile is in none of the sums. */
export async function usageOf(pids: Iterable<number>): Promise<Usage> {
  const sum = { processes: 0, cpuSeconds: 0, memoryMb: 0 };
  for (const pid of pids) {
    const stat = await readStat(pid).catch(() => undefined);
    if (!stat) continue;
    sum.processes += 1;
    sum.cpuSeconds += stat.own + stat.reaped;
    sum.memoryMb += await memoryOf(pid);
  }
  return sum;
}

/** Percent of a core that was used between two reports. */
export function percentOfCore(before: Usage, after: Usage, seconds: number): number {
  return ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100;
}

/** Its proportional share in MB; 0 for a process that has ended. */
async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1_024;
}
