import type { Reckoning } from '../reckoning.ts';
import { nothing } from '../report.ts';
import { untilOrTimeout } from '../until-or-timeout.ts';
import type { Given } from './given.ts';
import { ConnectedWorld, type Place } from './place.ts';

/** A program that a person has connected to the mcp-server by hand. */
export interface ConnectedAgent {
  /** The messages that were in front of the agent so far, in order. */
  given(): Promise<readonly Given[]>;
  /** Resolves when it has ended by itself, with its last output. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface ConnectedOptions {
  readonly messages: number;
  /** Default 5; 0 means that nothing is cut. */
  readonly cutEvery?: number;
  start(place: Place): Promise<ConnectedAgent>;
  readonly say: (line: string) => void;
}

export interface ConnectedResult {
  readonly sum: Reckoning;
  readonly cuts: number;
  readonly seconds: number;
}

/**
 * Clients that write at the same time. Each writes its next message when the last one is answered, so there are many
 * small batches.
 */
const CLIENTS = 4;
/** After this time a client writes its next message although the last one is not answered. */
const WRITES_AGAIN_AFTER_MS = 1_000;
/** Longer than the same answer may be cut several times in a row. */
const ANSWER_TIMEOUT_MS = 45_000;
const LEAVES_WITHIN_MS = 60_000;

/**
 * Runs an agent that does not know receipts behind a proxy that cuts every fifth answer. People write through REST,
 * and the messages that the product shows as answered are compared with those that were in front of the agent.
 */
export async function tryConnected(options: ConnectedOptions): Promise<ConnectedResult> {
  const world = await ConnectedWorld.open(options.cutEvery ?? 5);
  const startedAt = performance.now();
  try {
    const agent = await options.start(world.place);
    try {
      const ids = await write(world, options);
      const states = new Map(ids.map((id) => [id, world.observer.stateOf(id) ?? 'stored']));
      const violations = await endAgent(world, agent);
      const sum = count(states, await agent.given());
      return {
        sum: { ...sum, violations: [...sum.violations, ...violations, ...world.person.complaints] },
        cuts: world.cutter.cuts,
        seconds: (performance.now() - startedAt) / 1_000,
      };
    } finally {
      await agent.stop();
    }
  } finally {
    await world.close();
  }
}

/** Writes all messages; resolves when all are answered or the time is over. */
async function write(world: ConnectedWorld, { messages, say }: ConnectedOptions): Promise<string[]> {
  const ids: string[] = [];
  const isAnswered = (id: string) => world.observer.stateOf(id) === 'answered';
  let next = 0;
  const client = async () => {
    while (next < messages) {
      const number = next++;
      const { id } = await world.person.write(world.place.membership, `message ${number}`, `m${number}`);
      ids.push(id);
      await untilOrTimeout(() => isAnswered(id), WRITES_AGAIN_AFTER_MS);
      if (number % 100 === 99) say(`  ${number + 1} written, ${world.cutter.cuts} answers cut`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await untilOrTimeout(() => ids.every(isAnswered), ANSWER_TIMEOUT_MS);
  return ids;
}

async function endAgent(world: ConnectedWorld, agent: ConnectedAgent): Promise<string[]> {
  await world.endSession();
  let end: string | undefined;
  void agent.ended.then((text) => {
    end = text;
  });
  await untilOrTimeout(() => end !== undefined, LEAVES_WITHIN_MS);
  if (end === undefined) return ['the agent was told to leave and did not'];
  return end === '' ? [] : [`the agent ended with: ${end}`];
}

/** `states`: the last state of every acknowledged message that the observer saw. */
export function count(states: ReadonlyMap<string, string>, given: readonly Given[]): Reckoning {
  const seen = new Set<string>();
  const again = given.filter(({ id, marked }) => {
    const isUnmarkedAgain = seen.has(id) && !marked;
    seen.add(id);
    return isUnmarkedAgain;
  });
  const unseen = [...states].filter(([id, state]) => state === 'answered' && !seen.has(id));
  const lost = [...states].filter(([id, state]) => state !== 'answered' || !seen.has(id));
  return {
    ...nothing,
    acknowledged: states.size,
    lost: lost.length,
    doubled: again.length,
    unseen: unseen.length,
    repeated: given.filter(({ marked }) => marked).length,
    violations: [
      ...unseen.slice(0, 5).map(([id]) => `${id} is answered, and was never given to the agent`),
      ...lost
        .filter(([, state]) => state !== 'answered')
        .slice(0, 5)
        .map(([id, state]) => `${id} is ${state}, given: ${seen.has(id)}`),
    ],
  };
}
