import { z } from 'zod';

interface SettingDefinition {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

const DAY = 86_400;

/** Every setting once: its name, default and range (its variable: config/settings-from-env.ts). 0 means "never" or "off" where min is 0. */
export const SETTINGS = {
  pendingPurposeTtlSeconds: { default: 300, min: 1, max: DAY },
  sessionIdleTimeoutSeconds: { default: 600, min: 1, max: DAY },
  turnTimeoutSeconds: { default: 3_600, min: 0, max: DAY },
  conversationTimeoutSeconds: { default: 600, min: 1, max: DAY },
  conversationPendingTimeoutSeconds: {
    default: 300,
    min: 1,
    max: DAY,
  },
  questionTimeoutSeconds: { default: 300, min: 0, max: DAY },
  conversationNoticeGraceSeconds: {
    default: 60,
    min: 1,
    max: DAY,
  },
  chainMaxMessages: { default: 60, min: 1, max: 10_000 },
  projectAgentMessagesPerHour: {
    default: 200,
    min: 0,
    max: 1_000_000,
  },
  viewerLeaseSeconds: { default: 60, min: 1, max: DAY },
} as const satisfies Record<string, SettingDefinition>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [name in SettingName]: number };
export type SettingSource = 'env' | 'setting' | 'default';

const rangeOf = (name: SettingName) => z.int().min(SETTINGS[name].min).max(SETTINGS[name].max);

export const settingsSchema = z.object({
  pendingPurposeTtlSeconds: rangeOf('pendingPurposeTtlSeconds'),
  sessionIdleTimeoutSeconds: rangeOf('sessionIdleTimeoutSeconds'),
  turnTimeoutSeconds: rangeOf('turnTimeoutSeconds'),
  conversationTimeoutSeconds: rangeOf('conversationTimeoutSeconds'),
  conversationPendingTimeoutSeconds: rangeOf('conversationPendingTimeoutSeconds'),
  questionTimeoutSeconds: rangeOf('questionTimeoutSeconds'),
  conversationNoticeGraceSeconds: rangeOf('conversationNoticeGraceSeconds'),
  chainMaxMessages: rangeOf('chainMaxMessages'),
  projectAgentMessagesPerHour: rangeOf('projectAgentMessagesPerHour'),
  viewerLeaseSeconds: rangeOf('viewerLeaseSeconds'),
}) satisfies z.ZodType<Settings>;

const settingNames = settingsSchema.keyof();
export const SETTING_NAMES: readonly SettingName[] = settingNames.options;

export const settingsViewSchema = settingsSchema.extend({
  sources: z.record(settingNames, z.enum(['env', 'setting', 'default'])),
});
export type SettingsView = z.infer<typeof settingsViewSchema>;

/** `PUT /settings` merges: what is named changes, null goes back to the default. */
export const updateSettingsBodySchema = z.strictObject({
  pendingPurposeTtlSeconds: rangeOf('pendingPurposeTtlSeconds').nullable().optional(),
  sessionIdleTimeoutSeconds: rangeOf('sessionIdleTimeoutSeconds').nullable().optional(),
  turnTimeoutSeconds: rangeOf('turnTimeoutSeconds').nullable().optional(),
  conversationTimeoutSeconds: rangeOf('conversationTimeoutSeconds').nullable().optional(),
  conversationPendingTimeoutSeconds: rangeOf('conversationPendingTimeoutSeconds').nullable().optional(),
  questionTimeoutSeconds: rangeOf('questionTimeoutSeconds').nullable().optional(),
  conversationNoticeGraceSeconds: rangeOf('conversationNoticeGraceSeconds').nullable().optional(),
  chainMaxMessages: rangeOf('chainMaxMessages').nullable().optional(),
  projectAgentMessagesPerHour: rangeOf('projectAgentMessagesPerHour').nullable().optional(),
  viewerLeaseSeconds: rangeOf('viewerLeaseSeconds').nullable().optional(),
});
export type UpdateSettingsBody = z.infer<typeof updateSettingsBodySchema>;
