import { diffWordsWithSpace, structuredPatch } from 'diff';

/** A line of a diff; `number` is that of the new text, of removed lines that of the old one. */
export type DiffLine =
  | { readonly kind: 'same' | 'add' | 'del'; readonly number: number; readonly parts: readonly DiffPart[] }
  | { readonly kind: 'gap' }
  /** Always the last one: so many lines more were too many to be shown. */
  | { readonly kind: 'cut'; readonly count: number };

interface DiffPart {
  readonly text: string;
  /** This word differs from the other side. */
  readonly isMarked: boolean;
}

export interface FileDiff {
  readonly lines: readonly DiffLine[];
  /** Also of lines that were cut. */
  readonly added: number;
  readonly removed: number;
}

const CONTEXT_LINES = 2;
/** Texts that differ in more lines than this are shown as removed and added as a whole. */
const MAX_EDITS = 600;
/** A diff holds no more lines than this. */
const MAX_LINES = 2_000;
/** Words are compared in changes of at most so many lines, and in lines of at most so many characters. */
const MARKED_LINES = 24;
const MARKED_LENGTH = 400;
/** Words of so many pairs of lines are compared in one diff, and of a pair only if they differ in no more words. */
const MAX_COMPARISONS = 500;
const MAX_WORD_EDITS = 80;
/** Lines with a smaller common part are not two forms of one line. */
const MIN_COMMON_SHARE = 0.4;

/** The changed lines with some lines around them. Neither side needs to be a whole file. */
export function diffLines(before: string, after: string): FileDiff {
  const patch = structuredPatch('', '', before, after, '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  });
  return linesOf(patch?.hunks ?? [wholeHunk(before, after)]);
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@.*$/;

/** The same of hunks as `diff -u` writes them; the last one may be cut. */
export function patchLines(patch: string): FileDiff {
  const hunks: Hunk[] = [];
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const [, oldStart, newStart] = HUNK.exec(line) ?? [];
    if (oldStart !== undefined)
      hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), lines: [] });
    else hunks.at(-1)?.lines.push(line);
  }
  return linesOf(hunks);
}

interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: string[];
}

function linesOf(hunks: readonly Hunk[]): FileDiff {
  const lines: DiffLine[] = [];
  const counts = { same: 0, add: 0, del: 0, cut: 0 };
  for (const { oldStart, newStart, lines: changed } of hunks) {
    if (lines.length > 0 && lines.length < MAX_LINES) lines.push({ kind: 'gap' });
    let [old, fresh] = [Math.max(1, oldStart), Math.max(1, newStart)];
    for (const line of changed) {
      // A remark about the line break at the end of the file.
      if (line.startsWith('\\')) continue;
      const kind = line.startsWith('-') ? 'del' : line.startsWith('+') ? 'add' : 'same';
      const number = kind === 'del' ? old : fresh;
      if (kind !== 'add') old += 1;
      if (kind !== 'del') fresh += 1;
      counts[kind] += 1;
      if (lines.length >= MAX_LINES) counts.cut += 1;
      else lines.push({ kind, number, parts: [{ text: line.slice(1), isMarked: false }] });
    }
  }
  const marked = withMarks(lines);
  return {
    lines: counts.cut === 0 ? marked : [...marked, { kind: 'cut', count: counts.cut }],
    added: counts.add,
    removed: counts.del,
  };
}

function wholeHunk(before: string, after: string) {
  const side = (text: string, sign: string) =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => sign + line);
  return { oldStart: 1, newStart: 1, lines: [...side(before, '-'), ...side(after, '+')] };
}

/** Marks the words that differ, where a removed line has an added line of the same change that is like it. */
function withMarks(lines: readonly DiffLine[]): readonly DiffLine[] {
  const marked = [...lines];
  let comparisons = 0;
  for (let start = 0; start < lines.length; ) {
    let end = start;
    while (lines[end]?.kind === 'del') end += 1;
    const removedEnd = end;
    while (lines[end]?.kind === 'add') end += 1;
    const pairs = (removedEnd - start) * (end - removedEnd);
    if (pairs > 0 && end - start <= MARKED_LINES && comparisons + pairs <= MAX_COMPARISONS) {
      comparisons += pairs;
      markPairs(marked, start, removedEnd, end);
    }
    start = Math.max(end, start + 1);
  }
  return marked;
}

function markPairs(lines: DiffLine[], start: number, removedEnd: number, end: number): void {
  let next = removedEnd;
  for (let removed = start; removed < removedEnd; removed += 1) {
    let best: { index: number; words: ReturnType<typeof compare> } | undefined;
    for (let index = next; index < end; index += 1) {
      const words = compare(textOf(lines[removed]), textOf(lines[index]));
      if (words.common >= MIN_COMMON_SHARE && words.common > (best?.words.common ?? 0))
        best = { index, words };
    }
    if (!best) continue;
    setParts(lines, removed, best.words.before);
    setParts(lines, best.index, best.words.after);
    next = best.index + 1;
  }
}

function compare(before: string, after: string) {
  const isLong = before.length > MARKED_LENGTH || after.length > MARKED_LENGTH;
  const changes = isLong ? undefined : diffWordsWithSpace(before, after, { maxEditLength: MAX_WORD_EDITS });
  if (!changes) return { common: 0, before: [], after: [] };
  const lengthOf = (text: string) => text.replace(/\s/g, '').length;
  const common = changes.reduce(
    (sum, { added, removed, value }) => (added || removed ? sum : sum + lengthOf(value)),
    0,
  );
  const longest = Math.max(lengthOf(before), lengthOf(after));
  return {
    common: longest === 0 ? 0 : common / longest,
    before: partsOf(changes.filter(({ added }) => !added)),
    after: partsOf(changes.filter(({ removed }) => !removed)),
  };
}

/** A space between two marked words is marked, too. */
function partsOf(changes: readonly { value: string; added: boolean; removed: boolean }[]): DiffPart[] {
  const parts: DiffPart[] = [];
  for (const [index, { value, added, removed }] of changes.entries()) {
    const next = changes[index + 1];
    const isBetween = parts.at(-1)?.isMarked && value.trim() === '' && (next?.added || next?.removed);
    const isMarked = added || removed || isBetween === true;
    const before = parts.at(-1);
    if (before?.isMarked === isMarked) parts[parts.length - 1] = { text: before.text + value, isMarked };
    else parts.push({ text: value, isMarked });
  }
  return parts;
}

function textOf(line: DiffLine | undefined): string {
  return line && 'parts' in line ? line.parts.map(({ text }) => text).join('') : '';
}

function setParts(lines: DiffLine[], index: number, parts: readonly DiffPart[]): void {
  const line = lines[index];
  if (line && 'parts' in line) lines[index] = { ...line, parts };
}
