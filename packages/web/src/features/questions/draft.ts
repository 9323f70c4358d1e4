import type { AnswersInput, QuestionItem } from '@aizuchi/shared/contract/question';

/** The current choice for one question. */
export interface Choice {
  /** Indices of options, from 0. */
  readonly selected: readonly number[];
  readonly isOther: boolean;
  /** Kept while another option is chosen. */
  readonly otherText: string;
}

/** The unsent answers to a card in this tab. */
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

/** Chooses number `n`, from 1; the one after the options is "Other…". With multiSelect it is toggled. */
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

/** Writing chooses "Other…"; without multiSelect that replaces the chosen option. */
export function writeOther(draft: Draft, question: number, item: QuestionItem, otherText: string): Draft {
  const before = choiceOf(draft, question);
  const selected = item.multiSelect ? before.selected : [];
  return withChoice(draft, question, { selected, isOther: true, otherText });
}

/** The question that a text from the composer answers: the one that is shown, or the next one that has no answer. */
export function questionOfReply(draft: Draft, items: readonly QuestionItem[]): number {
  const shown = Math.min(draft.step, items.length - 1);
  return nextOpen(draft, items, shown) ?? shown;
}

/**
 * The text is the answer to that question: the option of that name, else "Other…". Then the next question without an
 * answer is shown.
 */
export function withReply(draft: Draft, items: readonly QuestionItem[], text: string): Draft {
  const question = questionOfReply(draft, items);
  const item = items[question];
  if (!item) return draft;
  const empty = withChoice(draft, question, NOTHING);
  const named = item.options.findIndex(({ label }) => isSameText(label, text));
  const next = named < 0 ? writeOther(empty, question, item, text) : choose(empty, question, item, named + 1);
  return { ...next, step: nextOpen(next, items, question) ?? question };
}

/** The question has the choice again that it had before; those of the other questions stay as they are. */
export function withoutReply(draft: Draft, question: number, before: Draft): Draft {
  return withChoice(draft, question, choiceOf(before, question));
}

/** The first question without an answer, from this one on and then from the first. */
function nextOpen(draft: Draft, items: readonly QuestionItem[], from: number): number | undefined {
  return items
    .map((_item, index) => (from + index) % items.length)
    .find((question) => !isAnswered(draft, question));
}

export function isSameText(a: string, b: string): boolean {
  return a.trim().toLocaleLowerCase() === b.trim().toLocaleLowerCase();
}

export function isAnswered(draft: Draft, question: number): boolean {
  const { selected, isOther, otherText } = choiceOf(draft, question);
  return isOther ? otherText.trim() !== '' : selected.length > 0;
}

export function isComplete(draft: Draft, items: readonly QuestionItem[]): boolean {
  return items.every((_item, question) => isAnswered(draft, question));
}

/** The format of an answer: indices from 0 as strings, free text as `other:`, both together as an object. */
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
