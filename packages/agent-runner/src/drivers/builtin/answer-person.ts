import type { Message } from '@aizuchi/shared/contract/chat';
import type { Turn } from '../../driver.ts';
import { type Language, languageOf } from '../../language.ts';
import { composeAnswer } from './compose-answer.ts';
import { hasTraceOfGame } from './shiritori/trace.ts';

const FETCHED_TASKS = 200;

/** The answer in the chat: the game where there is one, else what is known from the board. */
export async function answerPerson(
  turn: Turn,
  before: readonly Message[],
  random: () => number,
): Promise<string | null> {
  const fallback = languageBefore(before) ?? 'ja';
  const replies = new Map<string, string | null>();
  if (hasTraceOfGame([...before, ...turn.messages].map((message) => message.content))) {
    const { playWithPerson } = await import('./shiritori/play-with-person.ts');
    for (const [id, reply] of playWithPerson(turn, before, fallback, random)) replies.set(id, reply);
  }
  return composeAnswer(turn.messages, {
    agentName: turn.agentName,
    fallback,
    replies,
    readBoard: () =>
      turn.tools.call('list_tasks', { status: ['in_progress', 'blocked'], limit: FETCHED_TASKS }),
  });
}

function languageBefore(before: readonly Message[]): Language | undefined {
  return before
    .filter((message) => message.sender === 'user')
    .map((message) => languageOf(message.content))
    .findLast((language) => language !== undefined);
}
