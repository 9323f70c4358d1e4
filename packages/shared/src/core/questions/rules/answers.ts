import type { Decision } from '../../rules/decision.ts';
import { isStorableText } from '../../rules/storable-text.ts';

/** The part of a question that its answer needs. */
export interface AnswerableQuestion {
  readonly question: string;
  readonly options: readonly { readonly label: string }[];
  readonly multiSelect: boolean;
}

/**
 * By question index, in the stored form: option indices joined by commas, `other:<text>`, or both as an
 * object.
 */
export type KeptAnswer = string | { selected: string[]; other: string };
export type KeptAnswers = Record<string, KeptAnswer>;

const OTHER = 'other:';
const MAX_OTHER_LENGTH = 4_000;

interface Choice {
  readonly selected: readonly number[];
  readonly other: string | null;
}

/**
 * Reads the answer of a person. It must answer every question and contain nothing else; the refusal says what
 * is wrong. An empty answer is never valid: neither an empty choice, an empty text nor an unknown option.
 */
export function readAnswers(
  questions: readonly AnswerableQuestion[],
  input: unknown,
): Decision<KeptAnswers, string> {
  if (!isPlainObject(input)) return refuse('answers must be an object: question index → answer.');
  const kept: [string, KeptAnswer][] = [];
  for (const [index, question] of questions.entries()) {
    const key = String(index);
    if (!Object.hasOwn(input, key)) return refuse(`Question ${key} is not answered: all of them must be.`);
    const choice = readChoice(input[key]);
    const problem = typeof choice === 'string' ? choice : problemOf(question, choice);
    if (typeof choice === 'string' || problem !== null) return refuse(`Question ${key}: ${problem}`);
    kept.push([key, keep(choice)]);
  }
  const extra = Object.keys(input).find((key) => !kept.some(([known]) => known === key));
  if (extra !== undefined) return refuse(`There is no question ${JSON.stringify(extra.slice(0, 20))}.`);
  return { ok: true, value: Object.fromEntries(kept) };
}

/**
 * The form that an agent reads: question text → label, several joined by ", ", free text unchanged (trap 17).
 */
export function labelAnswers(
  questions: readonly AnswerableQuestion[],
  answers: KeptAnswers,
): Record<string, string> {
  return Object.fromEntries(
    questions.flatMap(({ question, options }, index) => {
      const answer = answers[String(index)];
      const choice = answer === undefined ? 'missing' : readChoice(answer);
      if (typeof choice === 'string') return [];
      const labels = choice.selected.map((option) => options[option]?.label ?? '');
      return [[question, [...labels, ...(choice.other === null ? [] : [choice.other])].join(', ')]];
    }),
  );
}

/** The choice, or the error in its form. */
function readChoice(value: unknown): Choice | string {
  if (typeof value === 'string') {
    if (value.startsWith(OTHER)) return { selected: [], other: value.slice(OTHER.length).trim() };
    return readSelected(value.split(','), null);
  }
  if (!isPlainObject(value)) return 'an answer is a text, or {"selected": […], "other": "…"}.';
  const { selected = [], other, ...rest } = value;
  if (Object.keys(rest).length > 0) return 'an answer has "selected" and "other", nothing else.';
  if (other !== undefined && typeof other !== 'string') return '"other" must be a text.';
  if (!Array.isArray(selected)) return '"selected" must be a list of option indices.';
  return readSelected(selected, other?.trim() ?? null);
}

function readSelected(indices: readonly unknown[], other: string | null): Choice | string {
  const selected: number[] = [];
  for (const index of indices) {
    // Indices as in JSON: no sign, no leading zero, no blank.
    if (typeof index !== 'string' || !/^(0|[1-9]\d{0,2})$/.test(index))
      return 'an option is named by its index from 0, as a text.';
    selected.push(Number(index));
  }
  return { selected, other };
}

function problemOf({ options, multiSelect }: AnswerableQuestion, { selected, other }: Choice): string | null {
  if (selected.some((index) => index >= options.length))
    return `it has the options 0 to ${options.length - 1}.`;
  if (new Set(selected).size < selected.length) return 'an option is named twice.';
  if (other !== null && !isText(other)) return `free text has 1 to ${MAX_OTHER_LENGTH} characters.`;
  const count = selected.length + (other === null ? 0 : 1);
  if (count === 0) return 'nothing is chosen.';
  return count > 1 && !multiSelect ? 'it takes one answer.' : null;
}

function isText(text: string): boolean {
  return text !== '' && [...text].length <= MAX_OTHER_LENGTH && isStorableText(text);
}

function keep({ selected, other }: Choice): KeptAnswer {
  const indices = selected.toSorted((a, b) => a - b).map(String);
  if (other === null) return indices.join(',');
  return indices.length === 0 ? `${OTHER}${other}` : { selected: indices, other };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const refuse = (refusal: string): Decision<KeptAnswers, string> => ({ ok: false, refusal });
