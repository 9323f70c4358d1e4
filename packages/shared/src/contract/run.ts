import { z } from 'zod';
import { EXIT_CAUSES } from '../domain/run/run-machine.ts';
import { instantSchema } from './ids.ts';

export const RUN_STATES = ['starting', 'running', 'stopping', 'exited'] as const;

/** One process of an agent, from the taken start to its end (contract §3). */
export const runSchema = z.object({
  id: z.string(),
  agentId: z.string(),
  projectId: z.string(),
  purpose: z.enum(['chat', 'task']),
  taskId: z.string().optional(),
  coordinatorId: z.string().nullable(),
  host: z.string().optional(),
  provider: z.string(),
  model: z.string().optional(),
  pid: z.number().int().nullable(),
  state: z.enum(RUN_STATES),
  startedAt: instantSchema,
  endedAt: instantSchema.optional(),
  exitCause: z.enum(EXIT_CAUSES).optional(),
  exitCode: z.number().int().optional(),
  signal: z.string().optional(),
  /** Why it was asked to stop (`idle`, `superseded`, `stopped_by_person` …). */
  stopReason: z.string().optional(),
  /** In words for a person: what was wrong, and what to do. */
  error: z.string().optional(),
  stderrTail: z.string().optional(),
});
export type Run = z.infer<typeof runSchema>;
