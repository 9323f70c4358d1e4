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
  { client, log, hide }: TurnContext,
  signal: AbortSignal,
): Promise<Card> {
  try {
    const asked = { questions: questions.map((question) => hidden(question, hide)), hold_seconds: 0 };
    const card = await client.callUntilAnswered('ask_user_question', asked, { signal });
    if (card.status === 'pending') return { status: 'pending', toolUseId: card.tool_use_id };
    return { status: card.status, answers: card.answers ?? {} };
  } catch (error) {
    if (!(error instanceof ToolRefused)) throw error;
    log(`the question was refused: ${error.code}: ${error.message}`);
    return { status: 'refused', answers: {}, reason: error.message };
  }
}

type Hide = TurnContext['hide'];

/** What a person reads: no secret of the run is in it. */
function hidden({ question, header, options, multiSelect }: QuestionItem, hide: Hide): QuestionItem {
  return {
    question: hide(question),
    header: hide(header),
    options: options.map(({ label, description }) => ({
      label: hide(label),
      description: hide(description),
    })),
    multiSelect,
  };
}

/** The same outcome in the words of the model, which knows its own questions and labels only. */
export function inWordsOfModel(
  { answers, ...outcome }: QuestionOutcome,
  questions: readonly QuestionItem[],
  hide: Hide,
): QuestionOutcome {
  const own = questions.flatMap(({ question, options }) => {
    const answer = answers[hide(question)];
    if (answer === undefined) return [];
    const labels = options.filter(({ label }) => hide(label) !== label);
    return [[question, labels.reduce((text, { label }) => text.replaceAll(hide(label), label), answer)]];
  });
  return { ...outcome, answers: Object.fromEntries(own) };
}
