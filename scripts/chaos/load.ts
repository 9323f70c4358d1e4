import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../tests/e2e/start/product-process.ts';
import { LeftAlone, type Pair, type Person } from './person.ts';

const CLIENTS = 6;
/** Acknowledged before the fault comes. */
const FLOWING = 40;
const TALK_EVERY_MS = 1_200;

export interface Acknowledged {
  readonly pair: Pair;
  readonly id: string;
  readonly clientMessageId: string;
}

interface TalkingPair extends Pair {
  readonly partnerId?: string;
}

/** Several clients that write to all pairs in turn until they are told to stop, and let agents talk with each other. */
export class Load {
  readonly #person: Person;
  readonly #name: string;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #clients: Promise<void>[];
  readonly #stopping = new AbortController();
  #failure: unknown;

  /** `pauseMs`: between two messages of one client. A brisk chat; the faults are what is tried here, not the machine. */
  constructor(person: Person, pairs: readonly TalkingPair[], name: string, pauseMs = 60) {
    this.#person = person;
    this.#name = name;
    const talking = pairs.filter(({ partnerId }) => partnerId !== undefined);
    this.#clients = [
      ...Array.from({ length: CLIENTS }, (_, index) => this.#client(`c${index}`, { pairs, index, pauseMs })),
      this.#client('talk', { pairs: talking, index: 0, pauseMs: Math.max(TALK_EVERY_MS, pauseMs) }),
    ];
  }

  /** Everything that was begun is acknowledged before this resolves, unless the person left. */
  async stop(): Promise<readonly Acknowledged[]> {
    this.#stopping.abort();
    await Promise.all(this.#clients);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#acknowledged;
  }

  /** So much is under way: a fault now meets work in every state. */
  async isFlowing(): Promise<void> {
    await until(() => this.#acknowledged.length >= FLOWING);
  }

  /** Writes one message beside the clients and counts it with theirs. `order`: what the agent does about it. */
  async write(pair: Pair, label: string, order = ''): Promise<Acknowledged> {
    const clientMessageId = `${this.#name}-${label}`;
    const content = `chaos ${clientMessageId} ${order}`.trim();
    const { id } = await this.#person.write(pair, content, clientMessageId);
    const acknowledged = { pair, id, clientMessageId };
    this.#acknowledged.push(acknowledged);
    return acknowledged;
  }

  async #client(
    name: string,
    { pairs, index, pauseMs }: { pairs: readonly TalkingPair[]; index: number; pauseMs: number },
  ): Promise<void> {
    for (let count = index; !this.#stopping.signal.aborted; count += 1) {
      const pair = pairs[count % pairs.length];
      if (!pair) return;
      try {
        await this.write(pair, `${name}-${count}`, name === 'talk' ? `talk ${pair.partnerId}` : '');
      } catch (error) {
        // Told when it is stopped: nobody waits for a client before.
        if (!(error instanceof LeftAlone)) this.#failure ??= error;
        return;
      }
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }
}
