import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { receiptOf } from '../../src/core/chat/delivery/receipts.ts';
import type { ConversationNotice } from '../../src/core/sessions/rules/next-action.ts';
import { AppError } from '../../src/platform/errors.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { SEARCH_MS } from '../../src/testing/timeouts.ts';

/** Random histories of three agents on the real database; after each the invariants I-1 to I-5 and I-9. */
const MAX_CHAIN_MESSAGES = 7;
const AGENTS = 3;

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
  await world.database.db
    .updateTable('appSettings')
    .set({ chainMaxMessages: MAX_CHAIN_MESSAGES, projectAgentMessagesPerHour: 9 })
    .execute();
});
afterAll(() => world.close());

const agent = fc.nat(AGENTS - 1);
const isAcknowledged = fc.boolean();
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('start' as const), by: agent, to: agent, says: fc.boolean() }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wake' as const), by: agent }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('ask' as const), by: agent, isAcknowledged }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('fetch' as const), by: agent }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('respond' as const), by: agent, says: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), by: agent, to: agent }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), by: agent, to: agent }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('both' as const), by: agent, to: agent }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), by: agent }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('logout' as const), by: agent }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), seconds: fc.constantFrom(5, 70, 301, 601) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Player extends WorldAgent {
  session: { caller: AgentCaller; runId: string } | null;
}

class History {
  readonly players: Player[];
  readonly acknowledged: string[] = [];
  /** How often an end was told without `repeat`, by agent and conversation. */
  readonly offers = new Map<string, number>();

  constructor(pairs: readonly WorldAgent[]) {
    this.players = pairs.map((membership) => ({ ...membership, session: null }));
  }

  async play(one: Step): Promise<void> {
    try {
      await this.#play(one);
    } catch (error) {
      // A rule's no is a part of the history; anything else is a fault.
      if (!(error instanceof AppError) || error.code === 'internal') throw error;
    }
  }

