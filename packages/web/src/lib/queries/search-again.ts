import type { Degradation } from '@aizuchi/shared/contract/memory';
import { FAILED_POLL_MS } from './query-client.ts';

/** What was late or away may be there a moment later. */
const SOON = { afterMs: 1_000, times: 2 };

interface Found {
  readonly degraded: readonly Degradation[];
}

/** A part of a memory was late, or all of it away: what was found may not be all there is. */
export function isIncomplete(found: Found | undefined): boolean {
  return found?.degraded.some((one) => one === 'memory_unavailable' || one === 'collector_late') ?? false;
}

/** When a search is made again by itself, while somebody looks at what it has found; false: it found all there is. */
export function searchAgainMs(found: Found | undefined, times: number): number | false {
  if (!isIncomplete(found)) return false;
  return times <= SOON.times ? SOON.afterMs : FAILED_POLL_MS;
}
