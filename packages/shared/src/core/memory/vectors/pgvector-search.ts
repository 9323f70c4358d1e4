import type { Database } from '../../../platform/db/database.ts';
import { type Nearest, type NearestInput, type NearestSearch, NOTHING, TOO_LARGE } from './nearest.ts';
import type { PgvectorCopy } from './pgvector-copy.ts';
import { findNearest, isGone, MAX_DIMENSIONS, tookTooLong } from './pgvector-queries.ts';

/** So often what is outdated makes room for others. */
const MAX_LOOKS = 4;
/** For so long an agent is not searched again that took longer than a statement may. */
const TOO_LARGE_MS = 60_000;

/** Compares by SQL, exactly, what is too much for memory. Of agents that fit there it takes several times as long. */
export class PgvectorSearch implements NearestSearch {
  readonly #copy: PgvectorCopy;
  readonly #now: () => number;
  readonly #tooLargeUntil = new Map<string, number>();

  constructor(copy: PgvectorCopy, now: () => number = () => performance.now()) {
    this.#copy = copy;
    this.#now = now;
  }

  async nearest(input: NearestInput, reads: Pick<Database, 'statement'>): Promise<Nearest> {
    const { agentId, query } = input;
    if (!this.#copy.isWhole || query.length > MAX_DIMENSIONS) return TOO_LARGE;
    if (this.#now() < (this.#tooLargeUntil.get(agentId) ?? 0)) return TOO_LARGE;
    this.#tooLargeUntil.delete(agentId);
    try {
      return await this.#look(input, reads);
    } catch (error) {
      if (tookTooLong(error)) this.#tooLargeUntil.set(agentId, this.#now() + TOO_LARGE_MS);
      else if (isGone(error)) this.#copy.lose(error);
      else throw error;
      return TOO_LARGE;
    }
  }

  async #look(input: NearestInput, reads: Pick<Database, 'statement'>): Promise<Nearest> {
    const outdated: number[] = [];
    for (let look = 1; ; look += 1) {
      const rows = await findNearest(reads, input, outdated);
      const items = rows.flatMap(({ item }) => item ?? []);
      if (items.length === rows.length || look === MAX_LOOKS) return { ...NOTHING, items };
      outdated.push(...rows.filter(({ item }) => item === null).map(({ documentId }) => documentId));
    }
  }
}
