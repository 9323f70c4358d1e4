import { readFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';

const TICKS_PER_SECOND = 100;

/** What everything on this Linux host has used of its processors since it started, and uses of its memory now. */
export interface HostUsage {
  readonly busySeconds: number;
  /** Without what the kernel would give back at once. */
  readonly usedMb: number;
}

export async function hostUsage(): Promise<HostUsage> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
  // user, nice, system, idle, iowait, irq, softirq, steal
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(/\s+/).slice(1).map(Number);
  return {
    busySeconds: (user + nice + system + irq + softirq) / TICKS_PER_SECOND,
    // Where Linux says how much is available, this is it.
    usedMb: (totalmem() - freemem()) / 1024 / 1024,
  };
}
