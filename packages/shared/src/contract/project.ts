import { z } from 'zod';
import { PERMISSION_POLICIES } from '../core/approvals/rules/permission-policy.ts';
import { isEgressEntry, MAX_EGRESS_ENTRIES, MAX_EGRESS_ENTRY_LENGTH } from '../core/projects/rules/egress.ts';
import { isPathText } from '../core/rules/storable-text.ts';
import { idParamSchema, idSchema, instantSchema, lineSchema, textSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';

export const PROJECT_STATUSES = ['active', 'paused', 'archived'] as const;
export type ProjectStatus = (typeof PROJECT_STATUSES)[number];
/** shared: agents work in the folder of the project; worktree: each run has a worktree of its own. */
export const ISOLATIONS = ['shared', 'worktree'] as const;

const nameSchema = lineSchema(200);
const descriptionSchema = textSchema(0, 10_000);
/**
 * The service checks where the folder may lie (422); this schema only checks that the text can be a path.
 * Text that is not well-formed would name another folder on the disk (UTF-8 has no lone surrogates); a path
 * with control characters cannot be read by people.
 */
export const workingDirectorySchema = z.string().min(1).max(4_096).refine(isPathText, 'not a valid path');

/** Each is named when it is wrong: a list is written as lines. */
const egressEntrySchema = z
  .string()
  .max(MAX_EGRESS_ENTRY_LENGTH)
  .refine(isEgressEntry, {
    error: ({ input }) =>
      `not a host such as example.org, *.example.org, example.org:8443, 192.0.2.1 or [2001:db8::1]: ${input}`,
  });
export const egressSchema = z
  .array(egressEntrySchema)
  .max(MAX_EGRESS_ENTRIES)
  .refine((entries) => new Set(entries).size === entries.length, 'an entry twice');

export const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  /** The real path: links are resolved when it is set. For owners only. */
  workingDirectory: z.string().optional(),
  status: z.enum(PROJECT_STATUSES),
  permissionPolicy: z.enum(PERMISSION_POLICIES),
  isolation: z.enum(ISOLATIONS),
  /** Who looks at what agents report as done, before it is done: a member or an owner. */
  reviewerId: z.string().optional(),
  /**
   * What its agents may reach from their containers, beside the mcp-server: hosts, each with a port or for 443 and 80.
   * Absent: what the network of their Coordinator reaches.
   */
  egress: z.array(z.string()).optional(),
  /**
   * `code: file`: why chat.jsonl cannot be written, or which file was put aside; absent when there is no
   * fault.
   */
  chatLogFault: z.string().optional(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
});
export type Project = z.infer<typeof projectSchema>;

export const createProjectBodySchema = z.strictObject({
  id: idSchema.optional(),
  name: nameSchema,
  description: descriptionSchema.optional(),
  workingDirectory: workingDirectorySchema.optional(),
  permissionPolicy: z.enum(PERMISSION_POLICIES).optional(),
  isolation: z.enum(ISOLATIONS).optional(),
  egress: egressSchema.optional(),
});
export type CreateProjectBody = z.infer<typeof createProjectBodySchema>;

/** Fields that are named change; null empties a field. */
export const updateProjectBodySchema = z.strictObject({
  name: nameSchema.optional(),
  description: descriptionSchema.nullable().optional(),
  workingDirectory: workingDirectorySchema.optional(),
  status: z.enum(PROJECT_STATUSES).optional(),
  permissionPolicy: z.enum(PERMISSION_POLICIES).optional(),
  isolation: z.enum(ISOLATIONS).optional(),
  reviewerId: idParamSchema.nullable().optional(),
  egress: egressSchema.nullable().optional(),
});
export type UpdateProjectBody = z.infer<typeof updateProjectBodySchema>;

export const listProjectsQuerySchema = pageQuerySchema.extend({
  status: z.enum(PROJECT_STATUSES).optional(),
});
export type ListProjectsQuery = z.infer<typeof listProjectsQuerySchema>;
export const projectPageSchema = z.object({ projects: z.array(projectSchema), nextCursor: nextCursorSchema });
export type ProjectPage = z.infer<typeof projectPageSchema>;

/** `PUT /projects/:pid/agents/:aid`. */
export const membershipSchema = z.object({ agentId: z.string(), projectId: z.string() });
export type Membership = z.infer<typeof membershipSchema>;
