import { z } from 'zod';
import { PURPOSES } from '../core/rules/work-key.ts';
import { EXIT_CAUSES } from '../core/runs/rules/run-machine.ts';
import { changesSummarySchema } from './changes.ts';
import { idParamSchema, instantSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';
import { reasonSchema } from './reason.ts';

// For the Coordinator, which knows the contract only.
export type { MembershipKey } from '../core/rules/work-key.ts';

/**
 * What runs live in: processes of the host, containers of its engine, services of a swarm or Jobs of a Kubernetes cluster,
 * which are containers too.
 */
export const EXECUTORS = ['process', 'docker', 'swarm', 'kubernetes'] as const;
/** Of a run in a container; memory in MiB, without swap. Threads count as processes; a Job has no limit of them. */
export const runLimitsSchema = z.object({
  memoryMb: z.int().positive(),
  cpus: z.int().positive(),
  processes: z.int().positive().optional(),
});
export type RunLimits = z.infer<typeof runLimitsSchema>;
/** What all processes of the run need together, in MiB, by a reading every half minute. */
const runMemorySchema = z.object({
  /** Absent when the run is over. */
  nowMb: z.int().optional(),
  mostMb: z.int(),
});

export const RUN_STATES = ['starting', 'running', 'stopping', 'exited'] as const;

/** One process of an agent, from the time when its start was taken to its end. */
export const runSchema = z.object({
  id: z.string(),
  agentId: z.string(),
  projectId: z.string(),
  purpose: z.enum(PURPOSES),
  taskId: z.string().optional(),
  coordinatorId: z.string().nullable(),
  host: z.string().optional(),
  /** Absent until the run has started, as `image` and `limits` are. */
  executor: z.enum(EXECUTORS).optional(),
  /** The node of the swarm or the cluster on which its container is. */
  node: z.string().optional(),
  /** Of its container. */
  image: z.string().optional(),
  limits: runLimitsSchema.optional(),
  /** Absent until it was read. */
  memory: runMemorySchema.optional(),
  provider: z.string(),
  model: z.string().optional(),
  pid: z.number().int().nullable(),
  state: z.enum(RUN_STATES),
  startedAt: instantSchema,
  endedAt: instantSchema.optional(),
  exitCause: z.enum(EXIT_CAUSES).optional(),
  exitCode: z.number().int().optional(),
  signal: z.string().optional(),
  /** Why its end was requested (`idle`, `superseded`, `stopped_by_person` …). */
  stopReason: z.string().optional(),
  /** A text for a person: what was wrong, and what to do. */
  error: z.string().optional(),
  /**
   * The same for each reader in its language. Null: `error` says no more than cause, code and signal do. Absent: only
   * `error` is known.
   */
  reason: reasonSchema.nullable().optional(),
  stderrTail: z.string().optional(),
  /** The agent that works in the folder that they share: the task of this run waits until that is done. */
  waitsForAgentId: z.string().optional(),
  /** Absent: it works in the folder of the project, or in none. */
  changes: changesSummarySchema.optional(),
});
export type Run = z.infer<typeof runSchema>;

/**
 * `?state=starting&state=running` and `?agentId=…` narrow the list, `?changes=undecided` to runs whose worktree waits
 * for a decision.
 */
export const listRunsQuerySchema = pageQuerySchema.extend({
  agentId: idParamSchema.optional(),
  state: z
    .union([
      z.enum(RUN_STATES).transform((state) => [state]),
      z.array(z.enum(RUN_STATES)).max(RUN_STATES.length),
    ])
    .optional(),
  changes: z.literal('undecided').optional(),
});
export type ListRunsQuery = z.infer<typeof listRunsQuerySchema>;
export const runPageSchema = z.object({ runs: z.array(runSchema), nextCursor: nextCursorSchema });
export type RunPage = z.infer<typeof runPageSchema>;

/**
 * The last lines, or everything from a byte on: the X-Log-End of one answer is the `from` of the next
 * request.
 */
export const runLogQuerySchema = z
  .strictObject({
    tail: z.coerce.number().int().min(1).max(100_000).optional(),
    from: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  })
  .refine((query) => query.tail === undefined || query.from === undefined, 'tail or from, not both');
export type RunLogQuery = z.infer<typeof runLogQuerySchema>;
