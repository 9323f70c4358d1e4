import type { Message } from '@aizuchi/shared/contract/chat';
import type { Turn } from '../../../driver.ts';
import { type Language, languageOf } from '../../../language.ts';
import { type Line, playInChat } from './chat-game.ts';
import { wishOf } from './invite.ts';
import { makeWordList } from './word-list.ts';

const LIST = makeWordList();
const LATIN_WORD = /^[\s\p{Script=Latin}'-]+$/u;

/** The game in the chat: the replies by message; what is not in it does not belong to a game. */
export function playWithPerson(
  turn: Turn,
  before: readonly Message[],
  fallback: Language,
  random: () => number,
): Map<string, string | null> {
  return playInChat({
    before: linesOf(before),
    batch: linesOf(turn.messages),
    languageOf: (line) => languageOfMove(line, before) ?? fallback,
    list: LIST,
    random,
  });
}

/** A word in kana says nothing of the language in which somebody plays: what he wrote before does. */
function languageOfMove(line: Line, before: readonly Message[]): Language | undefined {
  if (line.wish || LATIN_WORD.test(line.text)) return languageOf(line.text);
  const invitation = before.findLast((message) => message.sender === 'user' && wishOf(message.content));
  return languageOf(invitation?.content ?? '') ?? languageOf(line.text);
}

function linesOf(messages: readonly Message[], agentId?: string): Line[] {
  return messages
    .filter((message) => message.sender !== 'system' && message.visible)
    .map((message) => ({
      id: message.id,
      mine: agentId === undefined ? message.sender === 'agent' : message.senderId === agentId,
      text: message.content,
      wish: wishOf(message.content),
    }));
}
