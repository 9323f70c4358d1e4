import { z } from 'zod';
import { QUESTION_STATES } from '../core/questions/rules/question-states.ts';
import { idParamSchema, instantSchema, limitSchema, textSchema } from './ids.ts';
import { nextCursorSchema } from './page.ts';
import { reasonSchema } from './reason.ts';

export const QUESTION_LIMITS = {
  questions: 4,
  question: 2_000,
  header: 12,
  minOptions: 2,
  options: 4,
  label: 200,
  description: 1_000,
  other: 4_000,
} as const;

export const questionOptionSchema = z.object({ label: z.string(), description: z.string() });

/** One question of a card, in the form of seed 003. */
export const questionItemSchema = z.object({
  question: z.string(),
  header: z.string(),
  options: z.array(questionOptionSchema),
  multiSelect: z.boolean(),
  /** Of a question of the system: what it asks, for each reader in its language. */
  reason: reasonSchema.optional(),
});
export type QuestionItem = z.infer<typeof questionItemSchema>;

/**
 * The questions that an agent may ask: the form above, within limits and without repeated texts, because
 * texts identify the answers.
 */
const askedItemSchema = z
  .object({
    question: textSchema(1, QUESTION_LIMITS.question).describe('The whole question, as the person reads it.'),
    header: textSchema(1, QUESTION_LIMITS.header).describe('What it is about, in at most 12 characters.'),
    options: z
      .array(
        z.object({
          label: textSchema(1, QUESTION_LIMITS.label).describe('What the person chooses, in a few words.'),
          description: textSchema(0, QUESTION_LIMITS.description)
            .default('')
            .describe('What it means or leads to.'),
        }),
      )
      .min(QUESTION_LIMITS.minOptions)
      .max(QUESTION_LIMITS.options)
      .describe('2 to 4. "Other" with free text is offered by itself.')
      .refine((options) => isDistinct(options.map(({ label }) => label)), 'two options have the same label'),
    multiSelect: z.boolean().default(false).describe('true: several options may be chosen.'),
  })
  .describe('One question of the card.');
export const askedQuestionsSchema = z
  .array(askedItemSchema)
  .min(1)
  .max(QUESTION_LIMITS.questions)
  .refine(
    (questions) => isDistinct(questions.map(({ question }) => question)),
    'two questions have the same text',
  );

function isDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

/** The id of the agent's own call (SDK: toolUseID), or one of our ids. */
export const toolUseIdSchema = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, '1–128 of A–Z, a–z, 0–9, _ and -');

/**
 * The choices of a person. Keys: the question's index from 0 as string; value: the option's index from 0 as
 * string, for multiSelect joined by commas, free text as `other:<text>`, or the object form.
 */
export const answersInputSchema = z.record(
  z.string(),
  z.union([z.string(), z.object({ selected: z.array(z.string()).optional(), other: z.string().optional() })]),
);
export type AnswersInput = z.infer<typeof answersInputSchema>;

/**
 * The same choices in their stored form: a string, or the object when a multiSelect has options and free
 * text.
 */
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
  /** The id of the person who answered, and the person's name. */
  answeredBy: z.string().optional(),
  answeredByName: z.string().optional(),
  createdAt: instantSchema,
  expiresAt: instantSchema.optional(),
  resolvedAt: instantSchema.optional(),
  /** Why nobody answered, when the card was cancelled. */
  cancelReason: z.string().optional(),
});
export type Question = z.infer<typeof questionSchema>;

export const listQuestionsQuerySchema = z.strictObject({
  status: z.enum(QUESTION_STATES).optional(),
  agentId: idParamSchema.optional(),
  limit: limitSchema,
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Use nextCursor as it came, or leave it out.')
    .optional(),
});
export type ListQuestionsQuery = z.infer<typeof listQuestionsQuerySchema>;
export const questionPageSchema = z.object({
  questions: z.array(questionSchema),
  nextCursor: nextCursorSchema,
});
export type QuestionPage = z.infer<typeof questionPageSchema>;

/**
 * Every error inside is `invalid_answer`. Only the questions of the card can show it, so this schema does not
 * check the content.
 */
const uncheckedAnswersSchema = z
  .unknown()
  .optional()
  .meta({
    description:
      'Keys: question index from 0 as string. Values: option index from 0 as string, for multiSelect several joined by commas, free text as "other:<text>", or {"selected":["0"],"other":"text"}.',
    examples: [{ 0: '1' }],
  });
export const answerQuestionBodySchema = z.strictObject({ answers: uncheckedAnswersSchema });

/** The name of a card's id at both ends of a WebSocket. */
export const questionAnswerFrameShape = {
  tool_use_id: z.string().min(1).max(200),
  answers: uncheckedAnswersSchema,
};
