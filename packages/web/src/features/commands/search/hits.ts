import type { Mark, SearchItem, SearchKind } from '@aizuchi/shared/contract/search';

/** In the order in which they are shown. */
export const KINDS = ['memory', 'task', 'chat', 'conversation'] as const satisfies readonly SearchKind[];
export type Filter = 'all' | SearchKind;
export type Counts = Readonly<Record<SearchKind, number>>;

export interface HitGroup {
  readonly kind: SearchKind;
  readonly items: readonly SearchItem[];
}

/** While all kinds are shown, so many of each, so that all of them are in view. */
const MAX_PER_KIND = 5;

export function hitGroups(items: readonly SearchItem[], filter: Filter): HitGroup[] {
  const kinds = filter === 'all' ? KINDS : [filter];
  const most = filter === 'all' ? MAX_PER_KIND : items.length;
  return kinds
    .map((kind) => ({ kind, items: items.filter((item) => item.kind === kind).slice(0, most) }))
    .filter((group) => group.items.length > 0);
}

/** The next kind of which there is something; after the last one all. */
export function nextFilter(filter: Filter, counts: Counts, step: 1 | -1): Filter {
  const filters: Filter[] = ['all', ...KINDS.filter((kind) => counts[kind] > 0)];
  const place = Math.max(0, filters.indexOf(filter));
  return filters.at((place + step + filters.length) % filters.length) ?? 'all';
}

/** The name of a hit in the list; its order is that of the list (see `commandScore`). */
export function hitValue(group: number, index: number, item: Pick<SearchItem, 'kind' | 'id'>): string {
  return `${HIT}${group}:${index}:${item.kind}:${item.id}`;
}

const HIT = 'hit:';
/** Letters that only stand somewhere in a name in this order are no match. */
const MIN_SCORE = 0.02;

/**
 * The score by which the menu sorts. What was found keeps its order and comes after the commands that fit; with `>` at
 * the beginning there are commands only.
 */
export function commandScore(
  value: string,
  words: string,
  scoreOf: (value: string, words: string) => number,
): number {
  if (!value.startsWith(HIT)) {
    const query = commandWords(words);
    if (query === '') return 1;
    const score = scoreOf(value, query);
    return score < MIN_SCORE ? 0 : score;
  }
  if (isCommandsOnly(words)) return 0;
  const [, group = '0', index = '0'] = value.split(':');
  return MIN_SCORE / 2 / (1 + Number(group) * 1_000 + Number(index));
}

function isCommandsOnly(words: string): boolean {
  return words.trimStart().startsWith('>');
}

/** What commands are searched by. */
function commandWords(words: string): string {
  return words.trimStart().replace(/^>/, '').trim();
}

/** What the project is searched by; empty: it is not searched. */
export function searchWords(words: string): string {
  return isCommandsOnly(words) ? '' : words.trim();
}

export interface MarkedText {
  readonly text: string;
  readonly marks: readonly Mark[];
}

const BEFORE_FIRST = 12;

/** One line of a text, which begins shortly before its first mark. */
export function rowPart(text: string, marks: readonly Mark[]): MarkedText {
  const line = text.replace(/\s/g, ' ');
  const first = marks[0]?.start ?? 0;
  if (first <= 2 * BEFORE_FIRST) return { text: line, marks };
  const start = first - BEFORE_FIRST;
  const from = isLowSurrogate(line, start) ? start + 1 : start;
  const move = (place: number) => place - from + 1;
  return {
    text: `…${line.slice(from)}`,
    marks: marks.map(({ start, end }) => ({ start: move(start), end: move(end) })),
  };
}

function isLowSurrogate(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The parts of a text, marked and not, in their order. */
export function partsOf({
  text,
  marks,
}: MarkedText): { readonly text: string; readonly isMarked: boolean }[] {
  const parts: { text: string; isMarked: boolean }[] = [];
  let at = 0;
  for (const { start, end } of marks) {
    if (start > at) parts.push({ text: text.slice(at, start), isMarked: false });
    if (end > start) parts.push({ text: text.slice(start, end), isMarked: true });
    at = Math.max(at, end);
  }
  if (at < text.length) parts.push({ text: text.slice(at), isMarked: false });
  return parts;
}
