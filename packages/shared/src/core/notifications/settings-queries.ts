import { z } from 'zod';
import { type NotificationSettings, notificationSettingsSchema } from '../../contract/notification.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { LOCALES } from '../../platform/texts/locale.ts';

export interface StoredSettings extends NotificationSettings {
  readonly since: Date;
}

const rulesSchema = notificationSettingsSchema.shape.rules;

/** `isLocked`: until the transaction ends, so that of several processes one compares the inbox. */
export async function findNotificationSettings(
  db: Queryable,
  humanId: string,
  { isLocked }: { readonly isLocked: boolean },
): Promise<StoredSettings | undefined> {
  const row = await db
    .selectFrom('notificationSettings')
    .selectAll()
    .where('humanId', '=', humanId)
    .$if(isLocked, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) return undefined;
  const { locale, timeZone, quietFrom, quietTo, quietDays, hidesText, rules, since } = row;
  return {
    locale: z.enum(LOCALES).parse(locale),
    timeZone,
    quiet:
      quietFrom === null || quietTo === null ? null : { from: quietFrom, to: quietTo, days: [...quietDays] },
    hidesText,
    rules: rulesSchema.parse(rules),
    since,
  };
}

export async function saveNotificationSettings(
  db: Queryable,
  humanId: string,
  { quiet, rules, ...settings }: StoredSettings,
): Promise<void> {
  const values = {
    ...settings,
    quietFrom: quiet?.from ?? null,
    quietTo: quiet?.to ?? null,
    quietDays: quiet?.days ?? [],
    rules: JSON.stringify(rules),
  };
  await db
    .insertInto('notificationSettings')
    .values({ humanId, ...values })
    .onConflict((conflict) => conflict.column('humanId').doUpdateSet(values))
    .execute();
}

export async function renewAttention(
  db: Queryable,
  at: {
    readonly humanId: string;
    readonly viewerId: string;
    readonly projectId: string | null;
    readonly agentId: string | null;
    readonly until: Date;
  },
): Promise<void> {
  const { humanId, viewerId, ...place } = at;
  await db
    .insertInto('personAttention')
    .values({ humanId, viewerId, ...place })
    .onConflict((conflict) => conflict.columns(['humanId', 'viewerId']).doUpdateSet(place))
    .execute();
}

export async function dropAttention(db: Queryable, humanId: string, viewerId: string): Promise<void> {
  await db
    .deleteFrom('personAttention')
    .where('humanId', '=', humanId)
    .where('viewerId', '=', viewerId)
    .execute();
}

/** Where this person looks now. */
export async function attentionOf(
  db: Queryable,
  humanId: string,
  now: Date,
): Promise<{ readonly projectId: string | null }[]> {
  return db
    .selectFrom('personAttention')
    .select('projectId')
    .where('humanId', '=', humanId)
    .where('until', '>', now)
    .limit(100)
    .execute();
}
