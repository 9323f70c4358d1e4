/*
 *  created ──claim──▶ started ──▶ removed (authenticated | taken_by_session)
 *     ▲                  │
 *     └── start_failed ──┘ twice, after 1 s and 2 s; the third removes it
 *  created, started ──ttl──▶ removed (expired)
 */

/**
 * The reasons for which a wake-up waits while its clock is stopped: a place, the limit of tasks of its agent,
 * the end of a pause after a crash, the end of an old session; a task also for the day on which its agent may
 * use tokens again; a program that is started for its work also for the folder of the project.
 */
export const HELD_FOR = [
  'capacity',
  'task_limit',
  'cooling_down',
  'session_ending',
  'usage_limit',
  'folder_in_use',
] as const;
export type HeldFor = (typeof HELD_FOR)[number];

export interface WakeUpSnapshot {
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly notBefore: Date | null;
  readonly failedStarts: number;
  /** While it is held for one of `HELD_FOR` the clock of createdAt is stopped. */
  readonly heldSince: Date | null;
  readonly heldMs: number;
}

export type StartFailure = { retry: true; failedStarts: number; notBefore: Date } | { retry: false };

const RETRY_DELAYS_MS = [1_000, 2_000];

/**
 * Time that counts for the TTL: since the start, or since creation without the time for which it was held.
 */
export function wakeUpAgeMs(row: WakeUpSnapshot, now: Date): number {
  if (row.startedAt !== null) return now.getTime() - row.startedAt.getTime();
  const held = row.heldMs + (row.heldSince === null ? 0 : now.getTime() - row.heldSince.getTime());
  return now.getTime() - row.createdAt.getTime() - held;
}

/** Trap 4: a started row keeps its TTL. */
export function isExpired(row: WakeUpSnapshot, now: Date, ttlMs: number): boolean {
  return wakeUpAgeMs(row, now) >= ttlMs;
}

/** A start that ended before authenticate (not a refused sign-in: that one waits for its TTL, UC010). */
export function decideStartFailure(row: Pick<WakeUpSnapshot, 'failedStarts'>, now: Date): StartFailure {
  const delay = RETRY_DELAYS_MS[row.failedStarts];
  if (delay === undefined) return { retry: false };
  return { retry: true, failedStarts: row.failedStarts + 1, notBefore: new Date(now.getTime() + delay) };
}
