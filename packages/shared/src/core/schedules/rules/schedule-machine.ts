import type { Decision } from '../../rules/decision.ts';

/** The current rights in its project of the person in whose name a schedule runs. */
export interface MakerStanding {
  readonly isDeleted: boolean;
  readonly accessLevel: 'owner' | 'member' | 'viewer';
  readonly isMember: boolean;
}
export type MakerFault = 'maker_deleted' | 'maker_not_member' | 'maker_may_not_write';

/** Null: the person may write there, so it may run. */
export function makerFault({ isDeleted, accessLevel, isMember }: MakerStanding): MakerFault | null {
  if (isDeleted) return 'maker_deleted';
  if (accessLevel === 'owner') return null;
  if (!isMember) return 'maker_not_member';
  return accessLevel === 'viewer' ? 'maker_may_not_write' : null;
}

export type ProjectStanding = 'active' | 'paused' | 'archived';

/**
 * When it is later than this after a due time, the schedule could not be run: the product was not running, or
 * the database was away.
 */
export const MISSED_AFTER_MS = 60_000;

export interface ScheduleSnapshot {
  readonly enabled: boolean;
  readonly onMissed: 'skip' | 'once';
  readonly nextRunAt: Date | null;
}

export interface ScheduleSurroundings {
  readonly projectStatus: ProjectStanding;
  /** The last prompt of this schedule still waits or is being worked on. */
  readonly isRunning: boolean;
}

export type ScheduleRun = 'started' | 'skipped_overlap' | 'skipped_missed' | 'skipped_paused';

/**
 * What happens at a due time, checked under the lock of the row. `due` false: a person runs it now, so
 * neither the clock nor `enabled` is checked.
 */
export function decideScheduleRun(
  schedule: ScheduleSnapshot,
  around: ScheduleSurroundings,
  now: Date,
  options: { readonly due: boolean },
): Decision<ScheduleRun, 'not_due'> {
  if (options.due) {
    const at = schedule.enabled ? schedule.nextRunAt : null;
    if (at === null || at > now) return { ok: false, refusal: 'not_due' };
    const isMissed = now.getTime() - at.getTime() > MISSED_AFTER_MS;
    if (isMissed && schedule.onMissed === 'skip') return { ok: true, value: 'skipped_missed' };
  }
  if (around.projectStatus !== 'active') return { ok: true, value: 'skipped_paused' };
  return { ok: true, value: around.isRunning ? 'skipped_overlap' : 'started' };
}
