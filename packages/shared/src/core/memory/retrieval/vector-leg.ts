import type { Database } from '../../../platform/db/database.ts';
import type { Sight } from './document-queries.ts';

/** How long a retrieval waits for what is near in meaning, counted from its start. */
export const VECTOR_MS = 2_000;
/** The same for a caller that cannot wait for a model: as long as for the words. */
export const QUICK_VECTOR_MS = 600;

/** What is near in meaning, by vectors that something else makes and keeps. */
export interface VectorLeg {
  /** Against 1 of the words: 1:1 with a weak embedding finds less than the words alone. */
  readonly weight: number;
  /** Begins what a search for this text will need. */
  prepare?(text: string): void;
  /** Ids of events and states, the nearest first; what may not be seen is left out before the nearest are taken. */
  find(input: {
    readonly sight: Sight;
    readonly text: string;
    readonly limit: number;
    /** Reads this memory within its share of the connections; after the deadline of the leg it begins no statement. */
    readonly reads: Pick<Database, 'statement'>;
  }): Promise<readonly string[]>;
}
