import type { SessionState } from './session-machine.ts';

/*
 * An end that was taken back while it was on its way to the agent: the agent reads it and leaves, although its session is
 * active again.
 */

/** A call lasts no longer: an agent that leaves within it may have read the end. */
export const OLD_END_MS = 60_000;

/** Whether the agent of this session leaves because of such an end, if it leaves now. */
export function followsOldEnd(
  { state, offeredAt }: { readonly state: SessionState; readonly offeredAt: Date | null },
  now: Date,
): boolean {
  return state === 'active' && offeredAt !== null && now.getTime() - offeredAt.getTime() < OLD_END_MS;
}
