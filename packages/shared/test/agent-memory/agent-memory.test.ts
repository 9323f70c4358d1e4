import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryHit, SearchMemoryBody, SearchResultPack } from '../../src/contract/memory.ts';
import { AgentMemory, saidNow } from '../../src/core/agent-memory/agent-memory.ts';
import { type NewEvent, storeEvents } from '../../src/core/memory/memory-store.ts';
import type { Memory, RecallInput } from '../../src/core/memory/recall.ts';
import { AppError } from '../../src/platform/errors.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { expectInvariants, messageOf } from '../chat/chat-support.ts';

/** What an agent in a session recalls and remembers. */
let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** A memory that finds what the test tells it to. */
class FoundMemory implements Memory {
  readonly searches: SearchMemoryBody[] = [];
  readonly recalls: RecallInput[] = [];
  hits: MemoryHit[] = [];
  pack: SearchResultPack = { selected: [] };

  async search(_scope: unknown, body: SearchMemoryBody) {
    this.searches.push(body);
    return { runId: 'ret_1', degraded: [], timings: {}, items: this.hits };
  }

  async recall(_scope: unknown, input: RecallInput) {
    this.recalls.push(input);
    return { runId: 'ret_1', degraded: [], pack: this.pack };
  }
}

const AWAY: Memory = {
  search: async () => {
    throw new AppError('unavailable', 'away');
  },
  recall: async () => ({ runId: null, degraded: ['memory_unavailable'], pack: { selected: [] } }),
};

const SAID_AT = new Date('2026-05-03T01:00:00.000Z');

const memoryWith = (memory: Memory) => new AgentMemory({ ...world.deps, memory, deliveries: world.delivery });

async function warm() {
  const membership = await world.agentInProject();
  return { membership, ...(await world.warmAgent(membership, `host-${membership.agentId}`)) };
}

async function store({ agentId, projectId }: WorldAgent, event: Partial<NewEvent>): Promise<string> {
  const { stored } = await world.database.transaction((tx) =>
    storeEvents(tx, agentId, [
      {
        projectId,
        clientId: 'owner',
        threadId: 'chat',
        source: 'chat',
        assistantState: 'complete',
        createdAt: SAID_AT,
        ...event,
      },
    ]),
  );
  return stored[0] ?? '';
}

const hit = (
  type: MemoryHit['type'],
  id: string,
  text: string,
  more: Partial<MemoryHit> = {},
): MemoryHit => ({
  rank: 1,
  type,
  id,
  score: 0.5,
  hitSources: ['ngram'],
  text,
  createdAt: SAID_AT.toISOString(),
  sourceEvents: [id],
  sourceRefs: [],
  ...more,
});

describe('recall', () => {
  it('gives what was said, by whom, when, and what was answered', async () => {
    const { membership, caller } = await warm();
    const id = await store(membership, {
      actor: 'Owner',
      userText: 'My cat is Momo.',
      assistantText: 'Nice.',
    });
    const memory = new FoundMemory();
    memory.hits = [hit('event', id, 'My cat is Momo. Nice.')];
    expect(await memoryWith(memory).recall(caller, { query: 'cat' })).toEqual({
      runId: 'ret_1',
      degraded: [],
      items: [
        {
          type: 'event',
          id,
          source: 'chat',
          text: 'My cat is Momo.',
          reply: 'Nice.',
          saidBy: 'Owner',
          createdAt: '2026-05-03T01:00:00.000Z',
          localTime: '2026-05-03 10:00',
          score: 0.5,
          foundBy: ['ngram'],
          sourceEvents: [id],
        },
      ],
    });
    expect(memory.searches).toEqual([{ query: 'cat', limit: 10, expand: false }]);
  });

  it('is what the next answer has used', async () => {
    const { membership, caller } = await warm();
    await world.chat.post(world.owner, { ...membership, content: 'my cat?' });
    await world.delivery.take(caller);
    await memoryWith(new FoundMemory()).recall(caller, { query: 'cat' });
    const { message } = await world.delivery.respond(caller, { content: 'I do not know' });
    expect(await messageOf(world, message?.id ?? '')).toMatchObject({ retrievalRunId: 'ret_1' });
  });

  it('says that memory is away, whether it refuses or hangs', async () => {
    const { caller } = await warm();
    const away = { runId: null, degraded: ['memory_unavailable'], items: [] };
    expect(await memoryWith(AWAY).recall(caller, { query: 'cat' })).toEqual(away);
    const hanging: Memory = { ...AWAY, search: () => new Promise(() => undefined) };
    const begin = performance.now();
    expect(await memoryWith(hanging).recall(caller, { query: 'cat' })).toEqual(away);
    expect(performance.now() - begin).toBeLessThan(30_000);
  });
});

