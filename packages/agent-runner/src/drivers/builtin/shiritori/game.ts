import type { Language } from '../../../language.ts';
import { readMove } from './read-move.ts';
import { judge, type Verdict } from './rules.ts';
import { wordOfLine } from './trace.ts';
import { kanaWord, lastSound, type Word } from './words/kana.ts';
import type { WordList } from './words/word-list.ts';

/** A running game. Everything in it can be read again from what was said: nothing else is kept. */
export interface Game {
  readonly said: readonly Word[];
  readonly turn: 'mine' | 'theirs';
  /** How often in a row the other side broke a rule. */
  readonly broken: number;
}

export const NEW_GAME: Game = { said: [], turn: 'mine', broken: 0 };

/** What the other side's text was in a game, and the game after it; null: it is over. */
export type Interpreted =
  | { readonly kind: 'word'; readonly word: Word; readonly verdict: Verdict; readonly game: Game | null }
  | { readonly kind: 'not_their_turn'; readonly game: Game }
  | { readonly kind: 'unreadable'; readonly writing: string; readonly game: Game }
  | { readonly kind: 'other'; readonly game: Game }
  | { readonly kind: 'stop'; readonly game: null };

export function interpret(game: Game, text: string, list: WordList): Interpreted {
  const move = readMove(text, wantedSound(game), list);
  if (move.kind === 'stop') return { kind: 'stop', game: null };
  if (move.kind === 'unreadable') return { ...move, game: { ...game, broken: game.broken + 1 } };
  if (move.kind === 'other') return { kind: 'other', game };
  // Before anything was said either side may open; later a second word in a row is talk.
  if (game.turn === 'mine' && game.said.length > 0) return { kind: 'not_their_turn', game };
  const verdict = judge(move.word, game.said);
  return { kind: 'word', word: move.word, verdict, game: after(game, move.word, verdict) };
}

function after(game: Game, word: Word, verdict: Verdict): Game | null {
  switch (verdict) {
    case 'good':
      return { said: [...game.said, word], turn: 'mine', broken: 0 };
    case 'loses':
      return null;
    case 'wrong_start':
    case 'repeated':
    case 'too_short':
      return { ...game, broken: game.broken + 1 };
  }
}

export function say(game: Game, word: Word): Game {
  return { said: [...game.said, word], turn: 'theirs', broken: game.broken };
}

export function wantedSound(game: Game): string | undefined {
  const before = game.said.at(-1);
  return before === undefined ? undefined : lastSound(before);
}

const OPENING = /^(?:しりとりをしましょう。|Let's play shiritori\. )(.+)$/;

/** The first line of a game in a conversation, where every other is the bare word. */
export function openingLine(word: Word, language: Language): string {
  return language === 'ja' ? `しりとりをしましょう。${word}` : `Let's play shiritori. ${word}`;
}

/** The word that the agent itself played in a text of its own. */
export function ownWord(text: string): Word | undefined {
  const found = wordOfLine(text) ?? OPENING.exec(text)?.[1] ?? text;
  return kanaWord(found);
}
