const GAME_NAME = /しりとり|シリトリ|尻取り|shiritori/i;
const WORD_LINE = /^「([ぁ-ゖー]+)」(?: \([^()]*\))?$/m;

export function mentionsShiritori(text: string): boolean {
  return GAME_NAME.test(text);
}

/** In a chat the agent's word stands on a line of its own, so that it can be found again. */
export function wordLine(word: string, romaji?: string): string {
  return romaji === undefined ? `「${word}」` : `「${word}」 (${romaji})`;
}

export function wordOfLine(text: string): string | undefined {
  return WORD_LINE.exec(text)?.[1];
}

/** Whether a thread may hold a game at all: only then are the rules and the words loaded. */
export function hasTraceOfGame(texts: readonly string[]): boolean {
  return texts.some((text) => mentionsShiritori(text) || wordOfLine(text) !== undefined);
}
