import { z } from 'zod';
import { idParamSchema, lineSchema } from './ids.ts';
import { imageSchema, MAX_IMAGES } from './turn.ts';

export const VISION_LIMITS = { source: 200, error: 500, description: 20_000 } as const;
/** How long a person has, in milliseconds. */
export const VISION_TIMEOUT_MS = { min: 5_000, max: 600_000, default: 120_000 } as const;

/** What the image is to show, in the words that the person reads. */
export const visionSourceSchema = lineSchema(VISION_LIMITS.source);

export const captureRequestBodySchema = z.strictObject({
  agentId: idParamSchema,
  clientId: z
    .string()
    .min(1)
    .max(200)
    .describe('Who is asked: the caller, or a client of its own; never another person'),
  source: visionSourceSchema.describe('What the image is to show, for example "screenshot"'),
  projectId: idParamSchema.optional().describe('Owners may omit it: the description is general then'),
});
export type CaptureRequestBody = z.infer<typeof captureRequestBodySchema>;

export const captureRequestedSchema = z.object({ request_id: z.string() });

export const captureResponseBodySchema = z.strictObject({
  request_id: idParamSchema,
  client_id: z.string().min(1).max(200),
  images: z.array(imageSchema).max(MAX_IMAGES),
  error: z
    .string()
    .trim()
    .min(1)
    .max(VISION_LIMITS.error)
    .nullish()
    .describe('There is no image, and why; `images` is empty then'),
});
export type CaptureResponseBody = z.infer<typeof captureResponseBodySchema>;

export const eventStreamQuerySchema = z.object({
  agentId: idParamSchema,
  projectId: idParamSchema.optional().describe('Owners may omit it: everything of the agent'),
  clientId: z.string().min(1).max(200).optional().describe('Only what this client of the caller is asked'),
});
export type EventStreamQuery = z.infer<typeof eventStreamQuerySchema>;

/** What became of a request; timeout: nobody answered in time. */
export const VISION_ENDS = ['described', 'declined', 'timeout', 'cancelled'] as const;
export type VisionEnd = (typeof VISION_ENDS)[number];

/** The events of `GET /api/events/stream`. `event_id` 0: not logged. Clients pass over types that they do not know. */
export const agentEventSchema = z.discriminatedUnion('type', [
  z.object({
    event_id: z.literal(0),
    type: z.literal('vision.capture_request'),
    data: z.object({
      request_id: z.string(),
      source: z.string(),
      timeout_ms: z.number().describe('How long it is open, from its beginning'),
    }),
  }),
  z.object({
    event_id: z.literal(0),
    type: z.literal('vision.capture_resolved'),
    data: z.object({ request_id: z.string(), status: z.enum(VISION_ENDS) }),
  }),
]);
export type AgentEvent = z.infer<typeof agentEventSchema>;
