import { stem } from 'porter2';
import { ENGLISH_STOP_WORDS, KANA_STOP_PAIRS } from './stop-words.ts';

/** word: of a script that puts spaces between words; gram: a character or a pair of a script that does not. */
export type TokenKind = 'word' | 'gram';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/**
 * Runs of scripts without spaces between words (`unspaced`), and words of all others, which end where such a run begins:
 * `APIの仕様` is a word and a run. The length mark belongs to kana, though Unicode counts it to no script.
 */
export const RUNS = runs();
const HAN = /\p{Script=Han}/u;
/** Longer ones are keys and encoded data, which nobody asks for by a part. */
const LONGEST_WORD = 64;

/** The tokens of a text, in its order. The same text gives the same tokens, whichever process and database. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const run of text.normalize('NFKC').toLowerCase().matchAll(RUNS)) {
    const { unspaced } = run.groups ?? {};
    if (unspaced !== undefined) addGrams(tokens, unspaced);
    else addWord(tokens, run[0]);
  }
  return tokens;
}

/** A word as it is compared: without accents and the endings of English. Null: one that says nothing. */
export function wordOf(text: string): string | null {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('’', "'");
  if (ENGLISH_STOP_WORDS.has(plain)) return null;
  const word = plain.replace(/'s$/, '').replaceAll("'", '').slice(0, LONGEST_WORD);
  if (/^\d+$/.test(word)) return word.replace(/^0+(?=\d)/, '');
  return /^[a-z]+$/.test(word) ? stem(word) : word;
}

/** Hiragana for katakana, so that both are the same text. */
export function foldKana(text: string): string {
  return text.replace(/[ァ-ヶ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60));
}

function addWord(tokens: Token[], text: string): void {
  const word = wordOf(text);
  if (word !== null) tokens.push({ kind: 'word', text: word });
}

/** Of single characters only those of Han say something; a run of one character would have no token otherwise. */
function addGrams(tokens: Token[], run: string): void {
  const characters = Array.from(run);
  characters.forEach((character, index) => {
    if (HAN.test(character) || characters.length === 1)
      tokens.push({ kind: 'gram', text: foldKana(character) });
    const next = characters[index + 1];
    if (next === undefined || KANA_STOP_PAIRS.has(character + next)) return;
    tokens.push({ kind: 'gram', text: foldKana(character + next) });
  });
}

function runs(): RegExp {
  const scripts = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
  const unspaced = `[${scripts.map((script) => `\\p{Script=${script}}`).join('')}ー]`;
  const word = (classes: string) => `[[${classes}]--${unspaced}]`;
  return new RegExp(
    `(?<unspaced>${unspaced}+)|${word('\\p{L}\\p{N}')}(?:${word('\\p{L}\\p{N}\\p{M}')}|['’](?=\\p{L}))*`,
    'gv',
  );
}
