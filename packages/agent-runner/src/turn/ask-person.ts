import type { QuestionItem } from '@aizuchi/shared/contract/question';
import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { QuestionOutcome } from '../driver.ts';
import type { TurnContext } from './turn-context.ts';

export type Card = QuestionOutcome | { readonly status: 'pending'; readonly toolUseId: string };

/**
 * Shows the card. The call is not held: meanwhile the agent works for its other sources, and its held get_next_action
 * returns at once when the card is resolved. The same questions, asked again after a crash, are the same card.
 */
export async function askPerson(
  questions: readonly QuestionItem[],
  { client, log }: TurnContext,
): Promise<Card> {
  try {
    const card = await client.callUntilAnswered('ask_user_question', {
      questions: [...questions],
      hold_seconds: 0,
    });
    if (card.status === 'pending') return { status: 'pending', toolUseId: card.tool_use_id };
    return { status: card.status, answers: card.answers ?? {} };
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    log(`the question was refused: ${error.code}: ${error.message}`);
    return { status: 'unavailable', answers: {} };
  }
}
