import { patiently } from '../patiently.ts';
import type { Reckoning } from '../reckoning.ts';
import { nothing } from '../report.ts';
import type { Given } from './given.ts';
import { ConnectedHouse, type Place } from './place.ts';

/** A program that is connected to the mcp-server by hand. */
export interface ConnectedAgent {
  /** What stood in front of it so far, in order. */
  given(): Promise<readonly Given[]>;
  /** Resolves when it has ended by itself, with what it said last. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface ConnectedOptions {
  readonly messages: number;
  /** 5 when left out; 0: nothing is cut. */
  readonly cutEvery?: number;
  start(place: Place): Promise<ConnectedAgent>;
  readonly say: (line: string) => void;
}

export interface ConnectedResult {
  readonly sum: Reckoning;
  readonly cuts: number;
  readonly seconds: number;
}

/** Clients that write at the same time, each the next message when the last is answered: small batches, many of them. */
const CLIENTS = 4;
/** Nobody writes for ever to who does not answer, and nobody waits for ever. */
const WRITES_AGAIN_AFTER_MS = 1_000;
/** Longer than the same answer may be cut in a row. */
const ANSWER_TIMEOUT_MS = 45_000;
const LEAVES_WITHIN_MS = 60_000;

/**
 * An agent that knows nothing of receipts, behind a proxy that cuts every fifth answer: people write through REST, and
 * what the product shows as answered is compared with what stood in front of the agent.
 */
export async function tryConnected(options: ConnectedOptions): Promise<ConnectedResult> {
  const house = await ConnectedHouse.open(options.cutEvery ?? 5);
  const startedAt = performance.now();
  try {
    const agent = await options.start(house.place);
    try {
      const ids = await write(house, options);
      const states = new Map(ids.map((id) => [id, house.onlooker.stateOf(id) ?? 'stored']));
      const violations = await seeOff(house, agent);
      const sum = count(states, await agent.given());
      return {
        sum: { ...sum, violations: [...sum.violations, ...violations, ...house.person.complaints] },
        cuts: house.cutter.cuts,
        seconds: (performance.now() - startedAt) / 1_000,
      };
    } finally {
      await agent.stop();
    }
  } finally {
    await house.close();
  }
}

/** All that was acknowledged, once it is answered or it is certain that it will not be. */
async function write(house: ConnectedHouse, { messages, say }: ConnectedOptions): Promise<string[]> {
  const ids: string[] = [];
  const isAnswered = (id: string) => house.onlooker.stateOf(id) === 'answered';
  let next = 0;
  const client = async () => {
    while (next < messages) {
      const number = next++;
      const { id } = await house.person.write(house.place.pair, `message ${number}`, `m${number}`);
      ids.push(id);
      await patiently(() => isAnswered(id), WRITES_AGAIN_AFTER_MS);
      if (number % 100 === 99) say(`  ${number + 1} written, ${house.cutter.cuts} answers cut`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await patiently(() => ids.every(isAnswered), ANSWER_TIMEOUT_MS);
  return ids;
}

async function seeOff(house: ConnectedHouse, agent: ConnectedAgent): Promise<string[]> {
  await house.sendAgentAway();
  let end: string | undefined;
  void agent.ended.then((text) => {
    end = text;
  });
  await patiently(() => end !== undefined, LEAVES_WITHIN_MS);
  if (end === undefined) return ['the agent was told to leave and did not'];
  return end === '' ? [] : [`the agent ended with: ${end}`];
}

/** `states`: of every acknowledged message, as somebody who looked on saw it last. */
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
