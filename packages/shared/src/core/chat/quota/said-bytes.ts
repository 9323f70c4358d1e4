import { type RawBuilder, sql } from 'kysely';

/** The hour in which bytes are counted (chat_threads.said_hour). */
export const THIS_HOUR = `date_trunc('hour', clock_timestamp(), 'UTC')`;

/**
 * For an update of chat_threads `t`: its agent has written `bytes` more; 0: nothing. A clock that is set back begins no
 * other hour.
 */
export function addSaidBytes(bytes: RawBuilder<unknown>): RawBuilder<unknown> {
  const hour = sql.raw(THIS_HOUR);
  return sql`said_bytes = case when ${bytes} = 0 then t.said_bytes when t.said_hour >= ${hour} then t.said_bytes + ${bytes}
      else ${bytes} end,
    said_hour = case when ${bytes} = 0 then t.said_hour else greatest(t.said_hour, ${hour}) end`;
}
