import type { Driver, Turn } from '../driver.ts';
import { answerPerson } from './builtin/answer-person.ts';
import { ThreadMemory } from './builtin/thread-memory.ts';

/** The agent that works out of the box: no model, no network, fixed phrasings, facts from the board. */
export class BuiltinDriver implements Driver {
  readonly #threads = new ThreadMemory();
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  async answer(turn: Turn): Promise<string | null> {
    const before = this.#threads.before(turn);
    // Two built-in agents would greet each other for ever; a conversation needs something to talk about.
    if (turn.source.kind === 'conversation') return null;
    return answerPerson(turn, before, this.#random);
  }
}
