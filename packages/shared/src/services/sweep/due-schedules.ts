import type { DueSchedule, UnsaidSchedule } from '../../db/repositories/schedule-repository.ts';
import { rowStep } from './sweep-step.ts';

/** Gives every prompt whose time has come; several sweepers at once share the work. */
export const dueSchedules = rowStep<DueSchedule>({
  candidates: ({ schedules }, after, limit) => schedules.due({ after, limit }),
  nameOf: ({ id }) => id,
  act: ({ schedules }, schedule) => schedules.runDue(schedule),
});

/** Says in the agent's chat which of its schedules were switched off. */
export const unsaidSchedules = rowStep<UnsaidSchedule>({
  candidates: ({ schedules }, after, limit) => schedules.unsaid({ after, limit }),
  nameOf: ({ id }) => id,
  act: ({ schedules }, schedule) => schedules.sayOff(schedule),
});
