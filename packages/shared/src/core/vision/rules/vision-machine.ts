/** Open at once, of one agent. */
export const MAX_OPEN = 20;

export const VISION_STATES = ['pending', 'describing', 'described', 'declined'] as const;
export type VisionState = (typeof VISION_STATES)[number];

export interface VisionSnapshot {
  readonly state: VisionState;
  readonly expiresAt: Date;
  /** Of an answer that is being described: until when its process has to be done. */
  readonly claimedUntil: Date | null;
  /** The session of the agent that asked has ended: nobody waits for the answer. */
  readonly isAbandoned: boolean;
}

/** As people and agents see it. */
export type VisionStatus = VisionState | 'timeout' | 'cancelled';

/** Nobody writes that a request has timed out or is abandoned, or that the process of an answer died: all of it follows. */
export function statusAt(
  { state, expiresAt, claimedUntil, isAbandoned }: VisionSnapshot,
  now: Date,
): VisionStatus {
  if (state === 'described' || state === 'declined') return state;
  if (state === 'describing' && claimedUntil !== null && claimedUntil > now) return 'describing';
  if (expiresAt <= now) return 'timeout';
  return isAbandoned ? 'cancelled' : 'pending';
}

export type VisionCommand = 'claim' | 'decline';

/** What a person's answer does; undefined: the request takes none any more, or not now. */
export function decideVision(
  request: VisionSnapshot,
  command: VisionCommand,
  now: Date,
): 'describing' | 'declined' | undefined {
  if (statusAt(request, now) !== 'pending') return undefined;
  return command === 'claim' ? 'describing' : 'declined';
}

/** Whether somebody may still answer it, or is being answered. */
export function isOpen(status: VisionStatus): boolean {
  return status === 'pending' || status === 'describing';
}
