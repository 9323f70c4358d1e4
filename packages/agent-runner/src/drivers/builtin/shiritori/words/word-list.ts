import { firstSound, type Word } from './kana.ts';
import { WORDS } from './words.ts';

export interface WordList {
  has(word: Word): boolean;
  startingWith(sound: string): readonly Word[];
  /** How a writing in kanji may be read; empty when it is not known. */
  readingsOf(writing: string): readonly Word[];
}

export function makeWordList(text: string = WORDS): WordList {
  const words = new Set<Word>();
  const bySound = new Map<string, Word[]>();
  const byWriting = new Map<string, Word[]>();
  for (const entry of text.trim().split(/\s+/)) {
    const [word = '', ...writings] = entry.split('/');
    words.add(word);
    add(bySound, firstSound(word), word);
    for (const writing of writings) add(byWriting, writing, word);
  }
  return {
    has: (word) => words.has(word),
    startingWith: (sound) => bySound.get(sound) ?? [],
    readingsOf: (writing) => byWriting.get(writing) ?? [],
  };
}

function add(index: Map<string, Word[]>, key: string, word: Word): void {
  const known = index.get(key);
  if (known) known.push(word);
  else index.set(key, [word]);
}

/** Made when the first game loads it: an agent that never plays pays nothing for it. */
export const WORD_LIST = makeWordList();
