import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import type { JournalEntry } from '../state/run-journal.ts';
import type { RunPlace } from './executor.ts';

/**
 * Runs that another kind of containers may still have: the configured executor cannot see them. It would find nothing,
 * report their end and forget them, while they live on in the folders of their projects. Processes of this host are
 * found whatever is configured.
 * @throws {ExitError} with the way out.
 */
export function refuseOtherExecutor(
  entries: readonly JournalEntry[],
  { executor, journalFolder }: { executor: RunPlace['executor']; journalFolder: string },
): void {
  const other = entries.find((entry) => entry.executor !== undefined && entry.executor !== executor);
  if (!other) return;
  const count = entries.filter((entry) => entry.executor === other.executor).length;
  throw new ExitError(
    exitCodes.configuration,
    `AIZUCHI_EXECUTOR is ${executor}, but ${count} run(s) that an earlier Coordinator left with ${other.executor} may still ` +
      `live: start once with AIZUCHI_EXECUTOR=${other.executor}, which ends them, stop, and then change it; ` +
      `or end them yourself and remove their files from ${journalFolder}.`,
  );
}
