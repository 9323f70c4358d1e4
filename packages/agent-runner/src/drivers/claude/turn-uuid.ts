import { createHash } from 'node:crypto';

/**
 * The id of the message of ours that holds these chat messages: the same after a crash. Claude Code ignores a message
 * whose id its session knows, so one that is pushed again does not run twice.
 */
export function turnUuid(messageIds: readonly string[]): `${string}-${string}-${string}-${string}-${string}` {
  const hex = createHash('sha256').update(messageIds.join('\n')).digest('hex');
  // Version 8 of RFC 9562: the bits are the application's.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
