import type { Question } from '@aizuchi/shared/contract/question';
import { questionFor } from '@aizuchi/shared/platform/texts/conversation-texts';

/** Its questions as this reader reads them; a card without a question of the system is the same object. */
export function cardFor(locale: 'ja' | 'en', card: Question): Question {
  if (card.questions.every(({ reason }) => reason === undefined)) return card;
  return { ...card, questions: card.questions.map((item) => questionFor(locale, item)) };
}
