import { readdir, readFile } from 'node:fs/promises';

/**
 * The processes that this one has started, and those that they have started, on Linux; elsewhere none. A process whose
 * parent has ended is not found: the Coordinator ends it with the run.
 */
async function descendantsOf(pid: number): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const children = new Map<number, number[]>();
  for (const [child, parent] of await Promise.all(pids.map(parentOf))) {
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found: number[] = [];
  for (const waiting = [pid]; waiting.length > 0; ) {
    const below = children.get(waiting.pop() ?? 0) ?? [];
    found.push(...below);
    waiting.push(...below);
  }
  return found;
}

/** Kills the process and those that it has started. */
export async function killTree(pid: number): Promise<void> {
  // Collected first: without their parent they are not found.
  for (const one of [pid, ...(await descendantsOf(pid))]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function parentOf(pid: string): Promise<[child: number, parent: number | undefined]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program stands in brackets, and may hold brackets itself.
  const parent = /^ \S (\d+) /.exec(stat.slice(stat.lastIndexOf(')') + 1))?.[1];
  return [Number(pid), parent === undefined ? undefined : Number(parent)];
}
