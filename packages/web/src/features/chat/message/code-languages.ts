/** Names, as they stand after a fence, of the languages that `ColouredCode` knows. */
export const CODE_LANGUAGES: ReadonlySet<string> = new Set(
  (
    'bash sh zsh css diff patch go golang java javascript js jsx mjs cjs json jsonc python py rust rs sql ' +
    'typescript ts tsx mts cts xml html svg yaml yml'
  ).split(' '),
);

/**
 * What is longer stays plain: colouring it would keep the page from answering. For some grammars the time grows with
 * the square of a line (20,000 letters: 4 s), or of the lines that are empty (20,000: 1.3 s).
 */
const MAX_LENGTH = 20_000;
const MAX_LINE_LENGTH = 500;
const MAX_LINES = 2_000;

export function isColoured(language: string, text: string): boolean {
  if (text.length > MAX_LENGTH || !CODE_LANGUAGES.has(language.toLowerCase())) return false;
  const lines = text.split('\n');
  return lines.length <= MAX_LINES && lines.every((line) => line.length <= MAX_LINE_LENGTH);
}
