import { z } from 'zod';
import { ATTEMPT_OUTCOMES } from '../../core/task-work/rules/task-work.ts';
import { TASK_STATUSES } from '../../core/tasks/rules/task-status.ts';
import { attachmentSchema } from '../attachment.ts';
import { idempotencyKey, sessionArguments } from './common.ts';
import { toolTaskSchema } from './project-tools.ts';

/** The tools of a session that works on a task (purpose "task"). In a chat they answer `not_a_task_session`. */

/** The newest of each list that get_my_task gives. */
export const MY_TASK_LIMITS = { context: 20, comments: 50, attempts: 20 } as const;

export const MAX_CONTEXT_LENGTH = 20_000;
export const MAX_SUMMARY_LENGTH = 20_000;

export const getMyTaskInput = z.strictObject({ ...sessionArguments });
export const getMyTaskOutput = z.object({
  task: toolTaskSchema,
  /** The number of this attempt, from 1. */
  attempt: z.number().int(),
  context: z
    .array(z.object({ at: z.string(), attempt: z.number().int().nullable(), text: z.string() }))
    .describe('What this and earlier attempts have saved with save_context, oldest first.'),
  comments: z
    .array(
      z.object({
        at: z.string(),
        author_id: z.string().nullable(),
        author_name: z.string(),
        text: z.string(),
        attachments: z.array(attachmentSchema).optional(),
      }),
    )
    .describe('What people and agents have written about the task, oldest first.'),
  attempts: z
    .array(
      z.object({
        attempt: z.number().int(),
        agent_id: z.string(),
        started_at: z.string(),
        ended_at: z.string().nullable(),
        outcome: z.enum(ATTEMPT_OUTCOMES).nullable(),
        summary: z.string().nullable(),
      }),
    )
    .describe('Earlier attempts at this task and how they ended, oldest first.'),
  dependencies: z
    .array(
      z.object({
        task_id: z.string(),
        title: z.string(),
        status: z.enum(TASK_STATUSES),
        summary: z.string().nullable().describe('What the agent that did it has reported.'),
      }),
    )
    .describe('The tasks that had to be done before.'),
  instruction: z.string(),
});

export const saveContextInput = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(MAX_CONTEXT_LENGTH)
    .describe('What is done, what was found, what comes next: all that another process needs to go on.'),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});
export const saveContextOutput = z.object({ success: z.literal(true), instruction: z.string() });

/** The second names of a result are those of earlier protocols; they mean the same. */
export const REPORT_RESULTS = ['done', 'blocked', 'success', 'completed', 'failed'] as const;

export const reportCompletedInput = z.strictObject({
  result: z
    .enum(REPORT_RESULTS)
    .describe(
      '"done": all of it is done ("success" and "completed" mean the same). "blocked": you cannot go on ("failed" means the same).',
    ),
  summary: z
    .string()
    .min(1)
    .max(MAX_SUMMARY_LENGTH)
    .describe(
      'Markdown: what you did and where the result is; of a blocked task what is missing, and from whom.',
    ),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});
export const reportCompletedOutput = z.object({
  success: z.literal(true),
  task: toolTaskSchema,
  instruction: z.string(),
});

export type MyTask = z.infer<typeof getMyTaskOutput>;
export type ReportResult = (typeof REPORT_RESULTS)[number];
