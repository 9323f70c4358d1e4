import { linesOf, type TextRange } from './code-ranges.ts';

/** A line of a quotation in Markdown, also within a list. */
const QUOTED_LINE = /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?>/;
/** Not the sign for inches in 5", nor one within a word. Each mark is read to the next one only. */
const STRAIGHT = /(?<![\p{L}\p{N}])"[^"]+"(?![\p{L}\p{N}])/gu;
const CLOSING: Readonly<Record<string, string>> = { '「': '」', '『': '』', '“': '”' };
const MARKS = /[「」『』“”]/g;

/**
 * Where somebody is quoted: lines with `>`, and what stands between quotation marks of one line. A line without `>` is the
 * writer's own, though Markdown may draw it in the quotation before it. Linear in the length of the text.
 */
export function quotedRanges(text: string): readonly TextRange[] {
  return [...linesOf(text)].flatMap(({ line, start, end }) => {
    if (QUOTED_LINE.test(line)) return [{ start, end }];
    return marked(line).map((range) => ({ start: start + range.start, end: start + range.end }));
  });
}

/** In their order, none in another. */
function marked(line: string): readonly TextRange[] {
  const curved = curvedRanges(line);
  const straight = [...line.matchAll(STRAIGHT)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
  }));
  const ranges: TextRange[] = [];
  for (const range of [...curved, ...straight].toSorted((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last && range.start < last.end)
      ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else ranges.push(range);
  }
  return ranges;
}

/** The outermost pairs. */
function curvedRanges(line: string): readonly TextRange[] {
  const ranges: TextRange[] = [];
  const open: { readonly closing: string; readonly start: number }[] = [];
  for (const { 0: mark, index } of line.matchAll(MARKS)) {
    const closing = CLOSING[mark];
    if (closing !== undefined) open.push({ closing, start: index });
    else if (open.at(-1)?.closing === mark) {
      const { start = index } = open.pop() ?? {};
      if (open.length === 0) ranges.push({ start, end: index + 1 });
    }
  }
  return ranges;
}
