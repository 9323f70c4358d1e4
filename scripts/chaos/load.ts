import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../tests/e2e/start/product-process.ts';
import { LeftAlone, type Pair, type Person } from './person.ts';

const CLIENTS = 6;
/** Acknowledged before the fault comes. */
const FLOWING = 40;

export interface Acknowledged {
  readonly pair: Pair;
  readonly id: string;
  readonly clientMessageId: string;
}

/** Several clients that write to all pairs in turn until they are told to stop. */
export class Load {
  readonly #person: Person;
  readonly #pairs: readonly Pair[];
  readonly #name: string;
  readonly #pauseMs: number;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #clients: Promise<void>[];
  #isRunning = true;
  #failure: unknown;

  /** `pauseMs`: between two messages of one client. A brisk chat; the faults are what is tried here, not the machine. */
  constructor(person: Person, pairs: readonly Pair[], name: string, pauseMs = 60) {
    this.#person = person;
    this.#pairs = pairs;
    this.#name = name;
    this.#pauseMs = pauseMs;
    this.#clients = Array.from({ length: CLIENTS }, (_, index) => this.#client(index));
  }

  /** Everything that was begun is acknowledged before this resolves, unless the person left. */
  async stop(): Promise<readonly Acknowledged[]> {
    this.#isRunning = false;
    await Promise.all(this.#clients);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#acknowledged;
  }

  /** So much is under way: a fault now meets work in every state. */
  async isFlowing(): Promise<void> {
    await until(() => this.#acknowledged.length >= FLOWING);
  }

  /** Writes one message beside the clients and counts it with theirs. */
  async write(pair: Pair, label: string): Promise<Acknowledged> {
    const clientMessageId = `${this.#name}-${label}`;
    const { id } = await this.#person.write(pair, `chaos ${clientMessageId}`, clientMessageId);
    const acknowledged = { pair, id, clientMessageId };
    this.#acknowledged.push(acknowledged);
    return acknowledged;
  }

  async #client(index: number): Promise<void> {
    for (let count = index; this.#isRunning; count += 1) {
      const pair = this.#pairs[count % this.#pairs.length];
      if (!pair) return;
      try {
        await this.write(pair, `c${index}-${count}`);
      } catch (error) {
        // Told when it is stopped: nobody waits for a client before.
        if (!(error instanceof LeftAlone)) this.#failure ??= error;
        return;
      }
      await sleep(this.#pauseMs);
    }
  }
}
