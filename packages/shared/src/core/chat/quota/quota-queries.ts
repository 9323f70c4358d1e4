import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../../platform/db/database.ts';

/** The hour in which bytes are counted (chat_threads.said_hour). */
export const THIS_HOUR = `date_trunc('hour', clock_timestamp(), 'UTC')`;

/**
 * For an update of chat_threads `t`: its agent has written `bytes` more; 0: nothing. Setting the clock back
 * does not begin another hour.
 */
export function addSaidBytes(bytes: RawBuilder<unknown>): RawBuilder<unknown> {
  const hour = sql.raw(THIS_HOUR);
  return sql`said_bytes = case when ${bytes} = 0 then t.said_bytes when t.said_hour >= ${hour} then t.said_bytes + ${bytes}
      else ${bytes} end,
    said_hour = case when ${bytes} = 0 then t.said_hour else greatest(t.said_hour, ${hour}) end`;
}

/**
 * Counts `bytes` that an agent has written in a text that is not a message. False: beyond `quota` (0: none);
 * not counted.
 */
export async function addSaidBytesIfRoom(
  db: Queryable,
  threadId: string,
  { bytes: count, quota }: { bytes: number; quota: number },
): Promise<boolean> {
  const bytes = sql`${count}::bigint`;
  const { rows } = await sql`
    update chat_threads t set ${addSaidBytes(bytes)}
    where t.id = ${threadId} and (${quota}::bigint = 0
      or case when t.said_hour >= ${sql.raw(THIS_HOUR)} then t.said_bytes else 0 end + ${bytes} <= ${quota}::bigint)
    returning t.id`.execute(db);
  return rows.length > 0;
}
