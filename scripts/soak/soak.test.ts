import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStat } from '../../packages/coordinator/src/process/proc-table.ts';
import { underBurners } from './burners.ts';
import { underStalls } from './stalls.ts';
import { Tally } from './tally.ts';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a test that fails in some rounds is listed with its rate, the highest first', () => {
  const tally = new Tally();
  tally.add([]);
  expect(tally.isGreen).toBe(true);
  tally.add(['seldom', 'often']);
  tally.add(['often', 'often']);
  expect(tally.isGreen).toBe(false);
  expect(tally.lines()).toEqual(['red 2 of 3  often', 'red 1 of 3  seldom']);
});

test('rounds without a failed test are reported as such', () => {
  const tally = new Tally();
  tally.add([]);
  tally.add([]);
  expect(tally.lines()).toEqual(['rounds without a red test: 2']);
});

test('burners have ended when the work is done, also when it failed', async () => {
  let burning: number[] = [];
  const work = underBurners(2, async (pids) => {
    burning = pids;
    expect(pids.map(isRunning)).toEqual([true, true]);
    throw new Error('a red test');
  });
  await expect(work).rejects.toThrow('a red test');
  expect(burning.map(isRunning)).toEqual([false, false]);
});

test('a burner ends by itself when its starter has ended, or its time is over', async () => {
  const burner = join(import.meta.dirname, 'burner.ts');
  const left = fork(burner, ['3600000']);
  await once(left, 'spawn');
  left.disconnect();
  const late = fork(burner, ['1']);
  expect(await Promise.all([once(left, 'exit'), once(late, 'exit')])).toEqual([
    [0, null],
    [0, null],
  ]);
});

test('under stalls a process is stopped and goes on, and goes on when the work is over', async () => {
  const shell = spawn('sh', ['-c', 'sleep 3600 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number((await once(shell.stdout, 'data'))[0]);
  const isStopped = async () => (await readStat(pid))?.isStopped;
  try {
    await underStalls(shell.pid ?? 0, async () => {
      for (const state of [true, false, true])
        await expect.poll(isStopped, { timeout: 10_000, interval: 5 }).toBe(state);
    });
    // Asked again: the soak that runs this test may stop it too.
    await expect.poll(isStopped).toBe(false);
  } finally {
    process.kill(pid, 'SIGKILL');
    await once(shell, 'exit');
  }
});
