import type { Database } from '../../../platform/db/database.ts';
import type { ShardSight } from './shard.ts';
import type { ShardKey } from './shard-queries.ts';

export interface NearestInput extends ShardKey, ShardSight {
  readonly query: Float32Array;
  readonly limit: number;
}

export interface Nearest {
  /** Ids of events and states, the nearest first. */
  readonly items: readonly string[];
  /** How many vectors were compared, where that is known. */
  readonly vectors: number;
  /** The agent has more vectors than this search can compare: none was. */
  readonly isTooLarge: boolean;
}

/** Compares the vectors of one agent that may be seen and are those of the text as it is now, all of them. */
export interface NearestSearch {
  /** `reads`: this memory, until the search has to end. */
  nearest(input: NearestInput, reads: Pick<Database, 'statement'>): Promise<Nearest>;
  close?(): Promise<void>;
}

export const NOTHING: Nearest = { items: [], vectors: 0, isTooLarge: false };
export const TOO_LARGE: Nearest = { ...NOTHING, isTooLarge: true };
