import type { AgentView, ConversationOver, Driver, Reply, Turn } from '../driver.ts';
import { answerPerson } from './builtin/answer-person.ts';
import { Talks } from './builtin/talks.ts';
import { ThreadMemory } from './builtin/thread-memory.ts';

/** The agent that works out of the box: no model, no network, fixed phrasings, facts from the board. */
export class BuiltinDriver implements Driver {
  readonly #threads = new ThreadMemory();
  readonly #talks: Talks;
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
    this.#talks = new Talks(random);
  }

  async answer(turn: Turn): Promise<Reply> {
    if (turn.source.kind === 'conversation') return this.#talks.answer(turn, turn.source.conversation_id);
    return answerPerson(turn, this.#threads.before(turn), this.#random);
  }

  conversationOver(over: ConversationOver, agent: AgentView): Promise<string | null> {
    return this.#talks.over(over, agent);
  }
}
