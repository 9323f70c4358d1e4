import { z } from 'zod';
import { idParamSchema, textSchema } from './ids.ts';

/** Images of one turn. */
export const MAX_IMAGES = 5;
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** Five images in base64, and the rest of the body. */
export const TURN_BODY_BYTES = 36 * 1024 * 1024;

const IMAGE_PREFIX = /^data:image\/(?:png|jpeg|webp);base64,/;
export const imageSchema = z
  .string()
  .refine(
    (uri) => IMAGE_PREFIX.test(uri.slice(0, 40)),
    'must be a data URI of image/png, image/jpeg or image/webp, in base64',
  )
  .describe('A data URI of image/png, image/jpeg or image/webp, in base64; at most 5 MiB');

export const postTurnBodySchema = z.strictObject({
  agentId: idParamSchema,
  clientId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Whose conversation it is; the caller when absent'),
  text: textSchema(1, 4_000),
  images: z.array(imageSchema).max(MAX_IMAGES).default([]),
  projectId: idParamSchema.optional().describe('Owners may omit it: what is said is general then'),
});
export type PostTurnBody = z.infer<typeof postTurnBodySchema>;

export const TURN_ERROR_CODES = ['llm_unavailable', 'llm_stream_failed', 'image_too_large'] as const;
export type TurnErrorCode = (typeof TURN_ERROR_CODES)[number];

/** What the reply has cost, in tokens. */
export const turnUsageSchema = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
});
export type TurnUsage = z.infer<typeof turnUsageSchema>;

/** The data of the SSE events, by their names. */
export interface TurnEvents {
  readonly token: { readonly text: string };
  readonly done: {
    readonly event_id: string;
    readonly reply_text: string;
    /** null: the server of the model does not count. */
    readonly usage: TurnUsage | null;
    /** null: memory was away. */
    readonly retrieval_run_id: string | null;
  };
  readonly error: { readonly code: TurnErrorCode; readonly message: string };
}

/** One SSE event. `id`: how much of the reply was sent with it and before it; the last event has one more. */
export type TurnFrame = {
  readonly [N in keyof TurnEvents]: { readonly id: number; readonly event: N; readonly data: TurnEvents[N] };
}[keyof TurnEvents];
