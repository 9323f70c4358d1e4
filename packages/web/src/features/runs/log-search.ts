import type { LogLine, LogSegment } from './log-lines.ts';

/** The indices of the lines that contain the words, ignoring case. */
export function findLines(lines: readonly LogLine[], words: string): readonly number[] {
  const query = words.trim().toLowerCase();
  if (query === '') return [];
  return lines.flatMap(({ text }, index) => (text.toLowerCase().includes(query) ? [index] : []));
}

export interface MarkedSegment extends LogSegment {
  readonly isMark: boolean;
}

/** The segments of a line, split where a match begins and ends, also across colours. */
export function markMatches({ text, segments }: LogLine, words: string): readonly MarkedSegment[] {
  const sought = words.trim().toLowerCase();
  const lower = text.toLowerCase();
  // In lower case some letters become two: then the positions differ, and nothing is marked.
  if (sought === '' || lower.length !== text.length)
    return segments.map((segment) => ({ ...segment, isMark: false }));
  const marked: MarkedSegment[] = [];
  let start = 0;
  for (const { text: part, className } of segments) {
    for (let at = 0; at < part.length; ) {
      const { isMark, until } = segmentAt(lower, sought, start + at);
      const piece = part.slice(at, until - start);
      marked.push({ text: piece, className, isMark });
      at += piece.length;
    }
    start += part.length;
  }
  return marked;
}

/** Whether a position is inside of a match, and where that match, or the text before the next one, ends. */
function segmentAt(text: string, sought: string, position: number): { isMark: boolean; until: number } {
  for (let from = 0; ; ) {
    const found = text.indexOf(sought, from);
    if (found === -1) return { isMark: false, until: text.length };
    if (position < found) return { isMark: false, until: found };
    from = found + sought.length;
    if (position < from) return { isMark: true, until: from };
  }
}
