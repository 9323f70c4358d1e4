import { setTimeout as sleep } from 'node:timers/promises';
import type { MembershipKey } from '@aizuchi/shared/contract/run';
import { until } from '../../tests/e2e/start/product-process.ts';
import { GaveUpError, type Person } from './person.ts';

const CLIENTS = 6;
/** How many messages must be acknowledged before a fault is injected. */
const FLOWING = 40;
const TALK_EVERY_MS = 1_200;

export interface Acknowledged {
  readonly membership: MembershipKey;
  readonly id: string;
  readonly clientMessageId: string;
}

interface TalkingPair extends MembershipKey {
  readonly partnerId?: string;
}

/** Several clients that write to all memberships in turn until they are stopped, and make agents start conversations. */
export class Load {
  readonly #person: Person;
  readonly #name: string;
  readonly #acknowledged: Acknowledged[] = [];
  readonly #clients: Promise<void>[];
  readonly #stopping = new AbortController();
  #failure: unknown;

  /**
   * `pauseMs`: pause between two messages of one client. It gives a busy chat; the test is about faults, not about
   * the limits of the machine.
   */
  constructor(person: Person, pairs: readonly TalkingPair[], name: string, pauseMs = 60) {
    this.#person = person;
    this.#name = name;
    const talking = pairs.filter(({ partnerId }) => partnerId !== undefined);
    this.#clients = [
      ...Array.from({ length: CLIENTS }, (_, index) => this.#client(`c${index}`, { pairs, index, pauseMs })),
      this.#client('talk', { pairs: talking, index: 0, pauseMs: Math.max(TALK_EVERY_MS, pauseMs) }),
    ];
  }

  /** Resolves when every message that was begun is acknowledged, unless the person gave up. */
  async stop(): Promise<readonly Acknowledged[]> {
    this.#stopping.abort();
    await Promise.all(this.#clients);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#acknowledged;
  }

  /** Resolves when enough messages are in progress that a fault meets messages in every state. */
  async isFlowing(): Promise<void> {
    await until(() => this.#acknowledged.length >= FLOWING);
  }

  /** Writes one message besides the clients and counts it with theirs. `order`: what the agent shall do. */
  async write(membership: MembershipKey, label: string, order = ''): Promise<Acknowledged> {
    const clientMessageId = `${this.#name}-${label}`;
    const content = `chaos ${clientMessageId} ${order}`.trim();
    const { id } = await this.#person.write(membership, content, clientMessageId);
    const acknowledged = { membership, id, clientMessageId };
    this.#acknowledged.push(acknowledged);
    return acknowledged;
  }

  async #client(
    name: string,
    { pairs, index, pauseMs }: { pairs: readonly TalkingPair[]; index: number; pauseMs: number },
  ): Promise<void> {
    for (let count = index; !this.#stopping.signal.aborted; count += 1) {
      const membership = pairs[count % pairs.length];
      if (!membership) return;
      try {
        await this.write(
          membership,
          `${name}-${count}`,
          name === 'talk' ? `talk ${membership.partnerId}` : '',
        );
      } catch (error) {
        // Reported by `stop`: until then nothing waits for a client.
        if (!(error instanceof GaveUpError)) this.#failure ??= error;
        return;
      }
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }
}
