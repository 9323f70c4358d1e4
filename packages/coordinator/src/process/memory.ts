import { readProc } from './proc-table.ts';

const KIB_OF_MIB = 1_024;

/**
 * The resident memory of these processes together, in MiB. What they share is counted for each of them. Undefined when
 * none of them lives any more, or this system has no /proc.
 */
export async function memoryOf(pids: readonly number[]): Promise<number | undefined> {
  const each = await Promise.all(pids.map(residentKib));
  const known = each.filter((kib) => kib !== undefined);
  if (known.length === 0) return undefined;
  return Math.ceil(known.reduce((sum, kib) => sum + kib, 0) / KIB_OF_MIB);
}

/** A process of the kernel, or a zombie, has no such line. */
async function residentKib(pid: number): Promise<number | undefined> {
  const text = await readProc(`/proc/${pid}/status`);
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(text ?? '') ?? [];
  return kib === undefined ? undefined : Number(kib);
}
