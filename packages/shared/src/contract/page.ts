import { z } from 'zod';
import { limitSchema } from './ids.ts';

/** The position where a list continues: a value of `nextCursor`; the service refuses any other value. */
export const cursorSchema = z.string().min(1).max(200);

/** The query of every list; lists with filters extend it. */
export const pageQuerySchema = z.strictObject({ limit: limitSchema, cursor: cursorSchema.optional() });
export type PageQuery = z.infer<typeof pageQuerySchema>;

export const nextCursorSchema = z.string().nullable();
