import type { NearLimit } from '@aizuchi/shared/core/conversations/chain-limits';
import type { Instructions } from '../texts/instructions.ts';

/** What to do next, and near a limit of conversations the number of messages that are left. */
export function withLimit(
  instruction: string,
  nearLimit: NearLimit | undefined,
  instructions: Pick<Instructions, 'messagesLeft'>,
): string {
  return nearLimit
    ? instruction + instructions.messagesLeft(Math.max(0, nearLimit.messagesLeft))
    : instruction;
}
