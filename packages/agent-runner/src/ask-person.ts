import { ToolRefused } from '@aizuchi/shared/mcp-client/tool-errors';
import type { Ask, QuestionOutcome } from './driver.ts';
import type { TurnContext } from './turn-context.ts';

export type Card = QuestionOutcome | { readonly status: 'pending'; readonly toolUseId: string };

/**
 * Shows the card. Not held: meanwhile the agent is there for its other sources, and its held get_next_action tells at
 * once when the card is resolved. The same questions of a turn that comes again are the same card.
 */
export async function askPerson(ask: Ask, context: TurnContext): Promise<Card> {
  try {
    const card = await context.client.callUntilAnswered('ask_user_question', {
      questions: [...ask.questions],
      hold_seconds: 0,
    });
    if (card.status === 'pending') return { status: 'pending', toolUseId: card.tool_use_id };
    return { status: card.status, answers: card.answers ?? {} };
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    context.log(`the question was refused: ${error.code}: ${error.message}`);
    return { status: 'unavailable', answers: {} };
  }
}
