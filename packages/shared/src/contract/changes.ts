import { z } from 'zod';
import {
  CHANGE_STATUSES,
  CHANGES_LIMITS,
  CONFLICT_REASONS,
  LEFT_OUT_REASONS,
} from '../core/worktrees/rules/needs-worktree.ts';
import {
  WORKTREE_DECISIONS,
  WORKTREE_ORDERS,
  WORKTREE_OUTCOMES,
  WORKTREE_STATES,
} from '../core/worktrees/rules/worktree-machine.ts';
import { instantSchema } from './ids.ts';
import { reasonSchema } from './reason.ts';

// For the Coordinator, which knows the contract only.
export {
  CHANGES_LIMITS,
  type ChangeStatus,
  type ConflictReason,
} from '../core/worktrees/rules/needs-worktree.ts';

const pathSchema = z.string().max(16_384);
const countSchema = z.number().int().min(0).max(2_000_000_000);

/** A file that differs from the base. */
export const changedFileSchema = z.object({
  path: pathSchema,
  status: z.enum(CHANGE_STATUSES),
  /** Of a renamed file. */
  oldPath: pathSchema.optional(),
  /** Lines; both 0 for a binary file. */
  additions: countSchema,
  deletions: countSchema,
  isBinary: z.boolean().optional(),
  /** The hunks as `diff -u` writes them, without a head. Absent: binary, or too much. */
  diff: z.string().optional(),
  /** The diff is not complete, or left out because of its size. */
  isCut: z.boolean().optional(),
});
export type ChangedFile = z.infer<typeof changedFileSchema>;

export const leftOutSchema = z.object({ path: pathSchema, reason: z.enum(LEFT_OUT_REASONS) });
export type LeftOut = z.infer<typeof leftOutSchema>;

export const changesConflictSchema = z.object({
  reason: z.enum(CONFLICT_REASONS),
  paths: z.array(pathSchema).max(CHANGES_LIMITS.paths),
  /** How many there are, when more than are named. */
  pathCount: countSchema,
  /** Of reason `branch`: what is checked out now; null: no branch. */
  branch: z.string().max(1_000).nullable().optional(),
});
export type ChangesConflict = z.infer<typeof changesConflictSchema>;

const totalsShape = { fileCount: countSchema, additions: countSchema, deletions: countSchema };

/** `GET /runs/:id/changes`. */
export const changesSchema = z.object({
  runId: z.string(),
  /** The commit that the worktree began with. */
  base: z.string(),
  branch: z.string(),
  /** The branch into which it is kept; null: none was checked out. */
  into: z.string().nullable(),
  state: z.enum(WORKTREE_STATES),
  /** A decision that its Coordinator has still to carry out. */
  deciding: z.enum(WORKTREE_DECISIONS).optional(),
  decidedBy: z.string().optional(),
  decidedByName: z.string().optional(),
  decidedAt: instantSchema.optional(),
  /** When the Coordinator last looked. */
  seenAt: instantSchema.optional(),
  ...totalsShape,
  files: z.array(changedFileSchema),
  leftOut: z.array(leftOutSchema),
  conflict: changesConflictSchema.optional(),
  /** Why the last order failed, for people. */
  fault: z.string().optional(),
  /** The same for each reader in its language. */
  reason: reasonSchema.optional(),
});
export type Changes = z.infer<typeof changesSchema>;

/** In a run: what its worktree holds. */
export const changesSummarySchema = z.object({
  state: z.enum(WORKTREE_STATES),
  deciding: z.enum(WORKTREE_DECISIONS).optional(),
  seenAt: instantSchema.optional(),
  ...totalsShape,
});
export type ChangesSummary = z.infer<typeof changesSummarySchema>;

export const decideChangesBodySchema = z.strictObject({ decision: z.enum(WORKTREE_DECISIONS) });
export type DecideChangesBody = z.infer<typeof decideChangesBodySchema>;

/** What a Coordinator is asked to do, and its number. */
export const worktreeOrderSchema = z.object({
  run_id: z.string(),
  /** The run that the worktree was made for, when that is an earlier one. */
  made_for: z.string().optional(),
  order: z.enum(WORKTREE_ORDERS),
  number: z.number().int(),
});

/** What a Coordinator says of a worktree. */
export const worktreeReportShape = {
  /** The order that it answers; absent: it reports by itself. */
  number: z.number().int().optional(),
  outcome: z.enum(WORKTREE_OUTCOMES),
  base: z.string().max(64),
  branch: z.string().max(300),
  into: z.string().max(1_000).nullable(),
  seen: z
    .object({
      ...totalsShape,
      files: z.array(changedFileSchema).max(CHANGES_LIMITS.files),
      leftOut: z.array(leftOutSchema).max(CHANGES_LIMITS.paths),
    })
    .optional(),
  conflict: changesConflictSchema.optional(),
  fault: z.string().max(2_000).optional(),
  reason: reasonSchema.optional(),
};
