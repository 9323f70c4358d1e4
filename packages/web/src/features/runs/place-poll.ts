import type { Run } from '@aizuchi/shared/contract/run';

/** As often as its Coordinator reads what a run needs. No frame tells of it. */
const REFRESH_MS = 30_000;
/** Until it was read for the first time, with the beat after the start. */
const FIRST_REFRESH_MS = 2_000;
/** What was not read by then cannot be read: the host has no /proc, or the Coordinator is older. */
const FIRST_UNTIL_MS = 60_000;

export function placePollMs(run: Pick<Run, 'memory' | 'startedAt'> | undefined, nowMs: number): number {
  if (!run || run.memory) return REFRESH_MS;
  return nowMs - Date.parse(run.startedAt) < FIRST_UNTIL_MS ? FIRST_REFRESH_MS : REFRESH_MS;
}
