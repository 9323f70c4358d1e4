import type { House } from './house.ts';
import type { Load } from './load.ts';
import type { Pair } from './person.ts';

export interface Strike {
  /** Who must answer again. */
  readonly pair: Pair;
  /** `performance.now()` from which recovery counts: the kill, or the end of what was taken away for a while. */
  readonly since: number;
  /** Measured by the round itself; else until `pair` has answered a message written right after the strike. */
  readonly recoveryMs?: number;
  /** Worth saying about this strike. */
  readonly note?: string;
  /** What it saw that must not be. */
  readonly violations?: readonly string[];
}

interface StrikeOptions {
  /** Which strike of the round this is, from 0. */
  readonly turn: number;
  readonly isShort: boolean;
  readonly load: Load;
}

/** One named kind of fault. */
export interface Round {
  readonly name: string;
  /** Why it cannot be tried here; undefined when it can. */
  absent?(): Promise<string | undefined>;
  /** At most so often, however many kills were asked for: it takes a minute. */
  readonly atMost?: number;
  /** Not part of a short run. */
  readonly isLong?: boolean;
  /** Between two messages of a client, where a strike takes so long that the usual would only heat the machine. */
  readonly pauseMs?: number;
  strike(house: House, options: StrikeOptions): Promise<Strike>;
}

/** The pair whose turn it is: built-in and recording agents alternate. */
export function pairInTurn(house: House, turn: number) {
  const pair = house.pairs[turn % house.pairs.length];
  if (!pair) throw new Error('the house has no agents');
  return pair;
}
