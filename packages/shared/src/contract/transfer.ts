import { z } from 'zod';
import { PERMISSION_POLICIES } from '../core/approvals/rules/permission-policy.ts';
import { ATTEMPT_OUTCOMES } from '../core/task-work/rules/task-work.ts';
import { TASK_FIELDS } from '../core/tasks/rules/task-fields.ts';
import { TASK_PRIORITIES, TASK_STATUSES } from '../core/tasks/rules/task-status.ts';
import { idParamSchema, idSchema, instantSchema, lineSchema } from './ids.ts';
import { egressSchema, ISOLATIONS } from './project.ts';
import { dueDateSchema } from './task.ts';

/*
 * A project as lines of JSON (NDJSON): header, project, agents, tasks, each followed by what hangs on it, end. Texts are
 * as what is stored, not as what people write, so what was exported can be imported: longer, but of one line where a
 * name or a title is.
 */

export const TRANSFER_FORMAT = 'aizuchi-project';
export const TRANSFER_VERSION = 1;

const id = idParamSchema;
const text = (max: number) => z.string().max(2 * max);
/** Farther out there are no numbers between two places, by which tasks are put between them. */
const MAX_POSITION = 1e10;
/** Postgres reads no year 0. */
const instant = instantSchema.refine((value) => !value.startsWith('0000'), 'before the year 1');

const headerSchema = z.strictObject({
  type: z.literal('header'),
  format: z.literal(TRANSFER_FORMAT),
  version: z.literal(TRANSFER_VERSION, `not a version that this product reads (${TRANSFER_VERSION})`),
  exportedAt: instant,
});
/** Without its folder and its status: those are of one host and of one moment. */
const projectLineSchema = z.strictObject({
  type: z.literal('project'),
  name: lineSchema(400),
  description: text(10_000).optional(),
  permissionPolicy: z.enum(PERMISSION_POLICIES),
  isolation: z.enum(ISOLATIONS),
  reviewerId: id.optional(),
  egress: egressSchema.optional(),
});
/** A member, or somebody whom a task, a comment or a history names. */
const agentLineSchema = z.strictObject({
  type: z.literal('agent'),
  id,
  name: lineSchema(400),
  kind: z.enum(['human', 'ai']),
  member: z.boolean(),
});
const taskLineSchema = z.strictObject({
  type: z.literal('task'),
  id,
  title: lineSchema(1_000),
  description: text(50_000),
  status: z.enum(TASK_STATUSES),
  priority: z.enum(TASK_PRIORITIES),
  assigneeId: id.optional(),
  parentId: id.optional(),
  dependsOn: z
    .array(id)
    .max(100)
    .refine((ids) => new Set(ids).size === ids.length, 'each task once'),
  labels: z
    .array(lineSchema(100))
    .max(20)
    .refine((labels) => new Set(labels).size === labels.length, 'each label once'),
  dueDate: dueDateSchema.optional(),
  position: z.number().min(-MAX_POSITION).max(MAX_POSITION),
  createdBy: id.optional(),
  createdAt: instant,
  updatedAt: instant,
});
const commentLineSchema = z.strictObject({
  type: z.literal('comment'),
  taskId: id,
  authorId: id.optional(),
  body: text(21_000).min(1),
  createdAt: instant,
});
const historyLineSchema = z.strictObject({
  type: z.literal('history'),
  taskId: id,
  byId: id.optional(),
  field: z.enum(TASK_FIELDS),
  from: text(2_000).nullable(),
  to: text(2_000).nullable(),
  createdAt: instant,
});
const attemptLineSchema = z.strictObject({
  type: z.literal('attempt'),
  taskId: id,
  n: z.int().min(1).max(1_000_000_000),
  agentId: id,
  startedAt: instant,
  endedAt: instant.optional(),
  outcome: z.enum(ATTEMPT_OUTCOMES).optional(),
  summary: text(21_000).optional(),
});
/** What an agent has saved in its work on a task. */
const contextLineSchema = z.strictObject({
  type: z.literal('context'),
  taskId: id,
  attempt: z.int().min(1).max(1_000_000_000).optional(),
  agentId: id.optional(),
  body: text(21_000).min(1),
  createdAt: instant,
});
/** A file without it is not whole. */
const endLineSchema = z.strictObject({
  type: z.literal('end'),
  /** All lines but this one. */
  lines: z.int().min(0),
  /** Tasks that are named above and were deleted while the file was written. */
  gone: z.array(id).max(10_000),
});

export const transferLineSchema = z.discriminatedUnion('type', [
  headerSchema,
  projectLineSchema,
  agentLineSchema,
  taskLineSchema,
  commentLineSchema,
  historyLineSchema,
  attemptLineSchema,
  contextLineSchema,
  endLineSchema,
]);
export type TransferLine = z.infer<typeof transferLineSchema>;
export type TransferLineOf<T extends TransferLine['type']> = Extract<TransferLine, { type: T }>;

/** `id`: of the new project. The same import again is then 409 id_taken, and makes nothing twice. */
export const importProjectQuerySchema = z.strictObject({ id: idSchema.optional() });
export type ImportProjectQuery = z.infer<typeof importProjectQuerySchema>;

export const projectImportResultSchema = z.object({
  projectId: z.string(),
  counts: z.object({
    members: z.int(),
    tasks: z.int(),
    comments: z.int(),
    history: z.int(),
    attempts: z.int(),
    contexts: z.int(),
  }),
  /** Names of whom there is nobody here: their tasks are unassigned, their attempts are left out. */
  unmatched: z.array(z.string()),
});
export type ProjectImportResult = z.infer<typeof projectImportResultSchema>;
