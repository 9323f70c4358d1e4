import { expect, test } from 'vitest';
import type { JournalEntry } from '../state/run-journal.ts';
import { refuseOtherExecutor } from './other-executor.ts';

const journalFolder = '/home/run/agent-runs';
const left = (...executors: JournalEntry['executor'][]): JournalEntry[] =>
  executors.map((executor, index) => ({ runId: `run_${index}`, bootId: 'boot', executor }));

test.each([
  ['docker', left('docker', undefined)],
  ['swarm', left('swarm')],
  ['kubernetes', left('kubernetes', undefined)],
  ['process', left(undefined)],
  ['process', left()],
] as const)('%s goes on with its own runs, and with processes of the host', (executor, entries) => {
  expect(() => refuseOtherExecutor(entries, { executor, journalFolder })).not.toThrow();
});

test.each([
  ['docker', 'swarm'],
  ['swarm', 'docker'],
  ['kubernetes', 'swarm'],
  ['docker', 'kubernetes'],
  ['process', 'docker'],
] as const)('%s refuses what was left with %s', (executor, other) => {
  const own = executor === 'process' ? undefined : executor;
  const entries = left(own, other, undefined, other);
  expect(() => refuseOtherExecutor(entries, { executor, journalFolder })).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message:
        `AIZUCHI_EXECUTOR is ${executor}, but 2 run(s) that an earlier Coordinator left with ${other} may still live: ` +
        `start once with AIZUCHI_EXECUTOR=${other}, which ends them, stop, and then change it; ` +
        `or end them yourself and remove their files from ${journalFolder}.`,
    }),
  );
});
