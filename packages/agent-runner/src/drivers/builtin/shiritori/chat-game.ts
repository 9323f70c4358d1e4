import type { Language } from '../../../language.ts';
import { recognise } from '../intent.ts';
import { explainBrokenRule } from './explain.ts';
import { type Game, type Interpreted, interpret, NEW_GAME, ownWord, say, wantedSound } from './game.ts';
import { asksForRules, type ShiritoriWish } from './invite.ts';
import { SHIRITORI_TEXTS } from './texts.ts';
import type { ShiritoriTexts } from './texts-shape.ts';
import { chooseWord, type Random } from './words/choose-word.ts';
import { kanaWord, lastSound } from './words/kana.ts';
import type { WordList } from './words/word-list.ts';

/** One text of a thread, as a game sees it. */
export interface Line {
  readonly id: string;
  readonly mine: boolean;
  readonly text: string;
  readonly wish: ShiritoriWish | undefined;
}

export interface ChatPlay {
  /** What was said before the batch, oldest first. */
  readonly before: readonly Line[];
  readonly batch: readonly Line[];
  readonly languageOf: (line: Line) => Language;
  readonly list: WordList;
  readonly random: Random;
}

type Event = Interpreted | { readonly kind: 'started' | 'rules' };

interface Listened {
  readonly game: Game | null;
  /** Undefined: not about the game. */
  readonly event?: Event;
}

/**
 * The replies to those messages of a batch that belong to a game with the person, by message; null where another
 * message of the batch gets the reply. What is not in it is none of the game's business.
 */
export function playInChat(play: ChatPlay): Map<string, string | null> {
  const replies = new Map<string, string | null>();
  let game = gameAfter(play.before, play.list);
  let decided: (() => [id: string, reply: string]) | undefined;
  for (const line of play.batch) {
    const before = game;
    const interpreted = listen(before, line, play.list);
    game = interpreted.game;
    const { event } = interpreted;
    if (!event) continue;
    replies.set(line.id, null);
    // Talk beside a word needs no reply of its own.
    if (event.kind === 'not_their_turn' || (event.kind === 'other' && decided)) continue;
    decided = () => [line.id, replyTo(event, before, SHIRITORI_TEXTS[play.languageOf(line)], play)];
  }
  if (decided) replies.set(...decided());
  return replies;
}

/** The running game, read from what was said; null when there is none. */
export function gameAfter(lines: readonly Line[], list: WordList): Game | null {
  return lines.reduce<Game | null>(
    (game, line) => (line.mine ? afterOwn(game, line.text) : listen(game, line, list).game),
    null,
  );
}

/** The agent's own text: one of its words, or, on its turn, the end. */
function afterOwn(game: Game | null, text: string): Game | null {
  const word = ownWord(text);
  if (word !== undefined) return say(game ?? NEW_GAME, word);
  return game?.turn === 'mine' ? null : game;
}

/** The effect of a text of the person on the game. */
function listen(game: Game | null, line: Line, list: WordList): Listened {
  const { text, wish } = line;
  if (wish?.kind === 'play_with_other') return { game };
  const interpreted = game && interpret(game, text, list);
  if (wish?.kind === 'rules' || (game && asksForRules(text) && !isOnlyMove(interpreted, text)))
    return { game, event: { kind: 'rules' } };
  if (interpreted) {
    if (interpreted.kind === 'other' && !wish && recognise(text).intent !== 'unknown') return { game };
    if (interpreted.kind === 'stop' || !wish) return { game: interpreted.game, event: interpreted };
  }
  if (!wish) return { game };
  const opened = interpret(NEW_GAME, text, list);
  return opened.kind === 'word'
    ? { game: opened.game, event: opened }
    : { game: NEW_GAME, event: { kind: 'started' } };
}

/** The text is nothing but a word that fits: ルール is one of the list. */
function isOnlyMove(interpreted: Interpreted | null, text: string): boolean {
  if (interpreted?.kind !== 'word' || interpreted.verdict !== 'good') return false;
  return kanaWord(text.trim().replace(/[。.！!]+$/, '')) === interpreted.word;
}

/** `before` is the game in which the text was interpreted. */
function replyTo(event: Event, before: Game | null, texts: ShiritoriTexts, play: ChatPlay): string {
  const game = before ?? NEW_GAME;
  switch (event.kind) {
    case 'started':
      return [texts.opening, ownTurn(NEW_GAME, texts, play)].join('\n');
    case 'rules':
      return texts.rules;
    case 'stop':
      return texts.stopped(game.said.length);
    case 'unreadable':
      return texts.unreadable(event.writing);
    case 'other':
    case 'not_their_turn':
      return texts.reminder(wantedSound(game));
    case 'word':
      if (event.verdict === 'good') return ownTurn(event.game ?? NEW_GAME, texts, play);
      if (event.verdict === 'loses') return texts.theyLost(event.word, game.said.length + 1);
      return explainBrokenRule(event.verdict, event.word, game, texts);
  }
}

function ownTurn(game: Game, texts: ShiritoriTexts, play: ChatPlay): string {
  const word = chooseWord(game.said, play.list, play.random);
  if (word === undefined) return texts.iGiveUp(wantedSound(game) ?? '', game.said.length);
  return [texts.wordLine(word), texts.yourTurn(lastSound(word))].join('\n');
}
