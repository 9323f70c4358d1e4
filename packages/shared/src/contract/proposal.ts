import { z } from 'zod';
import { PROPOSAL_STATES } from '../core/proposals/rules/proposal-states.ts';
import { idParamSchema, instantSchema } from './ids.ts';
import { descriptionSchema, titleSchema } from './task.ts';

export { PROPOSAL_STATES };

/** Of one proposal. */
export const MAX_PROPOSED_PARTS = 20;

/** A part of a task as an agent proposes it. */
export const proposedPartSchema = z.strictObject({
  title: titleSchema,
  description: descriptionSchema.optional(),
  assigneeId: idParamSchema.optional(),
  /** Numbers of parts before it in the list, from 1. */
  dependsOn: z.array(z.int().min(1)).max(MAX_PROPOSED_PARTS).default([]),
});
export type ProposedPart = z.output<typeof proposedPartSchema>;

export const proposalSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  taskId: z.string(),
  /** Who proposes it. */
  agentId: z.string(),
  parts: z.array(
    z.object({
      title: z.string(),
      description: z.string().optional(),
      assigneeId: z.string().optional(),
      dependsOn: z.array(z.int()),
    }),
  ),
  state: z.enum(PROPOSAL_STATES),
  createdAt: instantSchema,
  resolvedAt: instantSchema.optional(),
  resolvedBy: z.string().optional(),
  /** The tasks that were made of it. */
  taskIds: z.array(z.string()),
});
export type Proposal = z.infer<typeof proposalSchema>;
/** The newest first, at most 10, and fewer when they are long. */
export const proposalListSchema = z.object({ proposals: z.array(proposalSchema) });

const chosenPartSchema = z.strictObject({
  /** Of the list, from 1. */
  n: z.int().min(1).max(MAX_PROPOSED_PARTS),
  /** In place of the proposed one. */
  title: titleSchema.optional(),
});
/** Without `chosen` all parts are meant. */
export const decideProposalBodySchema = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('accept'),
    chosen: z
      .array(chosenPartSchema)
      .min(1)
      .max(MAX_PROPOSED_PARTS)
      .refine((parts) => new Set(parts.map(({ n }) => n)).size === parts.length, 'each part once')
      .optional(),
  }),
  z.strictObject({ decision: z.literal('decline') }),
]);
export type DecideProposalBody = z.infer<typeof decideProposalBodySchema>;
