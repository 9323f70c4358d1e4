import { z } from 'zod';
import { isImageReference, MAX_IMAGE_LENGTH } from '../core/agents/rules/image-reference.ts';
import { commandFault, PROVIDER_NAMES } from '../core/agents/rules/providers.ts';
import { isReservedName } from '../core/agents/rules/reserved.ts';
import { isStorableText } from '../core/rules/storable-text.ts';
import { codePointLength, idSchema, instantSchema, lineSchema, textSchema } from './ids.ts';
import { nextCursorSchema, pageQuerySchema } from './page.ts';

export const AGENT_TYPES = ['human', 'ai'] as const;
export const ACCESS_LEVELS = ['owner', 'member', 'viewer'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];
export const COMMAND_MODES = ['resident', 'per_work'] as const;

export const MIN_PASSKEY_LENGTH = 8;
/** As typed: it is never trimmed. */
export const newPasskeySchema = z
  .string()
  .refine(
    (passkey) => codePointLength(passkey) >= MIN_PASSKEY_LENGTH,
    `at least ${MIN_PASSKEY_LENGTH} characters`,
  )
  .refine((passkey) => passkey.length <= 1_000, 'at most 1000 characters')
  // In UTF-8 all lone surrogates become the same bytes: such passkeys would match each other.
  .refine(isStorableText, 'not a valid text');

const argumentSchema = z.string().max(4_096).refine(isStorableText, 'not a valid text');

/**
 * A program that is started without a shell. `mode`, of provider command: `resident` (the default) is started when its
 * chat is opened and waits, `per_work` is started when something waits for it and ends by itself.
 */
export const agentCommandSchema = z.strictObject({
  file: argumentSchema.min(1),
  args: z.array(argumentSchema).max(200),
  mode: z.enum(COMMAND_MODES).optional(),
});
export type AgentCommand = z.infer<typeof agentCommandSchema>;

const nameSchema = lineSchema(200);
const roleSchema = lineSchema(200);
const systemPromptSchema = textSchema(1, 100_000);
const modelSchema = textSchema(1, 200);
const baseUrlSchema = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .max(2_000)
  .refine((text) => {
    // This check also runs on values that are not addresses; those have an error of their own already.
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url === undefined || (url.username === '' && url.password === '');
  }, 'an address without a password; name a variable in apiKeyEnv instead');
const apiKeyEnvSchema = z
  .string()
  .max(200)
  .regex(/^AIZUCHI_PROVIDER_[A-Z0-9_]+$/, 'the name of a variable that begins with AIZUCHI_PROVIDER_');
const labelsSchema = z
  .array(lineSchema(64))
  .max(20)
  .refine((labels) => new Set(labels).size === labels.length, 'each label once');
const maxParallelTasksSchema = z.int().min(1).max(20);
/** Tokens in and out in one day, over all projects. */
const dailyTokenLimitSchema = z.int().min(1).max(1_000_000_000_000);

/** The least and the most of what a run may need in a container: memory in MiB, threads count as processes. */
export const BOX_BOUNDS = {
  memoryMb: [64, 1_048_576],
  cpus: [1, 1_024],
  processes: [16, 100_000],
} as const;
const boundedBy = ([least, most]: readonly [number, number]) => z.int().min(least).max(most).optional();
/** What is not named is as the Coordinator sets it. No effect where runs are processes of the host. */
export const agentLimitsSchema = z.strictObject({
  memoryMb: boundedBy(BOX_BOUNDS.memoryMb),
  cpus: boundedBy(BOX_BOUNDS.cpus),
  processes: boundedBy(BOX_BOUNDS.processes),
});
/** `docker`: it is started in a container or not at all. */
export const AGENT_EXECUTORS = ['any', 'docker'] as const;
const agentExecutorSchema = z.enum(AGENT_EXECUTORS);
/** With a digest exactly that image. No effect where runs are processes of the host. */
const imageSchema = z
  .string()
  .max(MAX_IMAGE_LENGTH)
  .refine(isImageReference, 'the name of an image, such as ghcr.io/me/runner:1.2');
export type AgentExecutor = (typeof AGENT_EXECUTORS)[number];
export type AgentLimits = z.infer<typeof agentLimitsSchema>;

/**
 * People are agents of type human. Fields that only owners may read (prompt, command, address, key) are
 * absent for others.
 */
export const agentSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(AGENT_TYPES),
  accessLevel: z.enum(ACCESS_LEVELS).optional(),
  role: z.string().optional(),
  systemPrompt: z.string().optional(),
  provider: z.enum(PROVIDER_NAMES).optional(),
  model: z.string().optional(),
  baseUrl: z.string().optional(),
  apiKeyEnv: z.string().optional(),
  command: agentCommandSchema.optional(),
  labels: z.array(z.string()),
  maxParallelTasks: z.int(),
  dailyTokenLimit: z.int().optional(),
  limits: agentLimitsSchema.optional(),
  /** In which it is started, where runs live in containers; absent: that of the Coordinator. */
  image: z.string().optional(),
  /** Absent on people. */
  executor: agentExecutorSchema.optional(),
  hasCredential: z.boolean(),
  createdAt: instantSchema,
  updatedAt: instantSchema,
  /** When what it is started with was changed last: an older process runs with what was there before. */
  setUpAt: instantSchema.optional(),
});
export type Agent = z.infer<typeof agentSchema>;

