import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Runs `work` while the processes below `root` are stopped for moments, and returns when all of them go on. Throws if
 * the stalls ended before.
 */
export async function underStalls<T>(root: number, work: () => Promise<T>): Promise<T> {
  const staller = fork(join(import.meta.dirname, 'staller.ts'), [`${root}`]);
  const ended = once(staller, 'exit');
  const result = await work().finally(async () => {
    // Not killed: a process that it has stopped would stay so.
    if (staller.connected) staller.disconnect();
    await ended;
  });
  if (staller.exitCode !== 0) throw new Error('the staller failed: there were fewer stalls than was said');
  return result;
}
