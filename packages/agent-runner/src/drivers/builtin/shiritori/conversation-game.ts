import type { Language } from '../../../language.ts';
import type { Line } from './chat-game.ts';
import { explainBrokenRule } from './explain.ts';
import {
  type Game,
  type Interpreted,
  interpret,
  NEW_GAME,
  openingLine,
  ownWord,
  say,
  wantedSound,
} from './game.ts';
import { SHIRITORI_TEXTS } from './texts.ts';
import type { GameEnd, ShiritoriTexts } from './texts-shape.ts';
import { chooseWord, type Random } from './words/choose-word.ts';
import type { Word } from './words/kana.ts';
import type { WordList } from './words/word-list.ts';

export interface ConversationPlay {
  readonly before: readonly Line[];
  readonly batch: readonly Line[];
  /**
   * After this many rounds the agent ends the conversation; only the agent that began it was given a number.
   */
  readonly rounds: number | undefined;
  readonly language: Language;
  readonly list: WordList;
  readonly random: Random;
}

/** The agent's answer in a game with another agent. */
export interface ConversationMove {
  readonly content: string | null;
  /** All words of the game so far, the one in `content` included. */
  readonly said: readonly Word[];
  /** The conversation is to be ended after the answer, and why. */
  readonly end?: { readonly why: GameEnd; readonly finalMessage: string };
}

/** After more broken rules in a row than this, the two agents cannot agree. */
const MAX_BROKEN_RULES = 2;

export function playInConversation(play: ConversationPlay): ConversationMove {
  const { list } = play;
  const texts = SHIRITORI_TEXTS[play.language];
  let game = play.before.reduce<Game>((before, line) => {
    const word = line.mine ? ownWord(line.text) : undefined;
    if (line.mine) return word === undefined ? before : say(before, word);
    return hear(before, line.text, list).game ?? before;
  }, NEW_GAME);
  let answer: ConversationMove | undefined;
  for (const line of play.batch) {
    const interpreted = hear(game, line.text, list);
    answer = answerTo(interpreted, game, line, texts, play) ?? answer;
    game = interpreted.game ?? game;
  }
  return answer ?? { content: null, said: game.said };
}

/** Talk where a word is due is a broken rule: nobody else would go on, or end it. */
function hear(game: Game, text: string, list: WordList): Interpreted {
  const interpreted = interpret(game, text, list);
  if (interpreted.kind !== 'other' || !isWordDue(game)) return interpreted;
  return { kind: 'other', game: { ...game, broken: game.broken + 1 } };
}

function isWordDue({ said, turn }: Game): boolean {
  return said.length > 0 && turn === 'theirs';
}

function answerTo(
  interpreted: Interpreted,
  before: Game,
  line: Line,
  texts: ShiritoriTexts,
  play: ConversationPlay,
): ConversationMove | undefined {
  const { said } = before;
  switch (interpreted.kind) {
    case 'stop': {
      const finalMessage = texts.stopped(said.length);
      return { content: null, said, end: { why: 'participant_ended', finalMessage } };
    }
    case 'unreadable':
      return correct(texts.unreadable(interpreted.writing), before, texts);
    case 'not_their_turn':
      return undefined;
    case 'other':
      if (isWordDue(before)) return correct(texts.yourTurn(wantedSound(before) ?? ''), before, texts);
      // Whoever was invited opens, when nobody has said a word.
      return said.length === 0 && (line.wish || play.rounds === undefined)
        ? myTurn(before, texts, play)
        : undefined;
    case 'word':
      if (interpreted.verdict === 'good') return myTurn(interpreted.game ?? before, texts, play);
      if (interpreted.verdict === 'loses') {
        const all = [...said, interpreted.word];
        const finalMessage = texts.theyLost(interpreted.word, all.length);
        return { content: null, said: all, end: { why: 'they_lost', finalMessage } };
      }
      return correct(explainBrokenRule(interpreted.verdict, interpreted.word, before, texts), before, texts);
  }
}

function myTurn(game: Game, texts: ShiritoriTexts, play: ConversationPlay): ConversationMove {
  const { said } = game;
  if (play.rounds !== undefined && said.length >= play.rounds * 2) {
    return { content: null, said, end: { why: 'rounds_done', finalMessage: texts.roundsDone(play.rounds) } };
  }
  const word = chooseWord(said, play.list, play.random);
  if (word === undefined) {
    const finalMessage = texts.iGiveUp(wantedSound(game) ?? '', said.length);
    return { content: null, said, end: { why: 'i_lost', finalMessage } };
  }
  const content = said.length === 0 ? openingLine(word, play.language) : word;
  return { content, said: [...said, word] };
}

/** Two agents that cannot agree on the rules would correct each other for ever. */
function correct(explanation: string, game: Game, texts: ShiritoriTexts): ConversationMove {
  const { said, broken } = game;
  if (broken < MAX_BROKEN_RULES) return { content: explanation, said };
  const finalMessage = `${explanation}\n${texts.brokenTooOften}`;
  return { content: null, said, end: { why: 'broken_rules', finalMessage } };
}
