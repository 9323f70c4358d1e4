import { z } from 'zod';
import { idParamSchema, instantSchema, textSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';

export const ON_MISSED = ['skip', 'once'] as const;
export const SCHEDULE_OUTCOMES = ['started', 'skipped_overlap', 'skipped_missed', 'skipped_paused'] as const;
export type ScheduleOutcome = (typeof SCHEDULE_OUTCOMES)[number];
/** Why the system switched a schedule off. Its maker is the person in whose name it runs. */
export const SCHEDULE_OFF_REASONS = [
  'agent_deleted',
  'agent_removed',
  'project_archived',
  'maker_deleted',
  'maker_not_member',
  'maker_may_not_write',
] as const;
export type ScheduleOffReason = (typeof SCHEDULE_OFF_REASONS)[number];

/** Wakes an agent at given times and gives it a prompt; no person is present to answer its questions. */
export const scheduleSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  agentId: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  prompt: z.string(),
  enabled: z.boolean(),
  /** Absent while it is on, and when a person switched it off. */
  offReason: z.enum(SCHEDULE_OFF_REASONS).optional(),
  /**
   * The person in whose name it runs: its maker, or the person who switched it on again after the maker had
   * lost the necessary rights.
   */
  createdBy: z.string(),
  /** What happens with a time that passed while the product was not running. */
  onMissed: z.enum(ON_MISSED),
  createdAt: instantSchema,
  updatedAt: instantSchema,
  /** Absent while it is disabled or its agent may not run. */
  nextRunAt: instantSchema.optional(),
  lastRun: z
    .object({
      at: instantSchema,
      outcome: z.enum(SCHEDULE_OUTCOMES),
    })
    .optional(),
});
export type Schedule = z.infer<typeof scheduleSchema>;

/** Five fields, as in cron. The service asks the library whether they are valid. */
const cronSchema = z.string().trim().min(1).max(200);
const timeZoneSchema = z.string().min(1).max(100);

export const createScheduleBodySchema = z.strictObject({
  agentId: idParamSchema,
  cron: cronSchema,
  timeZone: timeZoneSchema.optional(),
  prompt: textSchema(1, 4_000),
  enabled: z.boolean().default(true),
  onMissed: z.enum(ON_MISSED).default('skip'),
});
export type CreateScheduleBody = z.infer<typeof createScheduleBodySchema>;

/** Fields that are named change. */
export const updateScheduleBodySchema = z.strictObject({
  agentId: idParamSchema.optional(),
  cron: cronSchema.optional(),
  timeZone: timeZoneSchema.optional(),
  prompt: textSchema(1, 4_000).optional(),
  enabled: z.boolean().optional(),
  onMissed: z.enum(ON_MISSED).optional(),
});
export type UpdateScheduleBody = z.infer<typeof updateScheduleBodySchema>;

export const listSchedulesQuerySchema = pageQuerySchema;
export const schedulePageSchema = z.object({
  schedules: z.array(scheduleSchema),
  nextCursor: nextCursorSchema,
});
export type SchedulePage = z.infer<typeof schedulePageSchema>;
