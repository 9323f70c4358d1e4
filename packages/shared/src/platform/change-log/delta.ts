import type pg from 'pg';
import { z } from 'zod';

/** A piece of a partial answer: shown, never stored, not part of the log. */
export const DELTA_CHANNEL = 'aizuchi_delta';

const deltaSchema = z.object({
  projectId: z.string(),
  agentId: z.string(),
  messageId: z.string(),
  /** It is of a turn at this task, and of no answer. */
  taskId: z.string().optional(),
  text: z.string(),
  /** Where `text` begins, in UTF-16 units of the whole answer. */
  offset: z.number().int(),
});
export type Delta = z.infer<typeof deltaSchema>;

/** JSON escapes and multi-byte characters may make it four times as long; NOTIFY refuses 8000 bytes. */
const MAX_CHUNK_UNITS = 1_200;

/**
 * Sends a delta to every process that serves pages, in pieces that NOTIFY accepts. A lost piece loses no
 * stored data.
 */
export async function publishDelta(pool: pg.Pool, delta: Delta): Promise<void> {
  for (let start = 0; start < delta.text.length; start += MAX_CHUNK_UNITS) {
    const piece = {
      ...delta,
      text: delta.text.slice(start, start + MAX_CHUNK_UNITS),
      offset: delta.offset + start,
    };
    await pool.query({
      name: 'delta',
      text: 'select pg_notify($1, $2)',
      values: [DELTA_CHANNEL, JSON.stringify(piece)],
    });
  }
}

/** Null for a payload that is not a delta. */
export function parseDelta(payload: string): Delta | null {
  try {
    return deltaSchema.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}