/** `POST /agents`: the agent, and its passkey when a credential was made. The passkey is shown only here. */
export const createdAgentSchema = agentSchema.extend({ passkey: z.string().optional() });
export type CreatedAgent = z.infer<typeof createdAgentSchema>;

export const RESERVED_NAME = {
  message: 'reserved: it looks like the name of the system, of everybody or of an owner',
  params: { reason: 'reserved_name' },
};
const AI_ONLY = [
  'provider',
  'model',
  'baseUrl',
  'apiKeyEnv',
  'command',
  'maxParallelTasks',
  'dailyTokenLimit',
  'limits',
  'image',
  'executor',
] as const;

export const createAgentBodySchema = z
  .strictObject({
    id: idSchema.optional(),
    name: nameSchema,
    type: z.enum(AGENT_TYPES),
    accessLevel: z.enum(ACCESS_LEVELS).optional(),
    role: roleSchema.optional(),
    systemPrompt: systemPromptSchema.optional(),
    provider: z.enum(PROVIDER_NAMES).optional(),
    model: modelSchema.optional(),
    baseUrl: baseUrlSchema.optional(),
    apiKeyEnv: apiKeyEnvSchema.optional(),
    command: agentCommandSchema.optional(),
    labels: labelsSchema.optional(),
    maxParallelTasks: maxParallelTasksSchema.optional(),
    dailyTokenLimit: dailyTokenLimitSchema.optional(),
    limits: agentLimitsSchema.optional(),
    image: imageSchema.optional(),
    executor: agentExecutorSchema.optional(),
    /** Default: true for an AI agent, false for a person. */
    credential: z.boolean().optional(),
  })
  .superRefine((body, context) => {
    const refuse = (key: string, message: string) =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (isReservedName(body)) context.addIssue({ code: 'custom', path: ['name'], ...RESERVED_NAME });
    if (body.type === 'human') {
      for (const key of AI_ONLY) if (body[key] !== undefined) refuse(key, 'only for an agent of type ai');
      return;
    }
    if (body.accessLevel !== undefined) refuse('accessLevel', 'only for an agent of type human');
    const fault = commandFault(body.provider ?? 'builtin', Boolean(body.command));
    if (fault !== undefined) refuse('command', fault);
  });
export type CreateAgentBody = z.infer<typeof createAgentBodySchema>;

/**
 * Fields that are named change; null empties a field. The service checks which fields belong to the agent's
 * type.
 */
export const updateAgentBodySchema = z.strictObject({
  name: nameSchema.optional(),
  accessLevel: z.enum(ACCESS_LEVELS).optional(),
  role: roleSchema.nullable().optional(),
  systemPrompt: systemPromptSchema.nullable().optional(),
  provider: z.enum(PROVIDER_NAMES).optional(),
  model: modelSchema.nullable().optional(),
  baseUrl: baseUrlSchema.nullable().optional(),
  apiKeyEnv: apiKeyEnvSchema.nullable().optional(),
  command: agentCommandSchema.nullable().optional(),
  labels: labelsSchema.optional(),
  maxParallelTasks: maxParallelTasksSchema.optional(),
  dailyTokenLimit: dailyTokenLimitSchema.nullable().optional(),
  limits: agentLimitsSchema.nullable().optional(),
  image: imageSchema.nullable().optional(),
  executor: agentExecutorSchema.optional(),
});
export type UpdateAgentBody = z.infer<typeof updateAgentBodySchema>;

export const listAgentsQuerySchema = pageQuerySchema.extend({ type: z.enum(AGENT_TYPES).optional() });
export type ListAgentsQuery = z.infer<typeof listAgentsQuerySchema>;
export const agentPageSchema = z.object({ agents: z.array(agentSchema), nextCursor: nextCursorSchema });
export type AgentPage = z.infer<typeof agentPageSchema>;

/** Without a passkey the service generates one. */
export const setPasskeyBodySchema = z.strictObject({ passkey: newPasskeySchema.optional() }).optional();
export type SetPasskeyBody = z.infer<typeof setPasskeyBodySchema>;
/** Shown once. */
export const passkeySchema = z.object({ passkey: z.string() });

/** `POST /agents/:aid/invite`: the code of `/login#code=…`, which signs in once; shown here and never again. */
export const inviteSchema = z.object({ code: z.string(), expiresAt: instantSchema });
export type Invite = z.infer<typeof inviteSchema>;

/** An address that is asked which models it offers. */
export const offeredModelsBodySchema = z.strictObject({ baseUrl: baseUrlSchema });
export type OfferedModelsBody = z.infer<typeof offeredModelsBodySchema>;
export const offeredModelsSchema = z.object({
  models: z.array(z.string()),
  /** Why there are none. unreachable: from the host of the server, where the address may mean something else. */
  problem: z.enum(['unreachable', 'needs_key', 'not_understood']).optional(),
});
export type OfferedModels = z.infer<typeof offeredModelsSchema>;
