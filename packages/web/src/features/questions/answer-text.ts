import type { Answers, QuestionItem } from '@aizuchi/shared/contract/question';

const OTHER = 'other:';

/** What was chosen of one question, in the order of the card: labels, the free text last. */
export function chosenTexts(item: QuestionItem, answer: Answers[string] | undefined): readonly string[] {
  if (answer === undefined) return [];
  if (typeof answer !== 'string') return [...labels(item, answer.selected), answer.other];
  if (answer.startsWith(OTHER)) return [answer.slice(OTHER.length)];
  return labels(item, answer.split(','));
}

function labels({ options }: QuestionItem, indices: readonly string[]): readonly string[] {
  return indices.map((index) => options[Number(index)]?.label ?? index);
}
