import { z } from 'zod';
import { TASK_PRIORITIES, TASK_STATUSES } from '../core/tasks/rules/task-status.ts';
import { idParamSchema, idSchema, instantSchema, lineSchema, textSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';

export {
  TASK_PRIORITIES,
  TASK_STATUSES,
  type TaskPriority,
  type TaskStatus,
} from '../core/tasks/rules/task-status.ts';

const titleSchema = lineSchema(500);
const descriptionSchema = textSchema(0, 50_000);
const dependsOnSchema = z
  .array(idParamSchema)
  .max(100)
  .refine((ids) => new Set(ids).size === ids.length, 'each task once');

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
});
export type UpdateTaskBody = z.infer<typeof updateTaskBodySchema>;

/** `?status=todo&status=done` and `?assigneeId=…` narrow the list. */
export const listTasksQuerySchema = pageQuerySchema.extend({
  status: z
    .union([z.enum(TASK_STATUSES).transform((status) => [status]), z.array(z.enum(TASK_STATUSES)).max(6)])
    .optional(),
  assigneeId: idParamSchema.optional(),
});
export type ListTasksQuery = z.infer<typeof listTasksQuerySchema>;
export const taskPageSchema = z.object({ tasks: z.array(taskSchema), nextCursor: nextCursorSchema });
export type TaskPage = z.infer<typeof taskPageSchema>;
