import { keys } from '../../platform/change-log/keys.ts';
import { LOOK_TIME_SQL, type NewSweepStep, type SweepStep } from '../sweep-step.ts';

/**
 * A failed start is tried again after a pause: when the pause is over, held calls of Coordinators check
 * again.
 */
export const cooledWakeUps: NewSweepStep = Object.assign(
  (): SweepStep =>
    async ({ deps }) => {
      deps.database.onCommit(new Set([keys.work]));
      return 0;
    },
  {
    // Only future times: after the Coordinators were notified there is nothing left to do.
    deadlines: `select not_before as at from pending_agent_purposes
      where started_at is null and not_before > ${LOOK_TIME_SQL}`,
  },
);
