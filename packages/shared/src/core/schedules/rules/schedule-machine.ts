import type { Decision } from '../../rules/decision.ts';

/** What the person in whose name a schedule runs may do in its project, now. */
export interface MakerStanding {
  readonly isDeleted: boolean;
  readonly accessLevel: 'owner' | 'member' | 'viewer';
  readonly isMember: boolean;
}
export type MakerFault = 'maker_deleted' | 'maker_not_member' | 'maker_may_not_write';

/** Null: he may write there, so it may run in his name. */
export function makerFault({ isDeleted, accessLevel, isMember }: MakerStanding): MakerFault | null {
  if (isDeleted) return 'maker_deleted';
  if (accessLevel === 'owner') return null;
  if (!isMember) return 'maker_not_member';
  return accessLevel === 'viewer' ? 'maker_may_not_write' : null;
}

export type ProjectStanding = 'active' | 'paused' | 'archived';

/** Later than this after its time, nobody was there to run it: the product was down, or the database away. */
export const MISSED_AFTER_MS = 60_000;

export interface ScheduleSnapshot {
  readonly enabled: boolean;
  readonly onMissed: 'skip' | 'once';
  readonly nextRunAt: Date | null;
}

export interface ScheduleSurroundings {
  readonly projectStatus: ProjectStanding;
  /** The last prompt of this schedule still waits or is worked on. */
  readonly isRunning: boolean;
}

export type ScheduleRun = 'started' | 'skipped_overlap' | 'skipped_missed' | 'skipped_paused';

/**
 * What becomes of a time that has come, looked at under the row's lock. `due` false: a person wants it now, so
 * neither the clock nor `enabled` is asked.
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
