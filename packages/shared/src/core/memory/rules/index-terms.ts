import { dateTerms } from './date-terms.ts';
import { type Token, type TokenKind, tokensOf } from './tokens.ts';

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
  /** A term that occurs more often stands here as often, at most MAX_OCCURRENCES times. */
  readonly terms: readonly number[];
  readonly length: number;
}

/** The most tokens of one document; a longer text is found by its beginning. */
const MAX_TOKENS = 4_000;
/** What is looked at of one text: even in English, with its short words left out, it has as many tokens as that. */
const MAX_CHARACTERS = 40_000;
/** More occurrences make a document hardly more relevant (see bm25.ts). */
const MAX_OCCURRENCES = 6;

/** The terms by which an item is found. The same text gives the same terms, whichever process and database. */
export function indexDocument({ agentId, createdAt, actor = '', texts }: IndexedText): IndexedDocument {
  const tokens = firstTokens([actor, ...texts]);
  const counts = new Map<string, number>();
  for (const { text } of tokens) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const term of dateTerms(createdAt)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const hash = termHasher(agentId);
  const terms = [...counts].flatMap(([term, count]) =>
    Array<number>(Math.min(count, MAX_OCCURRENCES)).fill(hash(term)),
  );
  return { terms, length: tokens.length };
}

/**
 * The same for documents of one actor that say the same, whenever that was: the sum of their terms without those of the
 * date. Documents that say something else have the same one only by chance, once in four thousand million.
 */
export function sumOfTerms(agentId: string, createdAt: Date, terms: Iterable<number>): number {
  const hash = termHasher(agentId);
  let sum = 0;
  for (const term of terms) sum = (sum + term) | 0;
  for (const term of dateTerms(createdAt)) sum = (sum - hash(term)) | 0;
  return sum;
}

function firstTokens(texts: readonly string[]): Token[] {
  let tokens: Token[] = [];
  for (const text of texts) if (tokens.length < MAX_TOKENS) tokens = tokens.concat(tokensAtStart(text));
  return tokens.slice(0, MAX_TOKENS);
}

function tokensAtStart(text: string): Token[] {
  return tokensOf(text.slice(0, MAX_CHARACTERS));
}

/** A term of a question. */
export interface QueryTerm {
  readonly hash: number;
  readonly kind: TokenKind;
  readonly text: string;
}

/** The most terms of a search: each is a look into the index. */
const MAX_QUERY_TERMS = 64;

/** The different terms of these texts, those of the first text first. */
export function queryTerms(agentId: string, texts: readonly string[]): QueryTerm[] {
  const hash = termHasher(agentId);
  const terms = new Map<string, QueryTerm>();
  for (const { kind, text } of texts.flatMap(tokensAtStart))
    if (!terms.has(text)) terms.set(text, { hash: hash(text), kind, text });
  const all = [...terms.values()];
  // Of a long text pairs and words first: a pair says more than its characters.
  const rank = ({ kind, text }: QueryTerm) => (kind === 'gram' && text.length === 1 ? 1 : 0);
  return all.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_QUERY_TERMS);
}

/**
 * The hash of a term is that of its text and that of the agent combined by exclusive or: 32 bits, signed as an integer
 * of Postgres. So the terms of one agent lie apart from those of another in the index, and a copy of a memory for
 * another agent is the same terms with another constant.
 */
function termHasher(agentId: string): (term: string) => number {
  const ofAgent = hashOf(agentId);
  return (term) => hashOf(term) ^ ofAgent;
}

/** FNV-1a, and the last step of MurmurHash3, because FNV alone gives short texts hashes that are close together. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
