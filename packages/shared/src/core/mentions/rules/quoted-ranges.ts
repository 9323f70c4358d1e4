import { linesOf, type TextRange } from './code-ranges.ts';

/** A line of a quotation in Markdown, also within a list. */
const QUOTED_LINE = /^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?>/;
/** Not the sign for inches in 5". */
const STRAIGHT = /(?<!\p{N})"/gu;
/** A mark around a name alone stresses it. */
const ONLY_A_NAME = /^.@\S+.$/su;
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
  const quoted = [...curvedRanges(line), ...straightRanges(line)].filter(
    ({ start, end }) => !ONLY_A_NAME.test(line.slice(start, end)),
  );
  const ranges: TextRange[] = [];
  for (const range of quoted.toSorted((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last && range.start < last.end)
      ranges[ranges.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    else ranges.push(range);
  }
  return ranges;
}

/** The first mark opens, the second closes. Where one is left over, nobody knows which: nothing is a quotation. */
function straightRanges(line: string): readonly TextRange[] {
  const marks = [...line.matchAll(STRAIGHT)].map(({ index }) => index);
  if (marks.length % 2 === 1) return [];
  return marks.flatMap((start, at) => (at % 2 === 0 ? [{ start, end: (marks[at + 1] ?? start) + 1 }] : []));
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
