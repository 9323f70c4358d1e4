import type { Message } from '@aizuchi/shared/contract/chat';
import type { QuestionItem } from '@aizuchi/shared/contract/question';
import { QUESTION_LIMITS } from '@aizuchi/shared/contract/question';
import type { Turn } from '../../driver.ts';
import { type Language, languageOf } from '../../language.ts';
import { questionFor, replyWith } from './ask/ask-card.ts';
import { askRequestOf } from './ask/ask-request.ts';
import { composeAnswer } from './compose-answer.ts';
import { memoryRequestOf } from './memory/memory-request.ts';
import { readBoard } from './read-board.ts';
import { hasTraceOfGame } from './shiritori/trace.ts';
import { splitRequestOf } from './split/split-request.ts';

/**
 * The answer in the chat: to a wish to be asked, from its memory, to a game where there is one, else what is known from
 * the board; null: none. `readBefore`: the messages before those of the turn, with those that came while the person was asked.
 */
export async function answerPerson(
  turn: Turn,
  readBefore: () => readonly Message[],
  random: () => number,
): Promise<string | null> {
  let before = readBefore();
  const replies = new Map<string, string | null>();
  const wishes = wishesToBeAsked(turn.messages);
  if (wishes.length > 0) {
    const outcome = await turn.ask(distinct(wishes));
    for (const { id, question, language } of wishes) replies.set(id, replyWith(outcome, question, language));
    before = readBefore();
  }
  for (const [id, reply] of await answersFromMemory(turn)) if (!replies.has(id)) replies.set(id, reply);
  const fallback = languageBefore(before) ?? 'ja';
  for (const [id, reply] of await splits(turn, fallback)) if (!replies.has(id)) replies.set(id, reply);
  if (hasTraceOfGame([...before, ...turn.messages].map((message) => message.content))) {
    const played = await playGames(turn, before, fallback, random);
    for (const [id, reply] of played) if (!replies.has(id)) replies.set(id, reply);
  }
  return composeAnswer(turn.messages, {
    agentName: turn.agentName,
    fallback,
    replies,
    readBoard: () => readBoard(turn),
  });
}

/** Loaded for those who ask. */
async function answersFromMemory(turn: Turn): Promise<Map<string, string>> {
  const replies = new Map<string, string>();
  for (const { id, content } of turn.messages) {
    const request = memoryRequestOf(content);
    if (!request) continue;
    const { answerFromMemory } = await import('./memory/answer-from-memory.ts');
    replies.set(id, await answerFromMemory(request, id, turn));
  }
  return replies;
}

/** Loaded for those who want a task to be split. */
async function splits(turn: Turn, fallback: Language): Promise<Map<string, string>> {
  const replies = new Map<string, string>();
  for (const message of turn.messages) {
    const taskId = splitRequestOf(message);
    if (taskId === undefined) continue;
    const { splitTask } = await import('./split/split-task.ts');
    const language = languageOf(message.content) ?? fallback;
    replies.set(message.id, await splitTask(taskId, { messageId: message.id, language }, turn));
  }
  return replies;
}

/** The rules and the words are loaded for those who play. */
async function playGames(
  turn: Turn,
  before: readonly Message[],
  fallback: Language,
  random: () => number,
): Promise<Map<string, string | null>> {
  const { playWithPerson } = await import('./shiritori/play-with-person.ts');
  const { startGames } = await import('./shiritori/start-with-agent.ts');
  const elsewhere = await startGames(turn, fallback);
  return new Map([...elsewhere, ...playWithPerson(turn, before, elsewhere, fallback, random)]);
}

interface Wish {
  readonly id: string;
  readonly question: QuestionItem;
  readonly language: Language;
}

/** One card has room for four questions; more at once are answered like any other text. */
function wishesToBeAsked(messages: readonly Message[]): Wish[] {
  return messages
    .flatMap(({ id, content }) => {
      const request = askRequestOf(content);
      return request ? [{ id, question: questionFor(request), language: request.language }] : [];
    })
    .slice(0, QUESTION_LIMITS.questions);
}

function distinct(wishes: readonly Wish[]): QuestionItem[] {
  return [...new Map(wishes.map(({ question }) => [question.question, question])).values()];
}

function languageBefore(before: readonly Message[]): Language | undefined {
  return before
    .filter((message) => message.sender === 'user')
    .map((message) => languageOf(message.content))
    .findLast((language) => language !== undefined);
}
