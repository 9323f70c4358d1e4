import { z } from 'zod';
import { instantSchema } from './ids.ts';

export const ON_MISSED = ['skip', 'once'] as const;

/** Wakes an agent by the clock and gives it a prompt; nobody is there to answer its questions. */
export const scheduleSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  agentId: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  prompt: z.string(),
  enabled: z.boolean(),
  /** What happens with a time that passed while the product was down. */
  onMissed: z.enum(ON_MISSED),
  createdAt: instantSchema,
  updatedAt: instantSchema,
  /** Absent while it is disabled or its agent may not run. */
  nextRunAt: instantSchema.optional(),
  lastRun: z
    .object({
      at: instantSchema,
      outcome: z.enum(['started', 'skipped_overlap', 'skipped_missed', 'skipped_paused']),
    })
    .optional(),
});
export type Schedule = z.infer<typeof scheduleSchema>;
