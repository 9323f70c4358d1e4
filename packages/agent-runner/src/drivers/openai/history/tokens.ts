import type { Entry } from './records.ts';

/** In English text and in JSON. */
const NARROW_PER_TOKEN = 3.5;
const PER_ENTRY = 6;

/**
 * About how many tokens a text has. Tokenizers differ by model, and which one an address uses is not known. The estimate
 * is on the high side: a character of Japanese or Chinese counts as one token.
 */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) wide += 1;
  return Math.ceil((text.length - wide) / NARROW_PER_TOKEN + wide);
}

export function tokensOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + PER_ENTRY + estimateTokens(contentOf(entry)), 0);
}

function contentOf(entry: Entry): string {
  if (entry.role !== 'assistant') return entry.text;
  const calls = entry.calls?.map(({ tool, input }) => tool + JSON.stringify(input)) ?? [];
  return entry.text + (entry.reasoning ?? '') + calls.join('');
}
