import { z } from 'zod';
import { idParamSchema } from './ids.ts';

export const MAX_ATTACHMENT_BYTES = 5 * 1024 * 1024;
/** Of one message or comment. */
export const MAX_ATTACHMENTS = 10;

/** A file that a person has attached. `name` is one line; `mediaType` is what its bytes say. */
export const attachmentSchema = z.object({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  size: z.number().int(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

export const attachmentIdsSchema = z
  .array(idParamSchema)
  .max(MAX_ATTACHMENTS)
  .refine((ids) => new Set(ids).size === ids.length, 'each file once');

export const uploadQuerySchema = z.strictObject({
  name: z
    .string()
    .max(1_000)
    .optional()
    .describe('The name of the file; else that of a Content-Disposition header. It is made one short line.'),
});
