import { z } from 'zod';
import { isStorableText } from '../core/rules/storable-text.ts';
import { agentSchema, newPasskeySchema } from './agent.ts';
import { idParamSchema, instantSchema, lineSchema } from './ids.ts';
import { nextCursorSchema } from './page.ts';

/** Any text may be tried; one error text answers every failure. */
const triedSecretSchema = z.string().min(1).max(1_000).refine(isStorableText, 'not a valid text');

/** The language in which the page is shown; without it that of Accept-Language counts. */
const localeSchema = z.enum(['ja', 'en']).optional();
export const loginBodySchema = z.union([
  z.strictObject({ agentId: idParamSchema, passkey: triedSecretSchema, locale: localeSchema }),
  z.strictObject({ code: triedSecretSchema, locale: localeSchema }),
]);
export type LoginBody = z.infer<typeof loginBodySchema>;

/** `csrf` is sent with the cookie in the header X-Aizuchi-Csrf; only this answer contains it. */
export const loginResultSchema = z.object({
  token: z.string(),
  csrf: z.string(),
  agent: agentSchema,
  expiresAt: instantSchema,
});

/** `GET /auth/me`. */
export const meSchema = agentSchema;

/** `current` may be left out by who has no passkey yet: who came by an invitation. */
export const changePasskeyBodySchema = z.strictObject({
  current: triedSecretSchema.optional(),
  new: newPasskeySchema,
});

export const accessTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: instantSchema,
  expiresAt: instantSchema.optional(),
  lastUsedAt: instantSchema.optional(),
});
export type AccessToken = z.infer<typeof accessTokenSchema>;
export const accessTokenPageSchema = z.object({
  tokens: z.array(accessTokenSchema),
  nextCursor: nextCursorSchema,
});
export type AccessTokenPage = z.infer<typeof accessTokenPageSchema>;

/** Without expiresInDays the token lives until it is deleted. */
export const createTokenBodySchema = z.strictObject({
  name: lineSchema(100),
  expiresInDays: z.int().min(1).max(3_650).optional(),
});
export type CreateTokenBody = z.infer<typeof createTokenBodySchema>;
/** `POST /auth/tokens`: the token itself is shown here and never again. */
export const createdTokenSchema = accessTokenSchema.extend({ token: z.string() });
export type CreatedToken = z.infer<typeof createdTokenSchema>;
