import type { Driver, Turn } from '../driver.ts';
import { languageOf } from '../language.ts';
import { composeAnswer } from './builtin/compose-answer.ts';

const FETCHED_TASKS = 200;

/** The agent that works out of the box: no model, no network, fixed phrasings, facts from the board. */
export class BuiltinDriver implements Driver {
  async answer(turn: Turn): Promise<string | null> {
    // Two built-in agents would greet each other for ever; a conversation needs something to talk about.
    if (turn.source.kind === 'conversation') return null;
    return composeAnswer(turn.messages, {
      agentName: turn.agentName,
      fallback: languageBefore(turn) ?? 'ja',
      readBoard: () =>
        turn.tools.call('list_tasks', { status: ['in_progress', 'blocked'], limit: FETCHED_TASKS }),
    });
  }
}

function languageBefore(turn: Turn): 'ja' | 'en' | undefined {
  return turn.context
    .filter((message) => message.sender === 'user')
    .map((message) => languageOf(message.content))
    .findLast((language) => language !== undefined);
}
