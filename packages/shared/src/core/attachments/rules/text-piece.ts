/** In UTF-16 units: what a model takes in at once. */
export const PIECE_LENGTH = 50_000;

/** A piece of a long text from `offset` on, of at most `length` UTF-16 units, without half of a character at its end. */
export function textPiece(
  text: string,
  offset: number,
  length = PIECE_LENGTH,
): { readonly text: string; readonly nextOffset?: number } {
  let end = Math.min(text.length, offset + length);
  if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end -= 1;
  const piece = text.slice(offset, end);
  return end < text.length && piece !== '' ? { text: piece, nextOffset: end } : { text: piece };
}
