import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { CHANNEL_FAILURES, CHANNEL_KINDS } from '../../contract/notification.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { CATEGORIES, type Category } from './rules/categories.ts';

/** What a channel is sent with; it leaves the server by no answer. */
const accessSchema = z.object({
  p256dh: z.string().optional(),
  auth: z.string().optional(),
  /** Of ntfy, sealed. */
  token: z.string().optional(),
});
export type ChannelAccess = z.infer<typeof accessSchema>;
export type ChannelFailure = (typeof CHANNEL_FAILURES)[number];

export interface ChannelRecord {
  readonly id: string;
  readonly humanId: string;
  readonly kind: (typeof CHANNEL_KINDS)[number];
  readonly name: string;
  readonly address: string;
  readonly access: ChannelAccess;
  readonly categories: readonly Category[];
  readonly isOn: boolean;
  readonly createdAt: Date;
  readonly lastSentAt: Date | null;
  readonly failure: ChannelFailure | null;
  readonly failedAt: Date | null;
  readonly failures: number;
  /** Of a browser: its sign-in is over, so it is told nothing. */
  readonly isSignedOut: boolean;
}

const rowSchema = z.object({
  kind: z.enum(CHANNEL_KINDS),
  access: accessSchema,
  categories: z.array(z.enum(CATEGORIES)),
  failure: z.enum(CHANNEL_FAILURES).nullable(),
});

type Row = Omit<ChannelRecord, keyof z.infer<typeof rowSchema>>;

async function readChannels(db: Queryable, now: Date, where: RawBuilder<unknown>): Promise<ChannelRecord[]> {
  const { rows } = await sql<Row>`
    select c.id, c.human_id, c.kind, c.name, c.address, c.access, c.categories, c.is_on, c.created_at, c.last_sent_at,
      c.failure, c.failed_at, c.failures,
      c.token_hash is not null and not exists (select from access_tokens t where t.token_hash = c.token_hash
        and t.revoked_at is null and (t.expires_at is null or t.expires_at > ${now})) as is_signed_out
    from notification_channels c where ${where}`.execute(db);
  return rows.map((row) => ({ ...row, ...rowSchema.parse(row) }));
}

/** Of one person, the oldest first. */
export function channelsOf(db: Queryable, humanId: string, now: Date): Promise<ChannelRecord[]> {
  return readChannels(db, now, sql`c.human_id = ${humanId} order by c.created_at, c.id limit 100`);
}

export async function findChannel(db: Queryable, id: string, now: Date): Promise<ChannelRecord | undefined> {
  const [channel] = await readChannels(db, now, sql`c.id = ${id}`);
  return channel;
}

export interface NewChannel
  extends Pick<
    ChannelRecord,
    'id' | 'humanId' | 'kind' | 'name' | 'address' | 'access' | 'categories' | 'createdAt'
  > {
  readonly tokenHash: string | null;
}

export async function insertChannel(
  db: Queryable,
  { access, categories, ...channel }: NewChannel,
): Promise<void> {
  await db
    .insertInto('notificationChannels')
    .values({ ...channel, access: JSON.stringify(access), categories: [...categories], isOn: true })
    .execute();
}

/** The browser has signed in again, or has other keys: its channel goes on. Undefined: this person has none there. */
export async function renewPushChannel(
  db: Queryable,
  { humanId, address, access, tokenHash }: Pick<NewChannel, 'humanId' | 'address' | 'access' | 'tokenHash'>,
): Promise<string | undefined> {
  const row = await db
    .updateTable('notificationChannels')
    .set({ access: JSON.stringify(access), tokenHash })
    .where('kind', '=', 'web_push')
    .where('address', '=', address)
    .where('humanId', '=', humanId)
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** The channel of the same browser, whoever had it. */
export async function deletePushChannel(db: Queryable, endpoint: string): Promise<void> {
  await db
    .deleteFrom('notificationChannels')
    .where('kind', '=', 'web_push')
    .where('address', '=', endpoint)
    .execute();
}

/** A channel that is switched on again begins without failures. */
export async function updateChannel(
  db: Queryable,
  id: string,
  change: { readonly name?: string; readonly categories?: readonly Category[]; readonly isOn?: boolean },
): Promise<void> {
  const { categories, ...rest } = change;
  await db
    .updateTable('notificationChannels')
    .set({
      ...rest,
      ...(categories && { categories: [...categories] }),
      ...(rest.isOn && { failures: 0, failure: null, failedAt: null }),
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteChannel(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('notificationChannels').where('id', '=', id).execute();
}

export async function noteSent(db: Queryable, id: string, now: Date): Promise<void> {
  await db
    .updateTable('notificationChannels')
    .set({ lastSentAt: now, failure: null, failedAt: null, failures: 0 })
    .where('id', '=', id)
    .execute();
}

/** `isFinal`: it is not tried again. After `max` of those in a row the channel is off. */
export async function noteFailure(
  db: Queryable,
  id: string,
  failed: {
    readonly failure: ChannelFailure;
    readonly isFinal: boolean;
    readonly max: number;
    readonly now: Date;
  },
): Promise<void> {
  const { failure, now, max } = failed;
  const count = failed.isFinal ? 1 : 0;
  await sql`
    update notification_channels set failure = ${failure}, failed_at = ${now}, failures = failures + ${count},
      is_on = is_on and failures + ${count} < ${max}
    where id = ${id}`.execute(db);
}

export interface ToldPerson {
  readonly id: string;
  readonly accessLevel: string;
}

/** Living people with a channel that is on, in the order of their ids. */
export async function peopleWithChannels(
  db: Queryable,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ToldPerson[]> {
  const { rows } = await sql<ToldPerson>`
    select a.id, a.access_level from agents a
    where a.type = 'human' and a.deleted_at is null and a.id > ${after}
      and exists (select from notification_channels c where c.human_id = a.id and c.is_on)
    order by a.id limit ${limit}`.execute(db);
  return rows;
}
