import { foldKana, RUNS, type TokenKind, tokensOf, wordOf } from '../../memory/rules/tokens.ts';

/** A part of a text, in UTF-16 units. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

/** The tokens of a query, and what each of them says. */
export interface SearchedTerms {
  readonly weights: ReadonlyMap<string, number>;
  readonly total: number;
}

export interface MarkedText {
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** A single character of a longer query says little. */
const SINGLE_WEIGHT = 0.3;

export function searchedTerms(query: string): SearchedTerms {
  const tokens = tokensOf(query);
  const hasMore = tokens.some(({ kind, text }) => kind === 'word' || Array.from(text).length > 1);
  const weightOf = (kind: TokenKind, text: string) =>
    hasMore && kind === 'gram' && Array.from(text).length === 1 ? SINGLE_WEIGHT : 1;
  const weights = new Map(tokens.map(({ kind, text }) => [text, weightOf(kind, text)]));
  return { weights, total: sum(weights.values()) };
}

/** How much of the query a text holds, 0 to 1. */
export function coverage({ weights, total }: SearchedTerms, text: string): number {
  if (total === 0) return 0;
  const held = new Set(tokensOf(text).map((token) => token.text));
  return sum([...weights].map(([term, weight]) => (held.has(term) ? weight : 0))) / total;
}

/** Where a text holds words of the query, or at least two characters in their order. */
export function marksIn({ weights }: SearchedTerms, text: string): Mark[] {
  const marks: { start: number; end: number }[] = [];
  const add = (start: number, end: number) => {
    const last = marks.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else marks.push({ start, end });
  };
  for (const run of text.matchAll(RUNS)) {
    if (run.groups?.unspaced !== undefined) markGrams(weights, run[0], run.index, add);
    else if (weights.has(wordOf(plain(run[0])) ?? '')) add(run.index, run.index + run[0].length);
  }
  return marks;
}

function markGrams(
  weights: SearchedTerms['weights'],
  run: string,
  offset: number,
  add: (start: number, end: number) => void,
): void {
  const characters = Array.from(run);
  let start = offset;
  characters.forEach((character, index) => {
    const here = foldKana(plain(character));
    const next = characters[index + 1];
    const end = start + character.length;
    // A single character is marked only where it is asked for alone: 日 of 締め日 stands in every date.
    if (weights.get(here) === 1) add(start, end);
    if (next !== undefined && weights.has(here + foldKana(plain(next)))) add(start, end + next.length);
    start = end;
  });
}

const BEFORE_FIRST = 80;

/** The part of a long text that begins shortly before its first mark, at most so many UTF-16 units. */
export function markedPart(terms: SearchedTerms, text: string, most: number): MarkedText {
  if (text.length <= most) return { text, marks: marksIn(terms, text) };
  const first = marksIn(terms, text)[0]?.start ?? 0;
  const start = wholeCharacter(text, Math.max(0, Math.min(first - BEFORE_FIRST, text.length - most)));
  const end = wholeCharacter(text, start + most);
  const part = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  return { text: part, marks: marksIn(terms, part) };
}

/** The same place, or the one before when a character of two units begins there. */
function wholeCharacter(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
