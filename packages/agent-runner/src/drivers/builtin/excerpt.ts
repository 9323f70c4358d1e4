/** Somebody else's text on one line of ours, cut at whole characters. */
export function excerptOf(text: string, most: number): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
