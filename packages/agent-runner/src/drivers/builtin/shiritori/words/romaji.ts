import { toHiragana, toRomaji } from 'wanakana';
import { kanaWord, type Word } from './kana.ts';

/** A word that somebody wrote in Latin letters; undefined when these letters are no Japanese word ("apple"). */
export function wordOfRomaji(text: string): Word | undefined {
  return /^[a-z'-]+$/i.test(text) ? kanaWord(toHiragana(text.toLowerCase())) : undefined;
}

export function romajiOf(word: Word): string {
  return toRomaji(word);
}
