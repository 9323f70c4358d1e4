import { z } from 'zod';
import { QUESTION_STATES } from '../domain/question/question-states.ts';
import { instantSchema } from './ids.ts';

export const questionOptionSchema = z.object({ label: z.string(), description: z.string() });

/** One question of a card, as seed 003 has it. */
export const questionItemSchema = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(questionOptionSchema),
  multiSelect: z.boolean(),
});
export type QuestionItem = z.infer<typeof questionItemSchema>;

/**
 * What a person chose. Keys: the question's index from 0 as string; value: the option's index from 0 as string, for
 * multiSelect joined by commas, free text as `other:<text>`, or the object form (contract §4).
 */
export const answersInputSchema = z.record(
  z.string(),
  z.union([z.string(), z.object({ selected: z.array(z.string()).optional(), other: z.string().optional() })]),
);
export type AnswersInput = z.infer<typeof answersInputSchema>;

/** The same, as it is kept: a string, or the object when a multiSelect has options and free text. */
export const answersSchema = z.record(
  z.string(),
  z.union([z.string(), z.object({ selected: z.array(z.string()), other: z.string() })]),
);
export type Answers = z.infer<typeof answersSchema>;

/** A card: one to four questions of one agent, answered together. */
export const questionSchema = z.object({
  toolUseId: z.string(),
  projectId: z.string(),
  agentId: z.string(),
  questions: z.array(questionItemSchema),
  status: z.enum(QUESTION_STATES),
  answers: answersSchema.optional(),
  /** The id of the person who answered, and his name. */
  answeredBy: z.string().optional(),
  answeredByName: z.string().optional(),
  createdAt: instantSchema,
  expiresAt: instantSchema.optional(),
  resolvedAt: instantSchema.optional(),
  /** Why nobody answered, when it was cancelled. */
  cancelReason: z.string().optional(),
});
export type Question = z.infer<typeof questionSchema>;
