import { judge } from '../rules.ts';
import { lastSound, type Word } from './kana.ts';
import type { WordList } from './word-list.ts';

/** A number from 0 up to 1, as `Math.random` gives it. */
export type Random = () => number;

export const OPENING_WORD: Word = 'りんご';

/**
 * The agent's word: one that keeps the game alive, by chance among the half of its words that leave most to say;
 * undefined when it knows none, and has lost.
 */
export function chooseWord(said: readonly Word[], list: WordList, random: Random): Word | undefined {
  const before = said.at(-1);
  if (before === undefined) return OPENING_WORD;
  const rated = goodWords(lastSound(before), said, list)
    .map((word) => ({ word, next: goodWords(lastSound(word), [...said, word], list).length }))
    .sort((one, other) => other.next - one.next);
  const best = rated.slice(0, Math.ceil(rated.length / 2));
  return best[Math.floor(random() * best.length)]?.word;
}

function goodWords(sound: string, said: readonly Word[], list: WordList): Word[] {
  return list.startingWith(sound).filter((word) => judge(word, said) === 'good');
}
