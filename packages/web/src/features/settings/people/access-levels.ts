import type { AccessLevel } from '@aizuchi/shared/contract/agent';

/** As the contract has them; a test compares. */
export const ACCESS_LEVELS: readonly AccessLevel[] = ['owner', 'member', 'viewer'];

export function toAccessLevel(text: string): AccessLevel {
  return ACCESS_LEVELS.find((level) => level === text) ?? 'viewer';
}