describe('remember', () => {
  it('stores an event of the agent and a state in its project, each once for a key', async () => {
    const { membership, caller } = await warm();
    const memory = memoryWith(AWAY);
    const input = { text: 'Owner drinks tea.', idempotencyKey: 'k1' };
    const [first, again] = await Promise.all([
      memory.remember(caller, input),
      memory.remember(caller, input),
    ]);
    expect(again).toEqual(first);
    const event = await world.database.db
      .selectFrom('memoryEvents')
      .selectAll()
      .where('agentId', '=', membership.agentId)
      .executeTakeFirstOrThrow();
    expect(event).toMatchObject({
      id: first.eventId,
      projectId: membership.projectId,
      source: 'remember',
      userText: null,
      assistantText: 'Owner drinks tea.',
    });
    const state = await world.database.db
      .selectFrom('memoryStates')
      .selectAll()
      .where('agentId', '=', membership.agentId)
      .executeTakeFirstOrThrow();
    expect(state).toMatchObject({
      id: first.stateId,
      kind: 'fact',
      bodyText: 'Owner drinks tea.',
      evidence: [first.eventId],
      projectId: membership.projectId,
    });
  });

  it('is found once, as said by the agent', async () => {
    const { caller } = await warm();
    const memory = new FoundMemory();
    const { eventId, stateId } = await memoryWith(memory).remember(caller, {
      text: 'Call Mori.',
      kind: 'task',
    });
    memory.hits = [
      hit('event', eventId, 'Call Mori.'),
      hit('state', stateId, 'Call Mori.', { sourceEvents: [eventId] }),
    ];
    const { items } = await memoryWith(memory).recall(caller, { query: 'Mori' });
    expect(items).toMatchObject([{ type: 'state', kind: 'task', text: 'Call Mori.' }]);
    expect(items[0]?.saidBy).toEqual(expect.any(String));
  });

  it('is refused when the session is over', async () => {
    const { caller } = await warm();
    await world.sessions.logout(caller);
    await expect(memoryWith(AWAY).remember(caller, { text: 'late' })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});

describe('what is given with messages', () => {
  it('names who said each and when, and asks with all that was written', async () => {
    const { membership, caller } = await warm();
    const id = await store(membership, { actor: 'Owner', userText: 'My cat is Momo.' });
    const memory = new FoundMemory();
    const item = { type: 'event', state_id: null, affect_id: null, why: 'words' } as const;
    memory.pack = {
      selected: [
        { ...item, event_id: id, snippet: 'My cat is Momo.' },
        { ...item, event_id: 'evt_deleted', snippet: 'gone' },
      ],
    };
    await world.chat.post(world.owner, { ...membership, content: 'my cat?' });
    await world.chat.post(world.owner, { ...membership, content: 'her name?' });
    const agentMemory = memoryWith(memory);
    const said = await agentMemory.waiting(caller);
    const { pendingMessages } = await world.delivery.take(caller);
    expect(said).toEqual(saidNow(pendingMessages));
    expect(await agentMemory.waiting(caller)).toBeUndefined();
    expect(said && (await agentMemory.packFor(caller, said))).toEqual({
      run_id: 'ret_1',
      selected: [
        {
          ...item,
          event_id: id,
          snippet: 'My cat is Momo.',
          said_by: 'Owner',
          created_at: '2026-05-03T01:00:00.000Z',
          local_time: '2026-05-03 10:00',
        },
      ],
    });
    const { projectId, agentId } = membership;
    expect(memory.recalls).toMatchObject([
      { text: 'my cat?\nher name?', clientId: `pm:${projectId}:${agentId}:owner` },
    ]);
  });

  it('shows nothing of another project of the agent', async () => {
    const { membership, caller } = await warm();
    const elsewhere = await store(membership, { projectId: null, userText: 'general' });
    const { membership: other } = await warm();
    const foreign = await store({ ...membership, projectId: other.projectId }, { userText: 'secret' });
    const memory = new FoundMemory();
    const item = { type: 'event', state_id: null, affect_id: null, why: '', snippet: 'x' } as const;
    memory.pack = {
      selected: [
        { ...item, event_id: elsewhere },
        { ...item, event_id: foreign },
      ],
    };
    const pack = await memoryWith(memory).packFor(caller, {
      key: '',
      messageIds: [],
      text: 'x',
      humanId: 'owner',
    });
    expect(pack?.selected.map(({ event_id: id }) => id)).toEqual([elsewhere]);
  });

  it('gives what was remembered once', async () => {
    const { caller } = await warm();
    const memory = new FoundMemory();
    const agentMemory = memoryWith(memory);
    const { eventId, stateId } = await agentMemory.remember(caller, { text: 'The cat is Momo.' });
    const item = { affect_id: null, why: '', snippet: 'The cat is Momo.' } as const;
    memory.pack = {
      selected: [
        { ...item, type: 'event', event_id: eventId, state_id: null },
        { ...item, type: 'state', event_id: null, state_id: stateId },
      ],
    };
    const pack = await agentMemory.packFor(caller, {
      key: '',
      messageIds: [],
      text: 'cat',
      humanId: 'owner',
    });
    expect(pack?.selected.map(({ state_id: id }) => id)).toEqual([stateId]);
  });

  it('is without what was deleted since it was made', async () => {
    const { membership, caller } = await warm();
    const kept = await store(membership, { userText: 'kept' });
    const item = { type: 'event', state_id: null, affect_id: null, why: '', snippet: 'x' } as const;
    const told = { ...item, said_by: null, created_at: SAID_AT.toISOString(), local_time: '' };
    const [one, gone] = [kept, 'evt_deleted'].map((id) => ({ ...told, event_id: id }));
    const pack = (...selected: (typeof one)[]) => ({
      run_id: 'ret_1',
      selected: selected.flatMap((of) => of ?? []),
    });
    const memory = memoryWith(AWAY);
    expect(await memory.stillThere(caller, pack(one, gone))).toEqual(pack(one));
    expect(await memory.stillThere(caller, pack(gone))).toBeUndefined();
  });

  it('is nothing when nothing is found, or memory is away', async () => {
    const { caller } = await warm();
    const said = { key: '', messageIds: [], text: 'x', humanId: undefined };
    expect(await memoryWith(new FoundMemory()).packFor(caller, said)).toBeUndefined();
    expect(await memoryWith(AWAY).packFor(caller, said)).toBeUndefined();
  });
});
