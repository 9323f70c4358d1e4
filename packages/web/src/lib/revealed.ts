/**
 * Characters that a reader does not see, or that change the direction of the text around them: a command could look
 * like another one.
 */
const HIDDEN = /[\p{Cf}\p{Cc}\u2028\u2029\u00a0\u3164\u115f\u1160]/gu;
const USUAL = new Set(['\n', '\t']);

export interface RevealedPart {
  readonly text: string;
  /** It stands for a hidden character. */
  readonly isHidden: boolean;
}

/** The text with every hidden character as its number, such as U+202E. */
export function revealed(text: string): readonly RevealedPart[] {
  const parts: RevealedPart[] = [];
  let from = 0;
  for (const match of text.replace(/\r\n/g, '\n').matchAll(HIDDEN)) {
    const [character] = match;
    if (USUAL.has(character)) continue;
    const before = match.input.slice(from, match.index);
    if (before !== '') parts.push({ text: before, isHidden: false });
    const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    parts.push({ text: `U+${number}`, isHidden: true });
    from = match.index + character.length;
  }
  const rest = text.replace(/\r\n/g, '\n').slice(from);
  return rest === '' ? parts : [...parts, { text: rest, isHidden: false }];
}
