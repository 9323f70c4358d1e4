import { z } from 'zod';
import { PROVIDER_NAMES } from '../../core/agents/rules/providers.ts';
import { PURPOSES } from '../../core/rules/work-key.ts';
import { AGENT_EXECUTORS } from '../agent.ts';
import { worktreeOrderSchema, worktreeReportShape } from '../changes.ts';
import { instantSchema } from '../ids.ts';
import { hostProgramListSchema } from '../programs.ts';
import { reasonSchema } from '../reason.ts';
import { EXECUTORS } from '../run.ts';
import {
  coordinatorCredential,
  holdSeconds,
  idArgument,
  idempotencyKey,
  MAX_COORDINATOR_HOLD_SECONDS,
} from './common.ts';

/**
 * There is one process per home; this id makes it possible to refuse the second of two Coordinators with the
 * same COORDINATOR_ID.
 */
const instanceId = idArgument
  .optional()
  .describe(
    'The home that this Coordinator keeps its state in: the same after a restart, another in another home.',
  );

/** 16 TiB. */
const MAX_MEMORY_MB = 16_777_216;

export const healthCheckInput = z.strictObject({ ...coordinatorCredential });
export const healthCheckOutput = z.object({
  status: z.literal('ok'),
  server_time: z.string(),
  version: z.string(),
});

export const listActiveProjectsWithAgentsInput = z.strictObject({ ...coordinatorCredential });
export const listActiveProjectsWithAgentsOutput = z.object({
  projects: z.array(
    z.object({
      project_id: z.string(),
      name: z.string(),
      working_directory: z.string(),
      agents: z.array(z.string()).describe('Ids of the AI agents that are members.'),
    }),
  ),
});

export const waitForAgentActionsInput = z.strictObject({
  coordinator_id: idArgument,
  host: z.string().max(255),
  boot_id: z.string().max(64),
  capacity: z.number().int().min(0).max(10_000).describe('How many runs this host takes in all.'),
  running: z
    .array(idArgument)
    .max(10_000)
    .describe('Every run that lives here, starting and stopping ones too.'),
  labels: z.array(z.string().max(100)).max(100),
  roots: z
    .array(z.string().max(4096))
    .max(100)
    .describe('Folders of this host in which it works; empty: any.'),
  executor: z.enum(EXECUTORS).optional().describe('What its runs live in; absent: process.'),
  keeps_egress: z
    .boolean()
    .optional()
    .describe('It keeps runs to the list of hosts that their project allows; absent: it does not.'),
  memory: z
    .array(z.object({ run_id: idArgument, memory_mb: z.int().min(0).max(MAX_MEMORY_MB) }))
    .max(10_000)
    .optional()
    .describe('What the processes of a run need together in MiB; only of runs for which it has changed.'),
  pulling: z
    .array(z.object({ run_id: idArgument, percent: z.int().min(0).max(100) }))
    .max(10_000)
    .optional()
    .describe(
      'Every run that waits for its image, and how far that is pulled; empty: none does any more. Absent: as said before.',
    ),
  as_of: instantSchema
    .optional()
    .describe(
      'The time of the server at which `running` was true: server_time of the last answer, and what has passed since by a clock that is never set. A run that was started later is not missed in it. Absent: now.',
    ),
  hold_seconds: holdSeconds(MAX_COORDINATOR_HOLD_SECONDS),
  instance_id: instanceId,
  ...coordinatorCredential,
});
export const waitForAgentActionsOutput = z.object({
  pairs: z.array(z.object({ agent_id: z.string(), project_id: z.string() })),
  stop: z.array(z.object({ run_id: z.string(), reason: z.string() })),
  changes: z
    .array(worktreeOrderSchema)
    .optional()
    .describe('What to do with the worktrees of runs, until it is reported.'),
  look_for_programs: z
    .boolean()
    .optional()
    .describe('A person wants to know which programs for agents this host has: call report_programs.'),
  server_time: z
    .string()
    .optional()
    .describe('When it was answered, for as_of; only for a caller that names its instance_id.'),
});

