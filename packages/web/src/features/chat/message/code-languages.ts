/** Names, as they stand after a fence, of the languages that `ColouredCode` knows. */
export const CODE_LANGUAGES: ReadonlySet<string> = new Set(
  (
    'bash sh zsh css diff patch go golang java javascript js jsx mjs cjs json jsonc python py rust rs sql ' +
    'typescript ts tsx mts cts xml html svg yaml yml'
  ).split(' '),
);

/** A longer text stays plain: colouring it would keep the page from answering. */
const MAX_LENGTH = 20_000;

export function isColoured(language: string, text: string): boolean {
  return text.length <= MAX_LENGTH && CODE_LANGUAGES.has(language.toLowerCase());
}
