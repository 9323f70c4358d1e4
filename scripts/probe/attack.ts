import type { World } from './world.ts';

/** What an attack cannot do without. */
export type Need = 'the host' | 'root' | 'an ordinary user' | 'linux' | 'the Coordinator';

/** One attack of the table in docs/security.md. */
export interface Attack {
  /** The row of the table; 0: what has always held. */
  readonly row: number;
  readonly name: string;
  readonly limitMs: number;
  readonly needs?: readonly Need[];
  /** quiet: runs beside others, loads nothing and measures nothing; waiting: beside all of them. Else alone. */
  readonly pace?: 'quiet' | 'waiting';
  /** What happened, in one sentence. Throws `Broken` when the product gave way, anything else when it could not be tried. */
  run(world: World): Promise<string>;
}

/** The product gave way; the message says how. */
export class Broken extends Error {}

/** It cannot be tried in this place; the message says why in a few words. */
export class NotHere extends Error {}

export function must(holds: boolean, otherwise: string | (() => string)): asserts holds {
  if (!holds) throw new Broken(typeof otherwise === 'string' ? otherwise : otherwise());
}

/** All of them are tried; everything that gave way is said at once, what gave way alike together. */
export async function mustAll(tries: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
  const broken = new Map<string, string[]>();
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      await attempt();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      broken.set(error.message, [...(broken.get(error.message) ?? []), name]);
    }
  }
  const sentences = [...broken].map(([message, names]) => `${names.join(', ')}: ${message}`);
  must(sentences.length === 0, sentences.join('; '));
}
