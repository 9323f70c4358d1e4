import type { ConversationEndReason } from '@aizuchi/shared/core/conversations/rules/conversation-states';
import type { Word } from './words/kana.ts';

/** Why a game with another agent is over, as its person is told. */
export type GameEnd =
  | 'rounds_done'
  | 'they_lost'
  | 'i_lost'
  | 'broken_rules'
  | 'expired'
  | ConversationEndReason;

/** What the built-in agent says in a game, complete in each language by this type. */
export interface ShiritoriTexts {
  readonly opening: string;
  readonly wordLine: (word: Word) => string;
  readonly yourTurn: (sound: string) => string;
  readonly wrongStart: (word: Word, before: Word, sound: string) => string;
  readonly longMark: string;
  readonly repeated: (word: Word, sound: string) => string;
  readonly tooShort: (word: Word) => string;
  readonly unreadable: (writing: string) => string;
  readonly theyLost: (word: Word, words: number) => string;
  readonly iGiveUp: (sound: string, words: number) => string;
  readonly stopped: (words: number) => string;
  readonly reminder: (sound: string | undefined) => string;
  readonly rules: string;
  readonly roundsDone: (rounds: number) => string;
  readonly brokenTooOften: string;
  readonly purpose: (rounds: number) => string;
  readonly started: (partner: string, rounds: number) => string;
  readonly partnerUnknown: (agents: readonly string[]) => string;
  readonly partnerIsHuman: (name: string) => string;
  readonly alreadyTalking: (partner: string) => string;
  readonly couldNotStart: (partner: string, reason: string) => string;
  readonly mayNotCome: (partner: string) => string;
  readonly ends: Readonly<Record<GameEnd, string>>;
  readonly over: (partner: string, end: GameEnd, words: readonly Word[]) => string;
}
