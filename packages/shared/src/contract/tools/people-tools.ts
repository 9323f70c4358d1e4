import { z } from 'zod';
import { APPROVAL_KINDS, APPROVAL_STATES } from '../../core/approvals/rules/approval-states.ts';
import { APPROVAL_LIMITS } from '../approval.ts';
import { lineSchema, textSchema } from '../ids.ts';
import { askedQuestionsSchema, toolUseIdSchema } from '../question.ts';
import { VISION_TIMEOUT_MS, visionSourceSchema } from '../vision.ts';
import { holdSeconds, idempotencyKey, MAX_HOLD_SECONDS, receipt, sessionArguments } from './common.ts';

const cardId = toolUseIdSchema
  .optional()
  .describe('To call again about the same card; or your own id for a new one, else one is made.');
const cardHoldSeconds = holdSeconds(MAX_HOLD_SECONDS).describe(
  `Seconds (0 to ${MAX_HOLD_SECONDS}, default ${MAX_HOLD_SECONDS}) that the server may hold this call until somebody answers.`,
);

export const askUserQuestionInput = z.strictObject({
  questions: askedQuestionsSchema
    .optional()
    .describe('1 to 4 questions, answered together. Leave out only to ask again about an open card.'),
  tool_use_id: cardId,
  hold_seconds: cardHoldSeconds,
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});

export const ASK_STATES = ['answered', 'pending', 'timeout', 'cancelled', 'unavailable'] as const;

export const askUserQuestionOutput = z.object({
  status: z.enum(ASK_STATES),
  tool_use_id: z.string(),
  answers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Question text → label; several labels joined by ", "; free text as it was written.'),
  receipt,
  instruction: z.string(),
});

export const requestApprovalInput = z.strictObject({
  tool: lineSchema(APPROVAL_LIMITS.tool)
    .optional()
    .describe(
      'The name of the tool that you want to use. Leave out tool, summary and input only to ask again about an open request.',
    ),
  summary: textSchema(1, APPROVAL_LIMITS.summary)
    .optional()
    .describe('What you want to do, in one sentence that the person can judge.'),
  input: z
    .unknown()
    .optional()
    .describe(
      `The input of the tool as it will be used: any JSON. Its JSON is shown up to ${APPROVAL_LIMITS.inputBytes} bytes; longer texts in it are shortened, and the person is told so.`,
    ),
  kind: z
    .enum(APPROVAL_KINDS)
    .optional()
    .describe(
      '"edit" only when it changes files inside your working directory and nothing else; "command"; "other" (default).',
    ),
  session_scope: textSchema(1, APPROVAL_LIMITS.sessionScope)
    .optional()
    .describe(
      'What you will do without asking again if the person allows it for the session, for example "commands that begin with npm test".',
    ),
  tool_use_id: cardId,
  hold_seconds: cardHoldSeconds,
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});

export const REQUEST_STATES = [...APPROVAL_STATES, 'unavailable'] as const;

export const requestApprovalOutput = z.object({
  status: z.enum(REQUEST_STATES),
  tool_use_id: z.string(),
  note: z
    .string()
    .optional()
    .describe('What the person wrote with the decision, or which policy of the project has decided.'),
  receipt,
  instruction: z.string(),
});

export const requestVisionInput = z.strictObject({
  source: visionSourceSchema.describe(
    'What you want to see, in words that the person understands: "a screenshot of the error".',
  ),
  timeout_ms: z
    .int()
    .min(VISION_TIMEOUT_MS.min)
    .max(VISION_TIMEOUT_MS.max)
    .optional()
    .describe(
      `How long the person has, in milliseconds (${VISION_TIMEOUT_MS.min} to ${VISION_TIMEOUT_MS.max}, default ${VISION_TIMEOUT_MS.default}).`,
    ),
  idempotency_key: idempotencyKey,
  ...sessionArguments,
});

export const VISION_TOOL_STATES = [
  'answered',
  'pending',
  'declined',
  'timeout',
  'cancelled',
  'unavailable',
] as const;

export const requestVisionOutput = z.object({
  status: z.enum(VISION_TOOL_STATES),
  request_id: z.string().optional(),
  description: z.string().optional().describe('What the image shows.'),
  event_id: z.string().optional().describe('Where it is remembered.'),
  reason: z.string().optional().describe('Why the person declined.'),
  receipt,
  instruction: z.string(),
});
