import type { Message } from '../../contract/chat.ts';
import type { Degradation, SearchResultPack, StateKind } from '../../contract/memory.ts';
import type { DeliveredPack } from '../../contract/tools/memory-tools.ts';
import { newId } from '../../platform/ids.ts';
import { inTime } from '../../platform/in-time.ts';
import type { AgentCaller } from '../access/agent-caller.ts';
import { requireOpen } from '../chat/delivery/agent-input.ts';
import { findUnread } from '../chat/delivery/delivery-queries.ts';
import type { DeliveryService } from '../chat/delivery/delivery-service.ts';
import { byteQuota, countTextIfRoom, quotaReached } from '../chat/quota/byte-quota.ts';
import type { ServiceDeps } from '../deps.ts';
import { type CallKey, keepResult, keptResult } from '../idempotency/idempotent-results.ts';
import { storeEvents, storeState } from '../memory/memory-store.ts';
import type { Memory } from '../memory/recall.ts';
import { withoutCommand } from '../memory/rules/growth/command-words.ts';
import { endOf } from '../rules/storable-text.ts';
import { SessionQueries } from '../sessions/session-queries.ts';
import { deliveredItems, type RecalledItem, recalledItems, type Sources } from './recalled-item.ts';
import { findAgentName, findKnownStates, findSaidEvents } from './said-queries.ts';

export interface Recalled {
  /** null: memory was away. */
  readonly runId: string | null;
  readonly degraded: readonly Degradation[];
  readonly items: readonly RecalledItem[];
}

export interface NewMemory {
  readonly text: string;
  readonly kind?: StateKind | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Messages that wait for an answer, in their order. */
export interface SaidNow {
  /** Names them: the same messages have the same key. */
  readonly key: string;
  readonly messageIds: readonly string[];
  readonly text: string;
  /** Who wrote the last of them; undefined: another agent. */
  readonly humanId: string | undefined;
}

type Waiting = Pick<Message, 'id' | 'content'> & { readonly humanId?: string | null | undefined };

/** The end of what was said: a search with more words finds no more. */
const MAX_SAID_LENGTH = 4_000;

export function saidNow(messages: readonly Waiting[]): SaidNow {
  return {
    key: messages.map(({ id }) => id).join(),
    messageIds: messages.map(({ id }) => id),
    text: endOf(messages.map(({ content }) => content).join('\n'), MAX_SAID_LENGTH),
    humanId: messages.at(-1)?.humanId ?? undefined,
  };
}

/** A tool call does not wait longer for memory. */
const RECALL_MS = 2_000;
const PACK_BUDGET_MS = 2_000;
const ITEMS = 10;

const AWAY: Recalled = { runId: null, degraded: ['memory_unavailable'], items: [] };

interface AgentMemoryDeps extends ServiceDeps {
  readonly memory: Memory;
  readonly deliveries: Pick<DeliveryService, 'noteRetrieval'>;
}

/** What an agent in a session recalls and remembers: of its project, and what is general. */
export class AgentMemory {
  readonly #deps: AgentMemoryDeps;

  constructor(deps: AgentMemoryDeps) {
    this.#deps = deps;
  }

  /** Never fails because of memory: that it was away is part of the result, in a bounded time. */
  async recall(
    caller: AgentCaller,
    { query, limit = ITEMS }: { query: string; limit?: number | undefined },
  ): Promise<Recalled> {
    const { memory, deliveries, logger } = this.#deps;
    const search = memory
      .search(caller, { query, limit, expand: false }, { byRules: true })
      .catch((error: unknown) => {
        logger.warn({ err: error, agentId: caller.agentId }, 'an agent could not recall');
        return undefined;
      });
    const found = await inTime(RECALL_MS, search);
    if (!found) return AWAY;
    const { runId, degraded, items } = found;
    const ids = idsOf(items.map(({ type, id }) => ({ type, id })));
    const [sources] = await Promise.all([
      this.#sources(caller, ids),
      deliveries.noteRetrieval(caller, { runId }),
    ]);
    return { runId, degraded, items: recalledItems(items, sources) };
  }

