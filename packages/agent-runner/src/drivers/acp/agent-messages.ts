import { z } from 'zod';

/*
 * What the driver reads of the answers of an agent. The library checks notifications and requests, but not answers. A
 * part that is missing or of another form is left out, except where the driver cannot work without it.
 */

const text = z.string().optional().catch(undefined);

export const initializedSchema = z.object({
  protocolVersion: z.number(),
  agentInfo: z.object({ name: text, title: text, version: text }).optional().catch(undefined),
  agentCapabilities: z
    .object({
      loadSession: z.boolean().optional().catch(undefined),
      promptCapabilities: z.object({ image: z.boolean().optional() }).optional().catch(undefined),
      mcpCapabilities: z.object({ http: z.boolean().optional() }).optional().catch(undefined),
      sessionCapabilities: z.object({ resume: z.unknown().optional() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type Initialized = z.infer<typeof initializedSchema>;

const choiceSchema = z.object({ value: z.string(), name: text, description: text });
const configOptionSchema = z.object({
  id: z.string(),
  category: text,
  type: z.literal('select'),
  currentValue: z.string(),
  options: z.array(
    z.union([
      choiceSchema.transform((choice) => [choice]),
      z.object({ options: z.array(choiceSchema) }).transform(({ options }) => options),
    ]),
  ),
});

/** Options of other types are nothing that the driver sets. */
const configOptionsSchema = z
  .array(configOptionSchema.optional().catch(undefined))
  .transform((options) => options.filter((option) => option !== undefined))
  .optional()
  .catch(undefined);

const sessionStateSchema = z.object({
  modes: z
    .object({ currentModeId: z.string(), availableModes: z.array(z.object({ id: z.string() })) })
    .optional()
    .catch(undefined),
  configOptions: configOptionsSchema,
  /** Before models were a config option they had a request of their own; Gemini CLI 0.61 still has it. */
  models: z
    .object({
      currentModelId: text,
      availableModels: z.array(z.object({ modelId: z.string(), name: text, description: text })),
    })
    .optional()
    .catch(undefined),
});
export type SessionState = z.infer<typeof sessionStateSchema>;

export const newSessionSchema = sessionStateSchema.extend({ sessionId: z.string().min(1) });
/** Of session/load and session/resume. Some agents answer nothing. */
export const loadedSessionSchema = sessionStateSchema.catch({});
export const ignoredSchema = z.unknown();

const count = z.number().min(0).catch(0);
const tokensSchema = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedReadTokens: z.number().min(0).nullish().catch(undefined),
  /** Written to the cache, and not counted as input. */
  cachedWriteTokens: z.number().min(0).nullish().catch(undefined),
});

/** Gemini CLI reports in `_meta.quota`. */
const quotaSchema = z.object({
  quota: z.object({
    token_count: z.object({ input_tokens: count, output_tokens: count }),
    model_usage: z.array(z.object({ model: z.string() })).catch([]),
  }),
});

export const promptEndSchema = z.object({
  stopReason: z.string(),
  usage: tokensSchema.optional().catch(undefined),
  _meta: quotaSchema.optional().catch(undefined),
});
export type PromptEnd = z.infer<typeof promptEndSchema>;

export const claudeMetaSchema = z.object({
  claudeCode: z.object({ kind: text, toolName: text }),
});
