import type { TurnEnd } from '../../../turn-events.ts';
import type { AcpTexts } from '../texts/texts-shape.ts';

const DONE: TurnEnd = { type: 'end', reason: 'done' };
export const INTERRUPTED: TurnEnd = { type: 'end', reason: 'interrupted' };

/** How a turn has ended by the word of the agent that nobody has interrupted. */
export function turnEndOf(
  stopReason: string,
  { isEmpty, isRefused }: { readonly isEmpty: boolean; readonly isRefused: boolean },
  { failures }: AcpTexts,
): TurnEnd {
  const failed = (sentence: string) => ({
    type: 'end' as const,
    reason: 'failed' as const,
    error: `the agent ended its turn: ${stopReason}`,
    sentence,
  });
  switch (stopReason) {
    case 'refusal':
      return failed(failures.refusal);
    case 'max_tokens':
      return { ...failed(failures.maxTokens), isCut: true };
    case 'max_turn_requests':
      return { ...failed(failures.maxRequests), isCut: true };
    case 'cancelled':
      // Some agents end their turn when a tool is refused.
      return isRefused ? DONE : failed(failures.gaveUp);
    default:
      return isEmpty ? failed(failures.noAnswer) : DONE;
  }
}
