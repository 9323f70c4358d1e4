import type { Run } from '@aizuchi/shared/contract/run';

/** Whether the process of the chat was started before this moment and still runs. */
export function startedBefore(
  runs: readonly Pick<Run, 'purpose' | 'startedAt' | 'endedAt'>[],
  at: string | undefined,
): boolean {
  return runs.some(
    ({ purpose, startedAt, endedAt }) =>
      purpose === 'chat' &&
      endedAt === undefined &&
      at !== undefined &&
      Date.parse(startedAt) < Date.parse(at),
  );
}
