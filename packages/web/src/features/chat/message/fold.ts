const LONGEST_LINES = 40;
const LONGEST_LENGTH = 3_000;
const SHOWN_LINES = 20;
const SHOWN_LENGTH = 1_600;

export interface Folded {
  /** The first lines; a code block that was cut is closed. */
  readonly preview: string;
  readonly lines: number;
}

/** Undefined: the text is short enough to be shown whole. */
export function foldLong(content: string): Folded | undefined {
  const lines = content.split('\n');
  if (lines.length <= LONGEST_LINES && content.length <= LONGEST_LENGTH) return undefined;
  const shown: string[] = [];
  let length = 0;
  for (const line of lines.slice(0, SHOWN_LINES)) {
    length += line.length;
    if (length > SHOWN_LENGTH && shown.length > 0) break;
    shown.push(line.slice(0, SHOWN_LENGTH));
  }
  const fences = shown.filter((line) => /^\s*(```|~~~)/.test(line));
  const preview = shown.join('\n');
  return {
    preview: fences.length % 2 === 0 ? preview : `${preview}\n${fences.at(-1)?.trim().slice(0, 3) ?? ''}`,
    lines: lines.length,
  };
}
