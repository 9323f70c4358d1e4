import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Longer than any round: a burner whose starter does not end it ends by itself. */
const MAX_BURN_MS = 60 * 60_000;

/** Runs `work` while `count` processes keep the CPU busy, and returns when they have ended. */
export async function underBurners<T>(count: number, work: (pids: number[]) => Promise<T>): Promise<T> {
  const burners = Array.from({ length: count }, () =>
    fork(join(import.meta.dirname, 'burner.ts'), [`${MAX_BURN_MS}`]),
  );
  try {
    return await work(burners.map(({ pid }) => pid ?? 0));
  } finally {
    await Promise.all(burners.map(end));
  }
}

async function end(burner: ChildProcess): Promise<void> {
  if (burner.exitCode !== null || burner.signalCode !== null) return;
  const ended = once(burner, 'exit');
  burner.kill('SIGKILL');
  await ended;
}
