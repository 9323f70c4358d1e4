import type { AnswersInput, QuestionItem } from '@aizuchi/shared/contract/question';

/** What is chosen of one question so far. */
export interface Choice {
  /** Indices of options, from 0. */
  readonly selected: readonly number[];
  readonly isOther: boolean;
  /** Kept while another option is chosen: who comes back finds it again. */
  readonly otherText: string;
}

/** A card that is being filled in, by this tab. */
export interface Draft {
  /** The question that is shown, from 0. */
  readonly step: number;
  /** By question index. */
  readonly choices: readonly Choice[];
}

export const EMPTY_DRAFT: Draft = { step: 0, choices: [] };
const NOTHING: Choice = { selected: [], isOther: false, otherText: '' };

export function choiceOf(draft: Draft, question: number): Choice {
  return draft.choices[question] ?? NOTHING;
}

/** Number `n` of the card, from 1; the one behind the options is "Other…". One choice replaces, several are switched. */
export function choose(draft: Draft, question: number, item: QuestionItem, n: number): Draft {
  const before = choiceOf(draft, question);
  const isOther = n === item.options.length + 1;
  if (!item.multiSelect)
    return withChoice(draft, question, { ...before, selected: isOther ? [] : [n - 1], isOther });
  if (isOther) return withChoice(draft, question, { ...before, isOther: !before.isOther });
  const selected = before.selected.includes(n - 1)
    ? before.selected.filter((index) => index !== n - 1)
    : [...before.selected, n - 1].sort((a, b) => a - b);
  return withChoice(draft, question, { ...before, selected });
}

/** Who writes has chosen "Other…"; in a question with one choice that takes back the option. */
export function writeOther(draft: Draft, question: number, item: QuestionItem, otherText: string): Draft {
  const before = choiceOf(draft, question);
  const selected = item.multiSelect ? before.selected : [];
  return withChoice(draft, question, { selected, isOther: true, otherText });
}

export function isAnswered(draft: Draft, question: number): boolean {
  const { selected, isOther, otherText } = choiceOf(draft, question);
  return isOther ? otherText.trim() !== '' : selected.length > 0;
}

export function isComplete(draft: Draft, items: readonly QuestionItem[]): boolean {
  return items.every((_item, question) => isAnswered(draft, question));
}

/** The form of contract §4: indices from 0 as strings, free text as `other:`, both in the object form. */
export function toAnswers(draft: Draft, items: readonly QuestionItem[]): AnswersInput {
  return Object.fromEntries(
    items.map((_item, question) => {
      const { selected, isOther, otherText } = choiceOf(draft, question);
      const indices = selected.map(String);
      if (!isOther) return [String(question), indices.join(',')];
      const other = otherText.trim();
      return [String(question), indices.length === 0 ? `other:${other}` : { selected: indices, other }];
    }),
  );
}

function withChoice(draft: Draft, question: number, choice: Choice): Draft {
  const choices = Array.from({ length: Math.max(draft.choices.length, question + 1) }, (_none, index) =>
    choiceOf(draft, index),
  );
  return { step: question, choices: choices.with(question, choice) };
}
