import { keys } from '../../platform/changes/keys.ts';
import { LOOK_TIME_SQL, type NewSweepStep, type SweepStep } from '../sweep-step.ts';

/** A start that failed is taken again after a pause: when it is over, Coordinators that hold a call look again. */
export const cooledWakeUps: NewSweepStep = Object.assign(
  (): SweepStep =>
    async ({ deps }) => {
      deps.database.onCommit(new Set([keys.work]));
      return 0;
    },
  {
    // Only what lies ahead: nothing is left to be done once they have been told.
    deadlines: `select not_before as at from pending_agent_purposes
      where started_at is null and not_before > ${LOOK_TIME_SQL}`,
  },
);
