import { type RawEnv, readEnv } from './env.ts';

/** Each setting of the settings page, and the variable that fixes it. */
export const settingVariableNames = {
  pendingPurposeTtlSeconds: 'PENDING_PURPOSE_TTL_SECONDS',
  sessionIdleTimeoutSeconds: 'SESSION_IDLE_TIMEOUT_SECONDS',
  turnTimeoutSeconds: 'TURN_TIMEOUT_SECONDS',
  conversationTimeoutSeconds: 'CONVERSATION_TIMEOUT_SECONDS',
  conversationPendingTimeoutSeconds: 'CONVERSATION_PENDING_TIMEOUT_SECONDS',
  questionTimeoutSeconds: 'QUESTION_TIMEOUT_SECONDS',
  conversationNoticeGraceSeconds: 'CONVERSATION_NOTICE_GRACE_SECONDS',
  chainMaxMessages: 'CHAIN_MAX_MESSAGES',
  projectAgentMessagesPerHour: 'PROJECT_AGENT_MESSAGES_PER_HOUR',
  agentBytesPerHour: 'AGENT_BYTES_PER_HOUR',
  viewerLeaseSeconds: 'VIEWER_LEASE_SECONDS',
  warmOnHover: 'WARM_ON_HOVER',
} as const;

export type SettingKey = keyof typeof settingVariableNames;
export type SettingsFromEnv = Readonly<Partial<Record<SettingKey, number>>>;

/**
 * The settings that variables fix: these win over what is stored and are shown read-only. Unset ones are
 * absent. Throws ExitError (configuration) for a bad value.
 */
export function settingsFromEnv(raw: RawEnv = process.env): SettingsFromEnv {
  const env = readEnv(raw, Object.values(settingVariableNames));
  const settings: Partial<Record<SettingKey, number>> = {};
  for (const [key, variable] of Object.entries(settingVariableNames) as [SettingKey, keyof typeof env][]) {
    const value = env[variable];
    if (value !== undefined) settings[key] = value;
  }
  return settings;
}
