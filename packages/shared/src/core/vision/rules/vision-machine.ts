/** Open at once, of one agent. */
export const MAX_OPEN = 20;

export const VISION_STATES = ['pending', 'describing', 'described', 'declined'] as const;
export type VisionState = (typeof VISION_STATES)[number];

export interface VisionSnapshot {
  readonly state: VisionState;
  readonly expiresAt: Date;
  /** Of an answer that is being described: until when its process has to be done. */
  readonly claimedUntil: Date | null;
}

/** As people and agents see it. */
export type VisionStatus = VisionState | 'timeout';

/** Nobody writes that a request has timed out, or that the process of an answer died: both follow from the time. */
export function statusAt({ state, expiresAt, claimedUntil }: VisionSnapshot, now: Date): VisionStatus {
  if (state === 'described' || state === 'declined') return state;
  if (state === 'describing' && claimedUntil !== null && claimedUntil > now) return 'describing';
  return expiresAt > now ? 'pending' : 'timeout';
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
