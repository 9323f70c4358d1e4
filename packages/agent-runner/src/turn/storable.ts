/** The server refuses U+0000 and halves of surrogate pairs, which files, outputs and models may hold. Keeps the length. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}
