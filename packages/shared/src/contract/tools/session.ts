import { z } from 'zod';
import { PROVIDER_NAMES } from '../../core/agents/rules/providers.ts';
import { isStorableText } from '../../core/rules/storable-text.ts';
import { PURPOSES } from '../../core/rules/work-key.ts';
import { CONTROLS } from '../../core/sessions/rules/turn-control.ts';
import {
  holdSeconds,
  idArgument,
  idempotencyKey,
  MAX_HOLD_SECONDS,
  receipt,
  sessionArguments,
  sessionCredential,
} from './common.ts';

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
