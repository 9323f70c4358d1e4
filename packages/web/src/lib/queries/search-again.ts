import type { Degradation } from '@aizuchi/shared/contract/memory';
import { FAILED_POLL_MS } from './query-client.ts';

/** What was late or away may be there a moment later. */
const SOON = { afterMs: 1_000, times: 2 };
/** A machine that is busy for a minute. */
const LATE_TIMES = 8;

interface Found {
  readonly degraded: readonly Degradation[];
}

/** A part of a memory was late, or all of it away: what was found may not be all there is. */
export function isIncomplete(found: Found | undefined): boolean {
  return found?.degraded.some((one) => one === 'memory_unavailable' || one === 'collector_late') ?? false;
}

/**
 * When a search is made again by itself, while somebody looks at what it has found; false: it found all there is, or was late
 * again and again. Each search that the memory answers is recorded, so only one that is away is asked without end.
 */
export function searchAgainMs(found: Found | undefined, times: number): number | false {
  if (!isIncomplete(found)) return false;
  if (times <= SOON.times) return SOON.afterMs;
  return found?.degraded.includes('memory_unavailable') || times <= LATE_TIMES ? FAILED_POLL_MS : false;
}
