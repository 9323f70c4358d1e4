import { z } from 'zod';

interface SettingDefinition {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** 0 means "off", although it is less than min. */
  readonly zeroIsOff?: true;
}

const DAY = 86_400;
const WEEK = 7 * DAY;
const MIB = 1_048_576;

/**
 * The table of all settings; their variables: platform/config/settings-from-env.ts. Where min is 0, 0 means
 * "never" or "off".
 */
export const SETTINGS = {
  pendingPurposeTtlSeconds: { default: 300, min: 1, max: DAY },
  sessionIdleTimeoutSeconds: { default: 600, min: 1, max: WEEK },
  turnTimeoutSeconds: { default: 3_600, min: 0, max: WEEK },
  conversationTimeoutSeconds: { default: 600, min: 1, max: WEEK },
  conversationPendingTimeoutSeconds: { default: 300, min: 1, max: WEEK },
  questionTimeoutSeconds: { default: 300, min: 0, max: WEEK },
  conversationNoticeGraceSeconds: { default: 60, min: 1, max: WEEK },
  chainMaxMessages: { default: 60, min: 1, max: 1_000_000 },
  projectAgentMessagesPerHour: { default: 200, min: 0, max: 1_000_000 },
  // The largest message has 400,000 bytes: a quota of less than 1 MiB would refuse single answers.
  agentBytesPerHour: { default: 20 * MIB, min: MIB, max: 2_000_000_000, zeroIsOff: true },
  viewerLeaseSeconds: { default: 60, min: 1, max: WEEK },
  // core/chat/rules/warming.ts: 0 nobody, 1 the built-in agents, 2 all.
  warmOnHover: { default: 1, min: 0, max: 2 },
} as const satisfies Record<string, SettingDefinition>;

export type SettingName = keyof typeof SETTINGS;
export type Settings = { readonly [name in SettingName]: number };
export type SettingSource = 'env' | 'setting' | 'default';

export const settingsSchema = z.object({
  pendingPurposeTtlSeconds: z.int(),
  sessionIdleTimeoutSeconds: z.int(),
  turnTimeoutSeconds: z.int(),
  conversationTimeoutSeconds: z.int(),
  conversationPendingTimeoutSeconds: z.int(),
  questionTimeoutSeconds: z.int(),
  conversationNoticeGraceSeconds: z.int(),
  chainMaxMessages: z.int(),
  projectAgentMessagesPerHour: z.int(),
  agentBytesPerHour: z.int(),
  viewerLeaseSeconds: z.int(),
  warmOnHover: z.int(),
}) satisfies z.ZodType<Settings>;

const settingNames = settingsSchema.keyof();
export const SETTING_NAMES: readonly SettingName[] = settingNames.options;

export const settingsViewSchema = settingsSchema.extend({
  sources: z.record(settingNames, z.enum(['env', 'setting', 'default'])),
  /** The address for people's own MCP clients, if rest-api was given one (AIZUCHI_MCP_URL). */
  mcpUrl: z.string().optional(),
});
export type SettingsView = z.infer<typeof settingsViewSchema>;

function rangeOf(name: SettingName) {
  const { min, max, zeroIsOff }: SettingDefinition = SETTINGS[name];
  if (!zeroIsOff) return z.int().min(min).max(max);
  return z
    .int()
    .min(0)
    .max(max)
    .refine((value) => value === 0 || value >= min, `must be 0 (off) or at least ${min}`);
}

/** `PUT /settings` merges: a field that is named changes, null restores the default. */
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
  agentBytesPerHour: rangeOf('agentBytesPerHour').nullable().optional(),
  viewerLeaseSeconds: rangeOf('viewerLeaseSeconds').nullable().optional(),
  warmOnHover: rangeOf('warmOnHover').nullable().optional(),
});
export type UpdateSettingsBody = z.infer<typeof updateSettingsBodySchema>;
