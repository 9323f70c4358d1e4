import { z } from 'zod';

/** `GET /healthz` of every service. */
export const healthSchema = z.object({
  status: z.literal('ok'),
  service: z.string(),
  pid: z.int(),
  version: z.string(),
  instanceId: z.string(),
});
export type Health = z.infer<typeof healthSchema>;

/** `GET /readyz` when it can serve; otherwise the answer is 503 `unavailable`. */
export const readinessSchema = z.object({ status: z.literal('ready') });
