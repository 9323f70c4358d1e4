import { z } from 'zod';
import { CATEGORIES } from '../core/notifications/rules/categories.ts';
import { idParamSchema, instantSchema, lineSchema } from './ids.ts';
import { isTimeZone } from './time-zone.ts';

export const CHANNEL_KINDS = ['web_push', 'webhook', 'ntfy'] as const;
export const MAX_CHANNELS = 20;

const categoriesSchema = z
  .array(z.enum(CATEGORIES))
  .max(CATEGORIES.length)
  .refine((list) => new Set(list).size === list.length, 'a category is named twice');
const minuteSchema = z.number().int().min(0).max(1_439);
const ruleSchema = z.strictObject({ sends: z.boolean(), inQuiet: z.boolean() });
const timeZoneSchema = z.string().max(64).refine(isTimeZone, 'a time zone such as Asia/Tokyo');

/** Minutes of the day in the person's time zone; `to` is on the next day when it is not after `from`. */
const quietSchema = z.strictObject({
  from: minuteSchema,
  to: minuteSchema,
  /** The days on which they begin; 0 is Sunday. */
  days: z.array(z.number().int().min(0).max(6)).min(1).max(7),
});

/** What a person is told off the page, and when. */
export const notificationSettingsSchema = z.object({
  locale: z.enum(['ja', 'en']),
  timeZone: z.string(),
  quiet: quietSchema.nullable(),
  hidesText: z.boolean(),
  rules: z.record(z.enum(CATEGORIES), ruleSchema),
});
export type NotificationSettings = z.infer<typeof notificationSettingsSchema>;

/** Absent fields stay as they are. */
export const updateNotificationSettingsBodySchema = z.strictObject({
  locale: z.enum(['ja', 'en']).optional(),
  timeZone: timeZoneSchema.optional(),
  quiet: quietSchema.nullable().optional(),
  hidesText: z.boolean().optional(),
  rules: z.partialRecord(z.enum(CATEGORIES), ruleSchema).optional(),
});
export type UpdateNotificationSettingsBody = z.infer<typeof updateNotificationSettingsBodySchema>;

/** Why a message did not arrive; never the answer of the other side. */
export const CHANNEL_FAILURES = [
  'address_not_allowed',
  'not_reachable',
  'timed_out',
  'refused',
  'gone',
  'server_error',
  'signed_out',
] as const;

export const notificationChannelSchema = z.object({
  id: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  name: z.string(),
  /** The URL of a webhook, the server and topic of ntfy; of a browser only its push service. */
  address: z.string(),
  categories: z.array(z.enum(CATEGORIES)),
  isOn: z.boolean(),
  createdAt: instantSchema,
  lastSentAt: instantSchema.optional(),
  /** Why the last message did not arrive; absent when it did. */
  failure: z.enum(CHANNEL_FAILURES).optional(),
  failedAt: instantSchema.optional(),
});
export type NotificationChannel = z.infer<typeof notificationChannelSchema>;

export const notificationsSchema = z.object({
  settings: notificationSettingsSchema,
  channels: z.array(notificationChannelSchema),
  /** With which a browser subscribes (VAPID). */
  publicKey: z.string(),
});
export type Notifications = z.infer<typeof notificationsSchema>;

const addressSchema = z
  .string()
  .max(1_000)
  .refine((text) => {
    const url = URL.parse(text);
    if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
    return url.protocol === 'https:' || url.protocol === 'http:';
  }, 'an https or http address without a name, password or fragment');
const common = { name: lineSchema(60), categories: categoriesSchema.optional() };

export const createChannelBodySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('web_push'),
    ...common,
    /** As the browser gives it (PushSubscription). */
    endpoint: addressSchema,
    keys: z.strictObject({
      p256dh: z.string().regex(/^[\w-]{87}=?$/, '65 bytes as base64url'),
      auth: z.string().regex(/^[\w-]{22}(==)?$/, '16 bytes as base64url'),
    }),
  }),
  z.strictObject({ kind: z.literal('webhook'), ...common, url: addressSchema }),
  z.strictObject({
    kind: z.literal('ntfy'),
    ...common,
    server: addressSchema,
    topic: z.string().regex(/^[\w-]{1,64}$/, '1–64 letters, digits, _ and -'),
    /** An access token of the server, kept encrypted. */
    token: z
      .string()
      .regex(/^[\x21-\x7e]{1,200}$/, '1–200 printable characters')
      .optional(),
  }),
]);
export type CreateChannelBody = z.infer<typeof createChannelBodySchema>;

export const createdChannelSchema = notificationChannelSchema.extend({
  /** Of a webhook, shown only here: with it the receiver checks signatures. */
  secret: z.string().optional(),
});
export type CreatedChannel = z.infer<typeof createdChannelSchema>;

export const updateChannelBodySchema = z.strictObject({
  name: lineSchema(60).optional(),
  categories: categoriesSchema.optional(),
  isOn: z.boolean().optional(),
});
export type UpdateChannelBody = z.infer<typeof updateChannelBodySchema>;

export const testResultSchema = z.object({
  sent: z.boolean(),
  failure: z.enum(CHANNEL_FAILURES).optional(),
});
export type TestResult = z.infer<typeof testResultSchema>;

/** Where the caller looks; `projectId` null: at the inbox. `place` null: at nothing that tells of news. */
export const attentionBodySchema = z.strictObject({
  viewerId: z.string().min(1).max(100),
  place: z
    .strictObject({ projectId: idParamSchema.nullable(), agentId: idParamSchema.optional() })
    .nullable(),
});
export type AttentionBody = z.infer<typeof attentionBodySchema>;

const answerToken = z.string().min(1).max(1_000);
export const lookAnswerBodySchema = z.strictObject({ token: answerToken });
export const giveAnswerBodySchema = z.strictObject({
  token: answerToken,
  /** The index of the option, from 0. */
  option: z.number().int().min(0).max(99),
});

/** The card behind an answer link. */
export const linkedQuestionSchema = z.object({
  project: z.string(),
  agent: z.string(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  expiresAt: instantSchema.optional(),
});
export type LinkedQuestion = z.infer<typeof linkedQuestionSchema>;
