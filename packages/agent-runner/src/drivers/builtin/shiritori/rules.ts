import { firstSound, lastSound, type Word } from './words/kana.ts';

/** It changes nothing: another word is asked for. */
export type BrokenRule = 'wrong_start' | 'repeated' | 'too_short';
export type Verdict = 'good' | 'loses' | BrokenRule;

const SHORTEST_WORD = 2;

/** The rules of SPEC.md, for a word after those that were said. */
export function judge(word: Word, said: readonly Word[]): Verdict {
  const before = said.at(-1);
  if (before !== undefined && firstSound(word) !== lastSound(before)) return 'wrong_start';
  if (word.length < SHORTEST_WORD) return 'too_short';
  if (said.includes(word)) return 'repeated';
  return lastSound(word) === 'ん' ? 'loses' : 'good';
}
