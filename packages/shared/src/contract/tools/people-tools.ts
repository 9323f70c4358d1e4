import { z } from 'zod';
import { askedQuestionsSchema, toolUseIdSchema } from '../question.ts';
import { holdSeconds, idempotencyKey, MAX_HOLD_SECONDS, receipt, sessionArguments } from './common.ts';

export const askUserQuestionInput = z.strictObject({
  questions: askedQuestionsSchema
    .optional()
    .describe('1 to 4 questions, answered together. Leave out only to ask again about an open card.'),
  tool_use_id: toolUseIdSchema
    .optional()
    .describe('To call again about the same card; or your own id for a new one, else one is made.'),
  hold_seconds: holdSeconds(MAX_HOLD_SECONDS).describe(
    `Seconds (0 to ${MAX_HOLD_SECONDS}, default ${MAX_HOLD_SECONDS}) that the server may hold this call until somebody answers.`,
  ),
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
