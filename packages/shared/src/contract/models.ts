import { z } from 'zod';
import { PROGRAM_KEY_LENGTH } from '../core/agents/rules/program-key.ts';
import { PROVIDER_NAMES } from '../core/agents/rules/providers.ts';
import { instantSchema } from './ids.ts';

/** The first of them; texts in characters. A runner cuts what is longer. */
export const MODEL_LIMITS = { models: 200, id: 200, name: 100, about: 300 } as const;

/** A model as a provider offers it. `id` is what an agent's `model` names. */
export const modelOfferSchema = z.object({
  id: z.string().min(1).max(MODEL_LIMITS.id),
  name: z.string().max(MODEL_LIMITS.name).optional(),
  about: z.string().max(MODEL_LIMITS.about).optional(),
});
export type ModelOffer = z.infer<typeof modelOfferSchema>;

export const modelOffersSchema = z.array(modelOfferSchema).max(MODEL_LIMITS.models);

export const knownModelsQuerySchema = z.strictObject({
  provider: z.enum(PROVIDER_NAMES),
  /** Of an agent with a command: `programKey` of it. */
  program: z.string().max(PROGRAM_KEY_LENGTH).optional(),
  /** What was offered to this agent is preferred. */
  agentId: z.string().max(200).optional(),
});
export type KnownModelsQuery = z.infer<typeof knownModelsQuerySchema>;

export const knownModelsSchema = z.object({
  models: modelOffersSchema,
  /** When a provider offered them; null: no agent has reported any yet. */
  seenAt: instantSchema.nullable(),
});
export type KnownModels = z.infer<typeof knownModelsSchema>;
