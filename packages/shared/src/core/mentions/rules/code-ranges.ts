export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Nothing follows the mark: a pattern that fails behind it would try each shorter one. */
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/;
const INDENTED = /^(?: {4}|\t)/;

/** Fenced and indented blocks and `spans` of Markdown, in their order. Linear in the length of the text. */
export function codeRanges(text: string): readonly TextRange[] {
  const blocks = codeBlocks(text);
  return [...blocks, ...codeSpans(blanked(text, blocks))].toSorted((a, b) => a.start - b.start);
}

/** The text with spaces in place of these ranges, so that every other character keeps its place. */
export function blanked(text: string, ranges: readonly TextRange[]): string {
  let kept = 0;
  let result = '';
  for (const { start, end } of ranges) {
    result += text.slice(kept, start) + ' '.repeat(end - start);
    kept = end;
  }
  return result + text.slice(kept);
}

function codeBlocks(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  let fence: { readonly mark: string; readonly start: number } | undefined;
  let isAfterBlank = true;
  for (const { line, start, end } of linesOf(text)) {
    const [before = '', mark = ''] = FENCE.exec(line) ?? [];
    const rest = line.slice(before.length);
    if (fence) {
      const isClosed = mark.startsWith(fence.mark) && rest.trim() === '';
      if (!isClosed) continue;
      ranges.push({ start: fence.start, end });
      fence = undefined;
      isAfterBlank = true;
    } else if (mark !== '' && !(mark.startsWith('`') && rest.includes('`'))) {
      fence = { mark, start };
    } else if (line.trim() === '') {
      isAfterBlank = true;
    } else if (isAfterBlank && INDENTED.test(line)) {
      ranges.push({ start, end });
    } else {
      isAfterBlank = false;
    }
  }
  if (fence) ranges.push({ start: fence.start, end: text.length });
  return ranges;
}

export function* linesOf(text: string) {
  let start = 0;
  for (const { 0: ending, index: end } of text.matchAll(/\r\n?|\n/g)) {
    yield { line: text.slice(start, end), start, end };
    start = end + ending.length;
  }
  if (start < text.length) yield { line: text.slice(start), start, end: text.length };
}

/** From a run of backticks to the next of the same length in the same paragraph. */
function codeSpans(text: string): TextRange[] {
  const tokens = [...text.matchAll(/`+|\n[ \t\r]*(?=\n)/g)].map(({ 0: word, index }) => ({
    start: index,
    length: word.startsWith('`') ? word.length : 0,
  }));
  const closes = closingTokens(tokens.map(({ length }) => length));
  const ranges: TextRange[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [open, close] = [tokens[at], tokens[closes[at] ?? -1]];
    if (!open || !close) continue;
    ranges.push({ start: open.start, end: close.start + close.length });
    at = closes[at] ?? at;
  }
  return ranges;
}

/** For each run the place of the next of its length; a blank line (length 0) ends the search. */
function closingTokens(lengths: readonly number[]): (number | undefined)[] {
  const next = new Map<number, number>();
  const closes: (number | undefined)[] = lengths.map(() => undefined);
  for (let at = lengths.length - 1; at >= 0; at -= 1) {
    const length = lengths[at] ?? 0;
    if (length === 0) next.clear();
    else {
      closes[at] = next.get(length);
      next.set(length, at);
    }
  }
  return closes;
}
