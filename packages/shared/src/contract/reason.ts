import { z } from 'zod';

/**
 * Why something failed, in a form that every reader reads in its language (`platform/texts/reason-texts.ts`). It comes
 * beside a finished text, which counts for whoever does not know the code.
 */
export const reasonSchema = z.object({
  code: z.string().regex(/^[a-z][a-z_]{0,63}$/),
  params: z
    .record(z.string().regex(/^[a-zA-Z]{1,32}$/), z.union([z.string().max(4_096), z.number()]))
    .refine((params) => Object.keys(params).length <= 8, 'at most 8'),
});
export type Reason = z.infer<typeof reasonSchema>;
