import { createHash } from 'node:crypto';

const LENGTH = 20;

/**
 * The id of what grows: always the same for the same parts, so that a step which is done again after a kill makes the
 * same rows.
 */
export function grownId(prefix: 'sta' | 'aff', ...parts: readonly (string | number)[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${prefix}_${BigInt(`0x${hash}`).toString(36).padStart(LENGTH, '0').slice(-LENGTH)}`;
}