  /** What waits in the chat of this session; undefined: nothing. */
  async waiting(caller: AgentCaller): Promise<SaidNow | undefined> {
    const unread = await findUnread(this.#deps.database.db, caller);
    return unread.length === 0 ? undefined : saidNow(unread);
  }

  /** What fits to what was said now; undefined: nothing, or memory is away. */
  async packFor(
    caller: AgentCaller,
    { text, humanId, messageIds }: SaidNow,
  ): Promise<DeliveredPack | undefined> {
    const { runId, pack } = await this.#deps.memory.recall(caller, {
      text,
      messageIds,
      clientId: clientOf(caller, humanId),
      budgetMs: PACK_BUDGET_MS,
      // A delivery does not wait for a model.
      byRules: true,
    });
    if (runId === null || pack.selected.length === 0) return undefined;
    const sources = await this.#sources(caller, idsIn(pack));
    const selected = deliveredItems(pack, sources);
    return selected.length === 0 ? undefined : { run_id: runId, selected };
  }

  /** What of a pack is not deleted meanwhile; undefined: nothing. */
  async stillThere(caller: AgentCaller, pack: DeliveredPack): Promise<DeliveredPack | undefined> {
    const { events, states } = await this.#sources(caller, idsIn(pack));
    const selected = pack.selected.filter(
      ({ event_id: event, state_id: state }) => events.has(event ?? '') || states.has(state ?? ''),
    );
    return selected.length === 0 ? undefined : { ...pack, selected };
  }

  /** Stored with what it is found by, so it is found at once, also while the memory service is away. */
  async remember(
    caller: AgentCaller,
    { text, kind = 'fact', idempotencyKey: key }: NewMemory,
  ): Promise<{ eventId: string; stateId: string }> {
    const { agentId, projectId } = caller;
    const quota = await byteQuota(this.#deps);
    const call: CallKey = { tool: 'remember', key };
    return this.#deps.database.transaction(async (tx) => {
      requireOpen(await new SessionQueries(tx.db).lockById(caller.sessionId));
      // The same call, sent twice: the lock of the session orders them.
      const first = await keptResult(tx.db, caller, call);
      if (first?.eventId !== undefined && first.stateId !== undefined)
        return { eventId: first.eventId, stateId: first.stateId };
      if (!(await countTextIfRoom(this.#deps, tx, caller, { text, quota })))
        throw quotaReached(this.#deps, caller, { quota });
      const at = await tx.now();
      const eventId = newId('evt');
      await storeEvents(tx, agentId, [
        {
          id: eventId,
          projectId,
          clientId: clientOf(caller, undefined),
          // By itself: what was remembered before or after it has nothing to do with it.
          threadId: `remember:${eventId}`,
          source: 'remember',
          actor: await findAgentName(tx.db, agentId),
          assistantText: text,
          assistantState: 'complete',
          createdAt: at,
        },
      ]);
      const stateId = await storeState(tx, agentId, {
        projectId,
        kind,
        bodyText: withoutCommand(text),
        at,
        evidence: [eventId],
        reason: 'remember',
        madeBy: 'agent',
      });
      await keepResult(tx, caller, call, { eventId, stateId });
      return { eventId, stateId };
    });
  }

  async #sources({ agentId, projectId }: AgentCaller, ids: FoundIds): Promise<Sources> {
    const { database, config } = this.#deps;
    const [events, states] = await Promise.all([
      findSaidEvents(database.db, { agentId, projectId, ids: ids.events }),
      findKnownStates(database.db, { agentId, projectId, ids: ids.states }),
    ]);
    return { events: byId(events), states: byId(states), timeZone: config.timeZone };
  }
}

interface FoundIds {
  readonly events: readonly string[];
  readonly states: readonly string[];
}

function idsOf(items: readonly { type: string; id: string }[]): FoundIds {
  const of = (wanted: string) => items.flatMap(({ type, id }) => (type === wanted ? id : []));
  return { events: of('event'), states: of('state') };
}

function idsIn({ selected }: SearchResultPack): FoundIds {
  return {
    events: selected.flatMap(({ event_id: id }) => id ?? []),
    states: selected.flatMap(({ state_id: id }) => id ?? []),
  };
}

/** The client of the warm chat with this person (memory.md, "What feeds it"). */
function clientOf({ projectId, agentId }: AgentCaller, humanId: string | undefined): string {
  return ['pm', projectId, agentId, ...(humanId === undefined ? [] : [humanId])].join(':');
}

function byId<T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [row.id, row]));
}
