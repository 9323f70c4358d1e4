import { z } from 'zod';
import { PROVIDER_NAMES } from '../../core/agents/rules/providers.ts';
import { PERMISSION_POLICIES } from '../../core/approvals/rules/permission-policy.ts';
import { isStorableText } from '../../core/rules/storable-text.ts';
import { PURPOSES } from '../../core/rules/work-key.ts';
import { CONTROLS } from '../../core/sessions/rules/turn-control.ts';
import { modelOffersSchema } from '../models.ts';
import { STEP_KINDS, STEP_PARTS, STEP_STATUSES } from '../step.ts';
import {
  holdSeconds,
  idArgument,
  idempotencyKey,
  MAX_HOLD_SECONDS,
  receipt,
  sessionArguments,
  sessionCredential,
} from './common.ts';

const permissionPolicy = z
  .enum(PERMISSION_POLICIES)
  .optional()
  .describe(
    'What the project says to requests for permission (request_approval): "ask" a person, "allow_edits" inside the working directory without asking, or "deny" all of them.',
  );

export const authenticateInput = z.strictObject({
  agent_id: idArgument.optional(),
  passkey: z.string().max(1024).refine(isStorableText, 'not a valid text').optional(),
  project_id: idArgument.optional(),
  purpose: z.enum(PURPOSES).optional(),
  replace: z
    .boolean()
    .optional()
    .describe('End a live session of the same agent and project and take its place.'),
  ...sessionCredential,
});

/** The same text for every failure, so that it does not reveal which part was wrong. */
export const authenticateOutput = z.object({
  success: z.boolean(),
  session_token: z.string().optional(),
  agent_id: z.string().optional(),
  project_id: z.string().optional(),
  purpose: z.enum(PURPOSES).optional(),
  agent_name: z.string().optional(),
  system_prompt: z.string().optional(),
  permission_policy: permissionPolicy,
  context_since: z
    .string()
    .optional()
    .describe(
      'When the context of the chat began. A person can begin a fresh one at any time: do not continue what you remember from another context.',
    ),
  instruction: z.string().optional(),
  action: z.literal('exit').optional(),
  error: z.string().optional(),
  code: z.string().optional().describe('session_exists, after a right passkey without replace'),
});

export const logoutInput = z.strictObject({ idempotency_key: idempotencyKey, ...sessionArguments });
export const logoutOutput = z.object({ success: z.literal(true), instruction: z.string() });

export const getMyProfileInput = z.strictObject({ ...sessionArguments });
export const getMyProfileOutput = z.object({
  agent_id: z.string(),
  name: z.string(),
  role: z.string().optional(),
  system_prompt: z.string().optional(),
  provider: z.enum(PROVIDER_NAMES).optional(),
  model: z.string().optional(),
  labels: z.array(z.string()),
  purpose: z.enum(PURPOSES),
  task_id: z.string().optional(),
  project: z.object({
    project_id: z.string(),
    name: z.string(),
    description: z.string().optional(),
    working_directory: z.string(),
    status: z.string(),
    permission_policy: permissionPolicy,
  }),
});

export const helpInput = z.strictObject({
  tool: z.string().max(100).optional().describe('Name of one tool; without it the overview.'),
  ...sessionArguments,
});
export const helpOutput = z.object({
  text: z.string(),
  tools: z.array(z.object({ name: z.string(), title: z.string(), summary: z.string() })),
});

export const controlOutput = z.object({
  control: z.enum(CONTROLS).nullable(),
  receipt,
  repeat: z.boolean().optional().describe('Told before, but it was not seen to arrive.'),
});

export const heartbeatInput = z.strictObject({
  phase: z.string().max(80).describe('What you do now in one word: thinking, writing, tool, waiting.'),
  hold_seconds: holdSeconds(MAX_HOLD_SECONDS),
  ...sessionArguments,
});

export const reportDeltaInput = z.strictObject({
  message_id: idArgument.describe('The id that you give the coming answer: msg_ and 20 of 0-9a-z.'),
  text: z.string().max(100_000),
  offset: z.number().int().min(0).describe('Code units of the answer that were reported before this text.'),
  ...sessionArguments,
});

export const reportModelsInput = z.strictObject({
  models: modelOffersSchema.describe('All of them, in the order of the provider. `id` is what is chosen by.'),
  ...sessionArguments,
});
export const reportModelsOutput = z.object({ accepted: z.literal(true) });

/** The size of the call is limited elsewhere; here nothing is refused for its length. */
const stepText = z.string();

/** Why a step was not kept. None of them is a fault of the agent's work. */
export const STEP_REFUSALS = [
  'too_many_steps',
  'nothing_to_answer',
  'answer_discarded',
  'too_fast',
  'quota_reached',
] as const;
export type StepRefusal = (typeof STEP_REFUSALS)[number];

export const reportStepInput = z.strictObject({
  message_id: idArgument.describe(
    'The id of the coming answer, the same as in report_delta and respond_chat: msg_ and 20 of 0-9a-z.',
  ),
  step: z.strictObject({
    id: idArgument.describe('Your name for this step; the same id again updates it.'),
    kind: z.enum(STEP_KINDS),
    title: stepText.min(1).describe('One line for a person, such as "Read parse.ts" or "npm test".'),
    status: z.enum(STEP_STATUSES),
    detail: stepText
      .optional()
      .describe('Output or thoughts. Longer than 4 kB is cut. Left out: what was reported before stays.'),
    diff: z
      .strictObject({ path: stepText.min(1), before: stepText, after: stepText })
      .optional()
      .describe('A changed file. Longer than 64 kB is cut. Left out: what was reported before stays.'),
    cut: z.array(z.enum(STEP_PARTS)).max(3).optional().describe('The parts that you have cut yourself.'),
  }),
  batch_id: idArgument
    .optional()
    .describe('The batch that the answer will name. Default: the one that was given last.'),
  ...sessionArguments,
});

export const reportStepOutput = controlOutput.extend({
  recorded: z.boolean().describe('false: not kept, and reason says why. Go on with your work.'),
  reason: z
    .enum(STEP_REFUSALS)
    .optional()
    .describe(
      'too_many_steps: 200 steps are kept, updates of those still count. nothing_to_answer: you hold no unanswered message. answer_discarded: you began the answer anew under another id. too_fast: wait some seconds. quota_reached: your steps have used their part of what you may write in an hour; the rest is for your answers.',
    ),
  cut: z
    .array(z.enum(STEP_PARTS))
    .optional()
    .describe('The parts that were too long: their beginning is kept.'),
});