export const getAgentActionInput = z.strictObject({
  agent_id: idArgument,
  project_id: idArgument,
  coordinator_id: idArgument.optional(),
  instance_id: instanceId,
  ...coordinatorCredential,
});
export const getAgentActionOutput = z.object({
  action: z.enum(['start', 'hold', 'stop']),
  reason: z.string(),
  purpose: z.enum(PURPOSES).optional(),
  task_id: z.string().optional(),
  conversation_id: z.string().optional(),
  run_id: z.string().optional(),
  provider: z.enum(PROVIDER_NAMES).optional(),
  model: z.string().nullable().optional(),
  base_url: z.string().nullable().optional(),
  api_key_env: z.string().nullable().optional(),
  command: z
    .object({
      file: z.string(),
      args: z.array(z.string()),
      mode: z.enum(['resident', 'per_work']).optional(),
    })
    .optional(),
  executor: z
    .enum(AGENT_EXECUTORS)
    .optional()
    .describe('docker: it is started in a container, or not at all.'),
  limits: z
    .object({
      memory_mb: z.number().int().optional(),
      cpus: z.number().int().optional(),
      processes: z.number().int().optional(),
    })
    .optional()
    .describe('What its container may need; the rest as the Coordinator sets it.'),
  image: z
    .string()
    .optional()
    .describe('Of its container; absent: the one that the Coordinator has for all.'),
  egress: z
    .array(z.string())
    .optional()
    .describe(
      'The hosts that it may reach beside the mcp-server: it is kept to them, or not started. Absent: no list.',
    ),
  working_directory: z.string().optional(),
  /**
   * We made the folder, so the agent's account may own it; the own folder of a person is never given away.
   */
  working_directory_made: z.boolean().optional(),
  /** The folder of another live project is inside or around it: no run may be started there. */
  working_directory_overlaps: z.boolean().optional(),
  /** The run gets a worktree of its own: it never works in the folder of the project. */
  worktree: z.boolean().optional(),
  /** It goes on in the worktree that was made for this run, which was interrupted in its work. */
  worktree_made_for: z.string().optional(),
  launch: z.object({ ticket: z.string() }).optional(),
});

export const accepted = z.object({ accepted: z.literal(true) });

export const reportProcessStartedInput = z.strictObject({
  run_id: idArgument,
  coordinator_id: idArgument,
  host: z.string().max(255),
  boot_id: z.string().max(64),
  pid: z.number().int().positive(),
  start_ticks: z.number().int().min(0),
  executor: z
    .enum(EXECUTORS)
    .optional()
    .describe(
      'What it lives in: a process of the host, a container, a service of a swarm, or a Job of a Kubernetes cluster.',
    ),
  node: z
    .string()
    .max(255)
    .optional()
    .describe('The node of the swarm or the cluster on which its container is.'),
  image: z.string().max(255).optional().describe('Of its container.'),
  limits: z
    .object({
      memory_mb: z.int().positive().max(MAX_MEMORY_MB),
      cpus: z.int().positive().max(100_000),
      processes: z.int().positive().max(10_000_000).optional(),
    })
    .optional()
    .describe('What it may need at most.'),
  instance_id: instanceId,
  idempotency_key: idempotencyKey,
  ...coordinatorCredential,
});

/** The causes that a Coordinator can observe; only the server decides on stalled. */
const SEEN_EXIT_CAUSES = ['finished', 'crashed', 'killed', 'could_not_start', 'lost'] as const;

export const reportProcessExitInput = z.strictObject({
  run_id: idArgument,
  exit_code: z.number().int().nullable(),
  signal: z.string().max(32).nullable().optional(),
  error: z.string().max(4000).optional().describe('Why it could not be started, or how it was lost.'),
  reason: reasonSchema
    .optional()
    .describe('The same as code and parameters, for each reader in its language.'),
  cause: z
    .enum(SEEN_EXIT_CAUSES)
    .optional()
    .describe('killed: we ended it. lost: its node has gone. Derived from the rest when missing.'),
  stderr_tail: z.string().max(16_000).optional(),
  coordinator_id: idArgument.optional().describe('Of which the run must be, when it is given.'),
  instance_id: instanceId,
  idempotency_key: idempotencyKey,
  ...coordinatorCredential,
});

export const reportChangesInput = z.strictObject({
  run_id: idArgument,
  coordinator_id: idArgument,
  instance_id: instanceId,
  made_for: idArgument
    .optional()
    .describe('The run that the worktree was made for, when that is an earlier one.'),
  ...worktreeReportShape,
  idempotency_key: idempotencyKey,
  ...coordinatorCredential,
});

export const reportProgramsInput = z.strictObject({
  coordinator_id: idArgument,
  instance_id: instanceId,
  programs: hostProgramListSchema,
  ...coordinatorCredential,
});

export const reportAgentErrorInput = z.strictObject({
  agent_id: idArgument,
  project_id: idArgument,
  run_id: idArgument.optional(),
  coordinator_id: idArgument.optional(),
  error: z.string().min(1).max(4000),
  reason: reasonSchema.optional(),
  idempotency_key: idempotencyKey,
  ...coordinatorCredential,
});

export type AgentAction = z.infer<typeof getAgentActionOutput>;
export type AgentActions = z.infer<typeof waitForAgentActionsOutput>;
export type SeenExitCause = (typeof SEEN_EXIT_CAUSES)[number];
export type WorktreeOrder = NonNullable<AgentActions['changes']>[number];
