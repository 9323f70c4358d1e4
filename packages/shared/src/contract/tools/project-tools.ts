import { z } from 'zod';
import { idArgument, sessionArguments, TASK_PRIORITY_NAMES, TASK_STATUS_NAMES } from './common.ts';

export const listProjectAgentsInput = z.strictObject({ ...sessionArguments });
export const listProjectAgentsOutput = z.object({
  agents: z.array(
    z.object({
      agent_id: z.string(),
      name: z.string(),
      type: z.enum(['human', 'ai']),
      role: z.string().optional(),
      labels: z.array(z.string()),
      is_self: z.boolean(),
      active_sessions: z.number().int(),
    }),
  ),
});

export const listTasksInput = z.strictObject({
  status: z.union([z.enum(TASK_STATUS_NAMES), z.array(z.enum(TASK_STATUS_NAMES)).max(6)]).optional(),
  assignee_id: idArgument.optional(),
  limit: z.number().int().min(1).max(200).optional(),
  cursor: z.string().max(500).optional(),
  ...sessionArguments,
});

export const toolTaskSchema = z.object({
  task_id: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.enum(TASK_STATUS_NAMES),
  priority: z.enum(TASK_PRIORITY_NAMES),
  assignee_id: z.string().nullable(),
  assignee_name: z.string().nullable(),
  parent_id: z.string().nullable(),
  depends_on: z.array(z.string()),
  version: z.number().int(),
  created_at: z.string(),
  updated_at: z.string(),
});

export const listTasksOutput = z.object({
  tasks: z.array(toolTaskSchema),
  /** Counts of the whole board, independent of filter and page. */
  counts: z.object({
    backlog: z.number().int(),
    todo: z.number().int(),
    in_progress: z.number().int(),
    blocked: z.number().int(),
    done: z.number().int(),
    cancelled: z.number().int(),
  }),
  next_cursor: z.string().nullable(),
});

export type ToolTask = z.infer<typeof toolTaskSchema>;
export type TaskList = z.infer<typeof listTasksOutput>;
