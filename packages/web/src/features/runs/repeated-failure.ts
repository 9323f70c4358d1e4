import type { Run } from '@aizuchi/shared/contract/run';

type Failure = Pick<Run, 'agentId' | 'exitCause' | 'exitCode' | 'stderrTail'>;

/**
 * True if this run failed like the next newer run of its agent, which already shows the reason. The runs are newest
 * first.
 */
export function repeatsNewer(runs: readonly Failure[], index: number): boolean {
  const run = runs[index];
  const newer = runs.slice(0, index).findLast(({ agentId }) => agentId === run?.agentId);
  return (
    run !== undefined &&
    newer !== undefined &&
    run.exitCause !== undefined &&
    run.exitCause === newer.exitCause &&
    run.exitCode === newer.exitCode &&
    run.stderrTail === newer.stderrTail
  );
}
