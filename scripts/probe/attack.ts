import type { World } from './world.ts';

/** What an attack requires. */
export type Need =
  | 'the host'
  | 'root'
  | 'an ordinary user'
  | 'linux'
  | 'the Coordinator'
  | 'runs as processes'
  | 'runs in containers';

/** One attack of the table in docs/security.md. */
export interface Attack {
  /** The row of the table; 0 for protections that were always sound. */
  readonly row: number;
  readonly name: string;
  readonly limitMs: number;
  readonly needs?: readonly Need[];
  /**
   * quiet: runs in parallel to others, creates no load and measures nothing. waiting: runs in parallel to all others.
   * Undefined: runs alone.
   */
  readonly pace?: 'quiet' | 'waiting';
  /**
   * Returns what happened, in one sentence. Throws `Broken` if the attack succeeded, any other error if it could not
   * be tried.
   */
  run(world: World): Promise<string>;
}

/** The attack succeeded; the message says how. */
export class Broken extends Error {}

/** The attack cannot be tried here; the message says why, in a few words. */
export class NotHere extends Error {}

export function must(holds: boolean, otherwise: string | (() => string)): asserts holds {
  if (!holds) throw new Broken(typeof otherwise === 'string' ? otherwise : otherwise());
}

/**
 * Tries all of them, then reports all successful attacks at once, those with the same result together; else the first that
 * could not be tried.
 */
export async function mustAll(tries: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
  const broken = new Map<string, string[]>();
  const untried: unknown[] = [];
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      await attempt();
    } catch (error) {
      if (error instanceof Broken) broken.set(error.message, [...(broken.get(error.message) ?? []), name]);
      else untried.push(error);
    }
  }
  const sentences = [...broken].map(([message, names]) => `${names.join(', ')}: ${message}`);
  must(sentences.length === 0, sentences.join('; '));
  if (untried.length > 0) throw untried[0];
}
