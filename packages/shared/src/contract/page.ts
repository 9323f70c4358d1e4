import { z } from 'zod';
import { limitSchema } from './ids.ts';

/** Where a list goes on: taken as it came from `nextCursor`; anything else is refused by the service. */
export const cursorSchema = z.string().min(1).max(200);

/** The query of every list; lists with filters extend it. */
export const pageQuerySchema = z.strictObject({ limit: limitSchema, cursor: cursorSchema.optional() });
export type PageQuery = z.infer<typeof pageQuerySchema>;

export const nextCursorSchema = z.string().nullable();
