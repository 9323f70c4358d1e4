import { sql } from 'kysely';
import { z } from 'zod';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { CATEGORIES } from './rules/categories.ts';
import type { KnownNotification, Opened } from './rules/decide.ts';

const rowSchema = z.object({
  category: z.enum(CATEGORIES),
  state: z.enum(['waiting', 'told', 'passed', 'over']),
});

/** Those of a person that are open, and those of these keys. */
export async function knownNotifications(
  db: Queryable,
  humanId: string,
  keys: readonly string[],
): Promise<Map<string, KnownNotification>> {
  const { rows } = await sql<Omit<KnownNotification, 'category' | 'state'>>`
    select key, category, project_id, agent_id, state, due_at, told_at, over_at from notifications
    where human_id = ${humanId} and state <> 'over'
    union all
    select key, category, project_id, agent_id, state, due_at, told_at, over_at from notifications
    where human_id = ${humanId} and state = 'over' and key = any(${keys}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.key, { ...row, ...rowSchema.parse(row) }]));
}

export async function openNotifications(
  db: Queryable,
  humanId: string,
  opened: readonly Opened[],
): Promise<void> {
  if (opened.length === 0) return;
  await db
    .insertInto('notifications')
    .values(opened.map((one) => ({ humanId, ...one })))
    .onConflict((conflict) =>
      conflict.columns(['humanId', 'key']).doUpdateSet((eb) => ({
        state: eb.ref('excluded.state'),
        dueAt: eb.ref('excluded.dueAt'),
        toldAt: eb.ref('excluded.toldAt'),
        overAt: null,
      })),
    )
    .execute();
}

export async function endNotifications(
  db: Queryable,
  humanId: string,
  keys: readonly string[],
  now: Date,
): Promise<void> {
  if (keys.length === 0) return;
  await db
    .updateTable('notifications')
    .set({ state: 'over', dueAt: null, overAt: now })
    .where('humanId', '=', humanId)
    .where('key', 'in', [...keys])
    .where('state', '<>', 'over')
    .execute();
}

/** Waiting ones become told or passed. */
export async function settleNotifications(
  db: Queryable,
  humanId: string,
  settled: { readonly state: 'told' | 'passed'; readonly keys: readonly string[]; readonly now: Date },
): Promise<void> {
  const { state, keys, now } = settled;
  if (keys.length === 0) return;
  await db
    .updateTable('notifications')
    .set({ state, dueAt: null, toldAt: state === 'told' ? now : null })
    .where('humanId', '=', humanId)
    .where('key', 'in', [...keys])
    .where('state', '=', 'waiting')
    .execute();
}

export async function postponeNotification(
  db: Queryable,
  humanId: string,
  key: string,
  dueAt: Date,
): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ dueAt })
    .where('humanId', '=', humanId)
    .where('key', '=', key)
    .where('state', '=', 'waiting')
    .execute();
}

/** Nobody tells this person of anything any more. */
export async function forgetNotificationsOf(db: Queryable, humanId: string): Promise<void> {
  await db.deleteFrom('notifications').where('humanId', '=', humanId).execute();
}

/**
 * When the next one is due, or the next message is to be sent; null: nothing waits. Of people who are told: what waits for
 * others stays due, and would keep the worker awake.
 */
export async function nextDueAt(db: Queryable): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select least(
      (select min(n.due_at) from notifications n join agents a on a.id = n.human_id and a.deleted_at is null
        where n.state = 'waiting'
          and exists (select from notification_channels c where c.human_id = n.human_id and c.is_on)),
      (select min(next_at) from notification_dispatches where state = 'pending')) as at`.execute(db);
  return rows[0]?.at ?? null;
}

/**
 * Whether there is anybody to tell, or a message to send. Where nobody has a channel this is all that is asked, every ten
 * seconds: one prepared statement.
 */
export async function isAnythingToTell(database: Pick<Database, 'statement'>): Promise<boolean> {
  const [row] = await database.statement<{ is_any: boolean }>({
    name: 'notification-work',
    text: `select exists (select from notification_channels c join agents a on a.id = c.human_id
        where c.is_on and a.type = 'human' and a.deleted_at is null)
      or exists (select from notification_dispatches where state = 'pending') as is_any`,
    values: [],
  });
  return row?.is_any === true;
}

export interface Dispatch {
  readonly id: string;
  readonly channelId: string;
  readonly keys: readonly string[];
  readonly attempts: number;
}

export async function insertDispatches(
  db: Queryable,
  dispatches: readonly Pick<Dispatch, 'id' | 'channelId' | 'keys'>[],
  now: Date,
): Promise<void> {
  if (dispatches.length === 0) return;
  await db
    .insertInto('notificationDispatches')
    .values(
      dispatches.map(({ id, channelId, keys }) => ({
        id,
        channelId,
        keys: [...keys],
        state: 'pending',
        createdAt: now,
        nextAt: now,
      })),
    )
    .execute();
}

/** Takes messages that are due, for `leaseMs`: a process that dies meanwhile leaves them to the others. */
export async function takeDispatches(
  db: Queryable,
  taken: { readonly now: Date; readonly leaseMs: number; readonly limit: number },
): Promise<Dispatch[]> {
  const { now, leaseMs, limit } = taken;
  const { rows } = await sql<Dispatch>`
    update notification_dispatches set attempts = attempts + 1, next_at = ${new Date(now.getTime() + leaseMs)}
    where id = any(array(select d.id from notification_dispatches d
      where d.state = 'pending' and d.next_at <= ${now}
      order by d.next_at limit ${limit} for update of d skip locked))
    returning id, channel_id, keys, attempts`.execute(db);
  return rows;
}

/** Of the attempt that the caller has taken; nothing when another process has taken it over since. */
export async function finishDispatch(
  db: Queryable,
  { id, attempts }: Dispatch,
  outcome: { readonly state: 'sent' | 'failed' | 'dropped'; readonly now: Date },
): Promise<void> {
  await db
    .updateTable('notificationDispatches')
    .set({ state: outcome.state, nextAt: null, doneAt: outcome.now })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('state', '=', 'pending')
    .execute();
}

export async function retryDispatch(db: Queryable, { id, attempts }: Dispatch, nextAt: Date): Promise<void> {
  await db
    .updateTable('notificationDispatches')
    .set({ nextAt })
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('state', '=', 'pending')
    .execute();
}

/** The names that are told with what happened. */
export async function namesOf(
  db: Queryable,
  { projectIds, agentIds }: { readonly projectIds: readonly string[]; readonly agentIds: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from projects where id = any(${projectIds}::text[])
    union all select id, name from agents where id = any(${agentIds}::text[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