  async #play(one: Step): Promise<void> {
    switch (one.do) {
      case 'start': {
        const { by, to } = this.#two(one.by, one.to);
        const started = await world.talks.start(by.caller, {
          targetAgentId: to.agentId,
          maxMessages: 4,
          ...(one.says && { initialMessage: 'hello' }),
        });
        if (started.message) this.acknowledged.push(started.message.id);
        return;
      }
      case 'wake':
        return this.#wake(this.#player(one.by));
      case 'ask':
        return this.#ask(this.#player(one.by), one.isAcknowledged);
      case 'fetch': {
        const { caller } = this.#awake(one.by);
        await world.delivery.take(caller);
        return;
      }
      case 'respond':
        return this.#acknowledge(
          await world.delivery.respond(this.#awake(one.by).caller, one.says ? { content: 'an answer' } : {}),
        );
      case 'send': {
        const { by, to } = this.#two(one.by, one.to);
        return this.#acknowledge(
          await world.delivery.send(by.caller, { targetAgentId: to.agentId, content: 'a word' }),
        );
      }
      case 'end': {
        const { by, to } = this.#two(one.by, one.to);
        await world.talks.end(by.caller, { targetAgentId: to.agentId });
        return;
      }
      case 'both': {
        const { by, to } = this.#two(one.by, one.to);
        const other = to.session;
        if (!other) return;
        await Promise.allSettled([
          world.talks.end(by.caller, { targetAgentId: to.agentId }),
          world.talks.end(other.caller, { targetAgentId: by.agentId }),
          world.delivery.send(other.caller, { targetAgentId: by.agentId, content: 'too late?' }),
        ]);
        return;
      }
      case 'crash': {
        const player = this.#player(one.by);
        const { runId } = this.#awake(one.by);
        player.session = null;
        return world.coordination.reportProcessExit({ runId, exitCode: 1 });
      }
      case 'logout': {
        const player = this.#player(one.by);
        const { caller } = this.#awake(one.by);
        player.session = null;
        await world.sessions.logout(caller);
        return;
      }
      case 'stop': {
        const [player] = this.players;
        const { conversations } = await world.conversations.list(world.owner, player?.projectId ?? '', {
          limit: 1,
        });
        for (const { id } of conversations) await world.conversations.stop(world.owner, id);
        return;
      }
      case 'pass':
        world.clock.advance(one.seconds * 1_000);
        return;
      case 'sweep':
        await world.coordinator('host-a', this.#runs());
        await world.sweeper.runOnce();
        return;
    }
  }

  /** Everybody does what he should, until nothing is left to be told. */
  async settle(): Promise<void> {
    for (let round = 0; round < 8; round += 1) {
      for (const player of this.players) {
        if (player.session) for (let ask = 0; ask < 5; ask += 1) await this.#ask(player, true);
      }
      world.clock.advance(601_000);
      await this.play({ do: 'sweep' });
    }
  }

  async #wake(player: Player): Promise<void> {
    await world.coordinator('host-a', this.#runs());
    const action = await world.coordination.getAgentAction({ ...player, coordinatorId: 'host-a' });
    if (action.action !== 'start' || action.ticket === null) return;
    const signedIn = await world.sessions.authenticate({ bearer: action.ticket, address: '127.0.0.1' });
    if (!signedIn.success) return;
    player.session = { runId: action.runId, caller: await world.sessions.resolve(action.ticket) };
  }

  async #ask(player: Player, told: boolean): Promise<void> {
    if (!player.session) return;
    const { caller } = player.session;
    const action = (await world.sessions.nextActions([caller.sessionId])).get(caller.sessionId);
    if (action?.kind === 'exit' || action?.kind === 'logout') {
      player.session = null;
      await world.sessions.logout(caller);
    } else if (action?.kind === 'conversation') await this.#hear(caller, action.notice, told);
  }

  async #hear(caller: AgentCaller, notice: ConversationNotice, told: boolean): Promise<void> {
    const offered = await world.talks.offer(caller, notice);
    if (!offered) return;
    const key = `${caller.agentId} ${notice.conversationId}`;
    if (notice.kind !== 'request' && !offered.repeat) this.offers.set(key, (this.offers.get(key) ?? 0) + 1);
    if (told) await world.receipts.received(caller, [receiptOf({ kind: 'conversation', notice })]);
  }

  #acknowledge(said: { message: { id: string } | null }): void {
    if (said.message) this.acknowledged.push(said.message.id);
  }

  #player(index: number): Player {
    const player = this.players[index];
    if (!player) throw new Error('no such player');
    return player;
  }

  #awake(index: number): { agentId: string; caller: AgentCaller; runId: string } {
    const { agentId, session } = this.#player(index);
    if (!session) throw new AppError('unauthenticated', 'asleep');
    return { agentId, ...session };
  }

  #two(by: number, to: number) {
    return { by: this.#awake(by), to: this.#player(to) };
  }

  #runs(): string[] {
    return this.players.flatMap(({ session }) => session?.runId ?? []);
  }
}

async function threeAgents(): Promise<History> {
  const first = await world.agentInProject();
  const history = new History([first, await world.colleague(first), await world.colleague(first)]);
  for (const player of history.players) await world.chat.start(world.owner, player);
  return history;
}

it('keeps the invariants, tells every end once, and loses nothing that was acknowledged', async () => {
  const until = performance.now() + SEARCH_MS;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 40, size: 'max' }), async (steps) => {
      if (performance.now() > until) return;
      const history = await threeAgents();
      // Two of three run from the start, else little happens.
      for (const one of [...WARM_UP, ...steps]) await history.play(one);
      expect(await checkInvariants(world.database)).toEqual([]);
      await history.settle();
      expect(await checkInvariants(world.database, { files: false })).toEqual([]);
      expect(await stillOpen()).toEqual([]);
      expect([...history.offers.values()].filter((count) => count > 1)).toEqual([]);
      const { rows } = await world.database.pool.query<{ id: string }>(
        'select id from chat_messages where id = any($1)',
        [history.acknowledged],
      );
      expect(rows.map(({ id }) => id).toSorted()).toEqual(history.acknowledged.toSorted());
      expect(await overLimit()).toEqual([]);
    }),
    { numRuns: 12 },
  );
}, 240_000);

const WARM_UP: Step[] = [
  { do: 'wake', by: 0 },
  { do: 'wake', by: 1 },
];

async function stillOpen(): Promise<unknown[]> {
  const { rows } = await world.database.pool.query(
    `select id, state from conversations where state not in ('ended', 'expired')`,
  );
  return rows;
}

async function overLimit(): Promise<unknown[]> {
  const { rows } = await world.database.pool.query(
    'select id, message_count from conversation_chains where message_count > $1',
    [MAX_CHAIN_MESSAGES],
  );
  return rows;
}
