import { z } from 'zod';
import { TASK_PRIORITIES, TASK_STATUSES } from '../../core/tasks/rules/task-status.ts';
import { MAX_PROPOSED_PARTS, PROPOSAL_STATES } from '../proposal.ts';
import { createTaskBodySchema } from '../task.ts';
import { idArgument, idempotencyKey, sessionArguments } from './common.ts';

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
  status: z.union([z.enum(TASK_STATUSES), z.array(z.enum(TASK_STATUSES)).max(6)]).optional(),
  assignee_id: idArgument.optional(),
  limit: z.number().int().min(1).max(200).optional(),
  cursor: z.string().max(500).optional(),
  ...sessionArguments,
});

export const toolTaskSchema = z.object({
  task_id: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.enum(TASK_STATUSES),
  priority: z.enum(TASK_PRIORITIES),
  assignee_id: z.string().nullable(),
  assignee_name: z.string().nullable(),
  parent_id: z.string().nullable(),
  depends_on: z.array(z.string()),
  labels: z.array(z.string()),
  due_date: z.string().nullable(),
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

export const getTaskInput = z.strictObject({ task_id: idArgument, ...sessionArguments });
export const getTaskOutput = z.object({ task: toolTaskSchema });

const newTask = createTaskBodySchema.shape;

export const createTaskInput = z.strictObject({
  title: newTask.title.describe('What is to be done, in one line.'),
  description: newTask.description.describe('Markdown: what belongs to it, and when it is done.'),
  status: newTask.status.describe('The column; backlog when left out.'),
  priority: newTask.priority.describe('medium when left out.'),
  assignee_id: newTask.assigneeId.describe('Who is to do it: an id of list_project_agents.'),
  parent_id: newTask.parentId.describe('The task that it is a part of.'),
  depends_on: newTask.dependsOn.describe('The tasks that must be done before it.'),
  labels: newTask.labels,
  due_date: newTask.dueDate.describe('The day, as 2026-12-24.'),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});

export const updateTaskStatusInput = z.strictObject({
  task_id: idArgument,
  status: z.enum(TASK_STATUSES),
  version: z
    .number()
    .int()
    .optional()
    .describe('The version that you have seen; refused when somebody has changed the task since.'),
  comment: z
    .string()
    .min(1)
    .max(20_000)
    .optional()
    .describe(
      'Markdown that is written on the task with the move. With the status that the task has: only the comment.',
    ),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});

export const taskWrittenOutput = z.object({ success: z.literal(true), task: toolTaskSchema });

export const proposeSubtasksInput = z.strictObject({
  task_id: idArgument.optional().describe('The task to split; the one that you work on when left out.'),
  subtasks: z
    .array(
      z.strictObject({
        title: newTask.title.describe('What is to be done, in one line.'),
        description: newTask.description.describe('Markdown: what belongs to it, and when it is done.'),
        assignee_id: newTask.assigneeId.describe('Who is to do it: an id of list_project_agents.'),
        depends_on: z
          .array(z.number().int().min(1))
          .max(MAX_PROPOSED_PARTS)
          .optional()
          .describe(
            'Those before it in this list that must be done first, by their numbers: the first is 1.',
          ),
      }),
    )
    .min(1)
    .max(MAX_PROPOSED_PARTS),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});
export const proposeSubtasksOutput = z.object({
  success: z.literal(true),
  proposal_id: z.string(),
  status: z.enum(PROPOSAL_STATES),
  instruction: z.string(),
});

export type ToolTask = z.infer<typeof toolTaskSchema>;
export type TaskList = z.infer<typeof listTasksOutput>;
