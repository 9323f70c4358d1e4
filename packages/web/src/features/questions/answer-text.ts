import type { AnswersInput, Question, QuestionItem } from '@aizuchi/shared/contract/question';
import { isSameText } from './draft.ts';

const OTHER = 'other:';

/** The chosen answers of one question: labels in the order of the card, the free text last. */
export function chosenTexts(item: QuestionItem, answer: AnswersInput[string] | undefined): readonly string[] {
  if (answer === undefined) return [];
  if (typeof answer !== 'string')
    return [...labels(item, answer.selected ?? []), ...(answer.other === undefined ? [] : [answer.other])];
  if (answer.startsWith(OTHER)) return [answer.slice(OTHER.length)];
  return labels(item, answer.split(','));
}

/** Whether this text is among the answers that were given. */
export function isAmongAnswers(
  {
    questions,
    answers = {},
  }: { readonly questions: Question['questions']; readonly answers?: AnswersInput | undefined },
  text: string,
): boolean {
  return questions.some((item, index) =>
    chosenTexts(item, answers[String(index)]).some((given) => isSameText(given, text)),
  );
}

function labels({ options }: QuestionItem, indices: readonly string[]): readonly string[] {
  return indices.map((index) => options[Number(index)]?.label ?? index);
}
