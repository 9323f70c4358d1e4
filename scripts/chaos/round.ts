import type { MembershipKey } from '@aizuchi/shared/contract/run';
import type { ChaosWorld } from './chaos-world.ts';
import type { Load } from './load.ts';

export interface Fault {
  /** The membership that must answer again. */
  readonly membership: MembershipKey;
  /** `performance.now()` from which recovery counts: the kill, or the end of a temporary outage. */
  readonly since: number;
  /**
   * Set if the round measures it itself; otherwise it is measured until `membership` has answered a message that is written
   * right after the fault.
   */
  readonly recoveryMs?: number;
  /** A note for the report. */
  readonly note?: string;
  /** Violations that the round itself saw. */
  readonly violations?: readonly string[];
}

interface FaultOptions {
  /** Index of the fault in its round, from 0. */
  readonly turn: number;
  readonly isShort: boolean;
  readonly load: Load;
}

/** One named kind of fault. */
export interface Round {
  readonly name: string;
  /** Why it cannot be tried here; undefined if it can. */
  absent?(): Promise<string | undefined>;
  /** At most this many faults, whatever `kills` says, because one takes a minute. */
  readonly atMost?: number;
  /** Left out of a short run. */
  readonly isLong?: boolean;
  /**
   * Pause between two messages of a client, for faults that last so long that the usual pause would only add load.
   */
  readonly pauseMs?: number;
  inject(world: ChaosWorld, options: FaultOptions): Promise<Fault>;
}

/** The memberships take turns: built-in and recording agents alternate. */
export function membershipInTurn(world: ChaosWorld, turn: number) {
  const membership = world.pairs[turn % world.pairs.length];
  if (!membership) throw new Error('the world has no agents');
  return membership;
}
