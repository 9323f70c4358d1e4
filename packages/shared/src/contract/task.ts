import { z } from 'zod';
import { ATTEMPT_OUTCOMES } from '../core/task-work/rules/task-work.ts';
import { TASK_FIELDS } from '../core/tasks/rules/task-fields.ts';
import { TASK_PRIORITIES, TASK_STATUSES } from '../core/tasks/rules/task-status.ts';
import { attachmentIdsSchema, attachmentSchema } from './attachment.ts';
import { idParamSchema, idSchema, instantSchema, lineSchema, textSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';
import { reasonSchema } from './reason.ts';
import { usageSumSchema } from './usage.ts';

export { TASK_FIELDS, type TaskField } from '../core/tasks/rules/task-fields.ts';
export {
  TASK_PRIORITIES,
  TASK_STATUSES,
  type TaskPriority,
  type TaskStatus,
} from '../core/tasks/rules/task-status.ts';

export const titleSchema = lineSchema(500);
export const descriptionSchema = textSchema(0, 50_000);
const dependsOnSchema = z
  .array(idParamSchema)
  .max(100)
  .refine((ids) => new Set(ids).size === ids.length, 'each task once');

const labelsSchema = z
  .array(lineSchema(50))
  .max(20)
  .refine((labels) => new Set(labels).size === labels.length, 'each label once');
/** A day, not a moment: it is the same in every time zone. Postgres reads no year 0. */
export const dueDateSchema = z.iso.date().refine((value) => !value.startsWith('0000'), 'before the year 1');

export const taskSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  title: z.string(),
  description: z.string(),
  status: z.enum(TASK_STATUSES),
  priority: z.enum(TASK_PRIORITIES),
  assigneeId: z.string().optional(),
  parentId: z.string().optional(),
  dependsOn: z.array(z.string()),
  labels: z.array(z.string()),
  dueDate: z.string().optional(),
  /** The order within a column: the smallest is on top; equal ones by id. */
  position: z.number(),
  /** Of a task that has parts: how many, and how many are done. Cancelled ones do not count. */
  parts: z.object({ total: z.int(), done: z.int() }).optional(),
  /** How often an agent has begun to work on it. */
  attempts: z.int(),
  comments: z.int(),
  /** Increases with every change; a PATCH names the version that it is based on. */
  version: z.int(),
  createdBy: z.string().optional(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
});
export type Task = z.infer<typeof taskSchema>;

/** A new task may be in any column; the default is backlog. */
export const createTaskBodySchema = z.strictObject({
  id: idSchema.optional(),
  title: titleSchema,
  description: descriptionSchema.optional(),
  status: z.enum(TASK_STATUSES).optional(),
  priority: z.enum(TASK_PRIORITIES).optional(),
  assigneeId: idParamSchema.optional(),
  parentId: idParamSchema.optional(),
  dependsOn: dependsOnSchema.optional(),
  labels: labelsSchema.optional(),
  dueDate: dueDateSchema.optional(),
});
export type CreateTaskBody = z.infer<typeof createTaskBodySchema>;

/**
 * Fields that are named change; null empties a field. Without `version` the answer is 409 version_conflict,
 * not 400.
 */
export const updateTaskBodySchema = z.strictObject({
  version: z.int().optional(),
  title: titleSchema.optional(),
  description: descriptionSchema.optional(),
  status: z.enum(TASK_STATUSES).optional(),
  priority: z.enum(TASK_PRIORITIES).optional(),
  assigneeId: idParamSchema.nullable().optional(),
  parentId: idParamSchema.nullable().optional(),
  dependsOn: dependsOnSchema.optional(),
  labels: labelsSchema.optional(),
  dueDate: dueDateSchema.nullable().optional(),
  /** Its place in its column: directly below this task of the column; null puts it on top. */
  after: idParamSchema.nullable().optional(),
});
export type UpdateTaskBody = z.infer<typeof updateTaskBodySchema>;

/** How many tasks a page of a board has at most. */
export const MAX_BOARD_TASKS = 2_000;

/**
 * `?status=todo&status=done`, `?assigneeId=…`, `?parentId=…` and `?label=…` narrow the list. `?board=true`: pages for who
 * shows a whole board, of MAX_BOARD_TASKS instead of `limit`.
 */
export const listTasksQuerySchema = pageQuerySchema.extend({
  status: z
    .union([z.enum(TASK_STATUSES).transform((status) => [status]), z.array(z.enum(TASK_STATUSES)).max(6)])
    .optional(),
  assigneeId: idParamSchema.optional(),
  parentId: idParamSchema.optional(),
  label: z.string().min(1).max(200).optional(),
  board: z.stringbool().optional(),
});
export type ListTasksQuery = z.infer<typeof listTasksQuerySchema>;
export const taskPageSchema = z.object({ tasks: z.array(taskSchema), nextCursor: nextCursorSchema });
export type TaskPage = z.infer<typeof taskPageSchema>;

export const taskCommentSchema = z.object({
  id: z.string(),
  /** Absent: the product itself. */
  authorId: z.string().optional(),
  /** Also where the reader cannot list the author, for instance an owner. */
  authorName: z.string().optional(),
  body: z.string(),
  attachments: z.array(attachmentSchema).optional(),
  createdAt: instantSchema,
});
export type TaskComment = z.infer<typeof taskCommentSchema>;
/** The same `clientCommentId` again is the same comment, once: for a call whose response was lost. */
export const createCommentBodySchema = z.strictObject({
  body: textSchema(1, 20_000),
  attachments: attachmentIdsSchema.optional(),
  clientCommentId: z.string().min(1).max(200).optional(),
});
export type CreateCommentBody = z.infer<typeof createCommentBodySchema>;
export const markCommentsReadBodySchema = z.strictObject({ upToCommentId: idParamSchema });
export type MarkCommentsReadBody = z.infer<typeof markCommentsReadBodySchema>;
export const commentPageSchema = z.object({
  comments: z.array(taskCommentSchema),
  nextCursor: nextCursorSchema,
});
export type CommentPage = z.infer<typeof commentPageSchema>;

/** Long texts are cut. A list is its items, joined by commas. */
export const historyEntrySchema = z.object({
  at: instantSchema,
  /** Absent: the product itself, as when the last dependency is done. */
  byId: z.string().optional(),
  byName: z.string().optional(),
  field: z.enum(TASK_FIELDS),
  from: z.string().nullable(),
  to: z.string().nullable(),
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;
export const historyPageSchema = z.object({
  entries: z.array(historyEntrySchema),
  nextCursor: nextCursorSchema,
});
export type HistoryPage = z.infer<typeof historyPageSchema>;

export const attemptSchema = z.object({
  /** From 1. */
  n: z.int(),
  agentId: z.string(),
  runId: z.string().optional(),
  startedAt: instantSchema,
  endedAt: instantSchema.optional(),
  outcome: z.enum(ATTEMPT_OUTCOMES).optional(),
  summary: z.string().optional(),
  /** The summary of a failure for each reader in its language; `lastLine` of its parameters follows. */
  reason: reasonSchema.optional(),
  /** What it has used so far; absent: the agent has said nothing of it, or its session is forgotten. */
  usage: usageSumSchema.optional(),
  /** How many steps of it are kept; absent: none. */
  steps: z.int().optional(),
});
export type TaskAttempt = z.infer<typeof attemptSchema>;
/** The newest hundred, oldest first. */
export const attemptListSchema = z.object({ attempts: z.array(attemptSchema) });
export type AttemptList = z.infer<typeof attemptListSchema>;
