import { z } from 'zod';
import {
  APPROVAL_DECISIONS,
  APPROVAL_KINDS,
  APPROVAL_STATES,
} from '../core/approvals/rules/approval-states.ts';
import { PERMISSION_POLICIES } from '../core/approvals/rules/permission-policy.ts';
import { idParamSchema, instantSchema, limitSchema, textSchema } from './ids.ts';
import { nextCursorSchema } from './page.ts';

export const APPROVAL_LIMITS = {
  /** Code points. */
  tool: 100,
  summary: 500,
  sessionScope: 200,
  note: 1_000,
  /** Bytes of the input's JSON; long texts in it are shortened until it fits. */
  inputBytes: 65_536,
  /** A frame holds an input up to this size; a larger one is read by REST. */
  frameInputBytes: 8_192,
  /** Of one session at the same time. */
  open: 8,
  /** Of one session in the last hour, however they were decided. */
  perHour: 2_000,
} as const;

/** What an agent wants to do, and what a person decided. */
export const approvalSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  agentId: z.string(),
  tool: z.string(),
  kind: z.enum(APPROVAL_KINDS),
  summary: z.string(),
  /** The input of the tool: any JSON. */
  input: z.unknown(),
  /** Long texts in it were shortened: more than is shown will be done. */
  inputCut: z.literal(true).optional(),
  /** What would be allowed for the session, as the agent says it. */
  sessionScope: z.string().optional(),
  status: z.enum(APPROVAL_STATES),
  /** To the agent: what the person wrote, or that the policy of the project has decided. */
  note: z.string().optional(),
  /** The id of the person who decided, and the person's name; absent when the policy has. */
  decidedBy: z.string().optional(),
  decidedByName: z.string().optional(),
  /** The policy that decided at once, without a person. */
  policy: z.enum(PERMISSION_POLICIES).exclude(['ask']).optional(),
  createdAt: instantSchema,
  expiresAt: instantSchema.optional(),
  resolvedAt: instantSchema.optional(),
  /** Why nobody decided, when it was cancelled. */
  cancelReason: z.string().optional(),
});
export type Approval = z.infer<typeof approvalSchema>;

export const listApprovalsQuerySchema = z.strictObject({
  status: z.enum(APPROVAL_STATES).optional(),
  agentId: idParamSchema.optional(),
  exceptPolicy: z
    .enum(PERMISSION_POLICIES)
    .exclude(['ask'])
    .optional()
    .meta({ description: 'Leaves out what this policy has decided at once.' }),
  limit: limitSchema,
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Use nextCursor as it came, or leave it out.')
    .optional(),
});
export type ListApprovalsQuery = z.infer<typeof listApprovalsQuerySchema>;
export const approvalPageSchema = z.object({
  approvals: z.array(approvalSchema),
  nextCursor: nextCursorSchema,
});
export type ApprovalPage = z.infer<typeof approvalPageSchema>;

export const decideApprovalBodySchema = z.strictObject({
  decision: z.enum(APPROVAL_DECISIONS),
  note: textSchema(0, APPROVAL_LIMITS.note)
    .optional()
    .meta({ description: 'What the agent is to know, for example what it shall do instead.' }),
});
export type DecideApprovalBody = z.infer<typeof decideApprovalBodySchema>;
