import type { DeliveredPack } from '@aizuchi/shared/contract/tools/memory-tools';
import { type SaidNow, saidNow } from '@aizuchi/shared/core/agent-memory/agent-memory';
import type { Delivery } from '@aizuchi/shared/core/chat/delivery/deliver-messages';
import type { Clock } from '@aizuchi/shared/platform/clock';
import { inTime } from '@aizuchi/shared/platform/in-time';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { LRUCache } from 'lru-cache';
import type { AgentCaller, Services } from './ports.ts';

/** A search takes some 30 ms and now and then a multiple of it; the turn of a model that follows takes seconds. */
const WAIT_MS = 250;
const MAX_AGE_MS = 5 * 60_000;
const MAX_ENTRIES = 2_000;

interface Begun {
  readonly key: string;
  readonly pack: Promise<DeliveredPack | undefined>;
}

export interface RecollectionsOptions {
  readonly services: Pick<Services, 'agentMemory' | 'deliveries'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a delivery waits for memory. */
  readonly waitMs?: number;
}

/**
 * What memory holds about messages that wait. The search begins when their agent is told to fetch them, and runs while it
 * does; a delivery waits for the rest of it, for a bounded time. What comes later is there when the batch is given
 * again. Nothing here fails a call.
 */
export class Recollections {
  readonly #options: RecollectionsOptions;
  /** By session. */
  readonly #begun: LRUCache<string, Promise<Begun | undefined>>;

  constructor(options: RecollectionsOptions) {
    this.#options = options;
    this.#begun = new LRUCache({
      max: MAX_ENTRIES,
      ttl: MAX_AGE_MS,
      perf: { now: () => options.clock.now().getTime() },
      // Without this option a timer reads the clock.
      ttlResolution: 0,
    });
  }

  /** This agent is about to fetch its messages. */
  begin(caller: AgentCaller): void {
    if (!caller.usesMemory || caller.purpose !== 'chat') return;
    const known = this.#begun.get(caller.sessionId);
    this.#begun.set(caller.sessionId, this.#beginWith(caller, known).catch(this.#failed));
  }

  /** What is given with these messages; undefined: nothing, or not yet. `asked`: what the agent wants; default: it depends. */
  async packFor(
    caller: AgentCaller,
    { batchId, source, pendingMessages }: Delivery,
    asked: boolean | undefined,
  ): Promise<DeliveredPack | undefined> {
    const wanted = asked ?? (caller.usesMemory && source?.kind === 'chat');
    if (!wanted || batchId === null) return undefined;
    const fresh = pendingMessages.filter(({ repeat }) => !repeat);
    const said = saidNow(fresh.length > 0 ? fresh : pendingMessages);
    const { services, waitMs = WAIT_MS } = this.#options;
    const pack = await inTime(waitMs, this.#packOf(caller, said)).catch(this.#failed);
    if (pack) await services.deliveries.noteRetrieval(caller, { runId: pack.run_id, batchId });
    return pack;
  }

  async #packOf(caller: AgentCaller, said: SaidNow): Promise<DeliveredPack | undefined> {
    const known = await this.#begun.get(caller.sessionId);
    if (known?.key === said.key) {
      const pack = await known.pack;
      // It was made a while ago.
      return pack && this.#options.services.agentMemory.stillThere(caller, pack);
    }
    const begun = this.#beginOn(caller, said);
    this.#begun.set(caller.sessionId, Promise.resolve(begun));
    return begun.pack;
  }

  async #beginWith(caller: AgentCaller, known: Promise<Begun | undefined> | undefined) {
    const [said, begun] = await Promise.all([this.#options.services.agentMemory.waiting(caller), known]);
    return said === undefined || said.key === begun?.key ? begun : this.#beginOn(caller, said);
  }

  #beginOn(caller: AgentCaller, said: SaidNow): Begun {
    const pack = this.#options.services.agentMemory.packFor(caller, said).catch(this.#failed);
    return { key: said.key, pack };
  }

  readonly #failed = (error: unknown): undefined => {
    this.#options.logger.warn({ err: error }, 'messages are given without memory');
  };
}
