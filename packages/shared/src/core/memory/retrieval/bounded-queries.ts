import type { Database, Statement } from '../../../platform/db/database.ts';
import { Turnstile } from '../../../platform/http/turnstile.ts';

/** Of the six connections by which the memory service reads: what is slow in one memory leaves some to the others. */
const OF_ONE_MEMORY = 4;
/** More than the searches that are admitted at once can ask. */
const WAITING = 1_000;

/** Lets no memory read by more than its share of the connections; a statement keeps its place until it has ended. */
export class ReadingPlaces {
  readonly #database: Pick<Database, 'statement'>;
  readonly #turnstile = new Turnstile({
    perCaller: OF_ONE_MEMORY,
    total: Number.POSITIVE_INFINITY,
    waiting: WAITING,
  });

  constructor(database: Pick<Database, 'statement'>) {
    this.#database = database;
  }

  /** Reads one memory. Once `signal` is aborted nothing is begun any more; what runs goes on, and keeps its place. */
  of(agentId: string, signal: AbortSignal): Pick<Database, 'statement'> {
    return {
      statement: async <R extends object>(query: Statement) => {
        const leave = await this.#enter(agentId, signal);
        return this.#database.statement<R>({ ...query, signal }).finally(leave);
      },
    };
  }

  async #enter(agentId: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    let leave: () => void = () => undefined;
    const giveUp = () => leave();
    signal.addEventListener('abort', giveUp);
    try {
      await this.#turnstile.enter(agentId, (gone) => {
        leave = gone;
      });
      return leave;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}
