import type { Message } from '@aizuchi/shared/contract/chat';
import type { Turn } from '../../../driver.ts';
import { type Language, languageOf } from '../../../language.ts';
import { type Line, playInChat } from './chat-game.ts';
import { wishOf } from './invite.ts';
import { linesOf } from './lines.ts';
import { WORD_LIST } from './words/word-list.ts';

const LATIN_WORD = /^[\s\p{Script=Latin}'-]+$/u;

/** The game in the chat: the replies by message; what is not in it does not belong to a game. `elsewhere`: games with other agents. */
export function playWithPerson(
  turn: Turn,
  before: readonly Message[],
  elsewhere: ReadonlyMap<string, unknown>,
  fallback: Language,
  random: () => number,
): Map<string, string | null> {
  // Rounds with nobody named are a game with the person.
  const meant = linesOf(turn.messages, turn.agentId).map((line) =>
    line.wish?.kind === 'play_with_other' && !elsewhere.has(line.id)
      ? { ...line, wish: { kind: 'play' as const } }
      : line,
  );
  return playInChat({
    before: linesOf(before, turn.agentId),
    batch: meant,
    languageOf: (line) => languageOfMove(line, before) ?? fallback,
    list: WORD_LIST,
    random,
  });
}

/** A word in kana does not show the language of the person: the person's earlier messages do. */
function languageOfMove(line: Line, before: readonly Message[]): Language | undefined {
  if (line.wish || LATIN_WORD.test(line.text)) return languageOf(line.text);
  const invitation = before.findLast((message) => message.sender === 'user' && wishOf(message.content));
  return languageOf(invitation?.content ?? '') ?? languageOf(line.text);
}
