import { LOOK_TIME_SQL, rowStep } from '../sweep-step.ts';
import type { DueSchedule, UnsaidSchedule } from './schedule-queries.ts';
import { ScheduleService } from './schedule-service.ts';

/** Gives every due prompt; several sweepers that run at the same time share the work. */
export const dueSchedules = rowStep<DueSchedule>({
  deadlines: 'select next_run_at as at from schedules where next_run_at is not null',
  candidates: ({ deps }, after, limit) => new ScheduleService(deps).due({ after, limit }),
  nameOf: ({ id }) => id,
  act: ({ deps }, schedule) => new ScheduleService(deps).runDue(schedule),
});

/** Writes in the agent's chat which of its schedules were switched off. */
export const unsaidSchedules = rowStep<UnsaidSchedule>({
  deadlines: `select ${LOOK_TIME_SQL} as at from schedules where off_said = false`,
  candidates: ({ deps }, after, limit) => new ScheduleService(deps).unsaid({ after, limit }),
  nameOf: ({ id }) => id,
  act: ({ deps }, schedule) => new ScheduleService(deps).sayOff(schedule),
});
