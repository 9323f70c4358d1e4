/** The beginning of a text of at most `most` UTF-16 units, and a note of what is missing. Cuts no character in two. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const note = ` … (cut: ${text.length} characters in all)`;
  const end = Math.max(0, most - note.length);
  return text.slice(0, endsInPair(text, end) ? end - 1 : end) + note;
}

/** The same for a text that may have at most `most` bytes as UTF-8. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let low = 0;
  let high = Math.min(text.length, most);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(cutText(text, middle)) <= most) low = middle;
    else high = middle - 1;
  }
  return cutText(text, low);
}

function endsInPair(text: string, end: number): boolean {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
