/** Letters that run from right to left, and what changes the direction of text. */
const TURNS =
  /[\p{Bidi_Control}\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const ISOLATES = /[\u2066-\u2069]/gu;
const EMBEDDINGS = /[\u202A-\u202E]/gu;

/**
 * The text as a part of a longer one: it does not turn what stands before and behind it (UAX 9, FSI … PDI). Texts that
 * cannot do so come back as they are.
 */
export function isolated(text: string): string {
  if (!TURNS.test(text)) return text;
  const plain = text.replace(EMBEDDINGS, '');
  return `\u2068${isBalanced(plain) ? plain : plain.replace(ISOLATES, '')}\u2069`;
}

/** What is open at the end, or closed without being open, would reach beyond it. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [mark] of text.matchAll(ISOLATES)) {
    depth += mark === '\u2069' ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
