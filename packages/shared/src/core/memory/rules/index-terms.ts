/** What an item is found by. */
export interface IndexedText {
  readonly agentId: string;
  readonly createdAt: Date;
  readonly actor?: string | undefined;
  /** In the order in which they were said. */
  readonly texts: readonly string[];
}

/** A document of the index: hashes of (agent, term), and the length in tokens. */
export interface IndexedDocument {
  readonly terms: readonly number[];
  readonly length: number;
}

/** The most terms of one document; a longer text is found by its beginning. */
const MOST_TERMS = 4_000;

/** The terms by which an item is found. The same text gives the same terms, whichever process and database. */
export function indexDocument({ agentId, createdAt, actor = '', texts }: IndexedText): IndexedDocument {
  const tokens = [createdAt.toISOString().slice(0, 10), actor, ...texts]
    .flatMap(tokensOf)
    .slice(0, MOST_TERMS);
  return { terms: tokens.map((token) => hashOf(`${agentId}\u0000${token}`)), length: tokens.length };
}

/** Words, and characters of scripts that are written without spaces. */
export function tokensOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{N}]+/gu) ?? []
  );
}

/** FNV-1a, 32 bits, signed as an integer of Postgres. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash | 0;
}
