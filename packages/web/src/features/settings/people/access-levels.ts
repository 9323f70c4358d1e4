import type { AccessLevel } from '@aizuchi/shared/contract/agent';

/** The access levels of the contract (a test compares them). */
export const ACCESS_LEVELS: readonly AccessLevel[] = ['owner', 'member', 'viewer'];

export function toAccessLevel(text: string): AccessLevel {
  return ACCESS_LEVELS.find((level) => level === text) ?? 'viewer';
}
