import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { AT, aState, chatEvents, secondsLater, tablesWith } from './stored-memory.ts';

let world: ServiceWorld;
let memory: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memory = new MemoryService(world.deps);
});
afterAll(() => world.close());

/** A run of retrieval that used these items. */
async function aRun(
  agentId: string,
  id: string,
  run: {
    eventId?: string;
    query?: string;
    items: readonly { event?: string; state?: string; snippet: string }[];
  },
): Promise<void> {
  const selected = run.items.map(({ event = null, state = null, snippet }) => ({
    type: event === null ? 'state' : 'event',
    event_id: event,
    state_id: state,
    affect_id: null,
    why: 'found',
    snippet,
  }));
  await world.database.db
    .insertInto('retrievalRuns')
    .values({
      id,
      agentId,
      eventId: run.eventId ?? null,
      query: run.query ?? 'what was it?',
      plan: JSON.stringify({ queries: [run.query ?? ''] }),
      planSource: 'rules',
      candidates: '{}',
      timings: '{}',
      errors: '{}',
      selected: JSON.stringify(selected),
      selectedSource: 'rank',
    })
    .execute();
}

const snippetsOf = async (id: string) => {
  const { rows } = await world.database.pool.query<{ selected: { snippet: string }[] }>(
    'select selected from retrieval_runs where id = $1',
    [id],
  );
  return rows[0]?.selected.map(({ snippet }) => snippet);
};

const stateOf = (id: string) =>
  world.database.db
    .selectFrom('memoryStates')
    .select(['bodyText', 'evidence'])
    .where('id', '=', id)
    .executeTakeFirst();

it('leaves nothing of a deleted event in any table', async () => {
  const { agentId } = await world.agentInProject();
  const word = 'zanzibar';
  const [marked = '', other = ''] = await chatEvents(world, agentId, [
    {
      userText: `about ${word}`,
      assistantText: word,
      caption: word,
      actor: word,
      clientId: word,
      threadId: word,
      sourceRef: word,
    },
    { userText: 'something else', createdAt: secondsLater(1) },
  ]);
  const alone = await aState(world, agentId, {
    bodyText: `likes ${word}`,
    payload: { word },
    evidence: [marked],
  });
  const both = await aState(world, agentId, { bodyText: 'likes tea', evidence: [other] });
  await world.database.db
    .updateTable('memoryStates')
    .set({ evidence: [other, marked] })
    .where('id', '=', both)
    .execute();
  await memory.updateState(world.owner, { agentId, id: alone }, { bodyText: `likes ${word} much` });
  await aRun(agentId, 'ret_own', { eventId: marked, query: word, items: [{ event: other, snippet: 'x' }] });
  await aRun(agentId, 'ret_other', {
    eventId: other,
    items: [
      { event: other, snippet: 'kept' },
      { event: marked, snippet: word },
      { state: alone, snippet: word },
    ],
  });
  await aRun(agentId, 'ret_search', {
    query: `where is ${word}?`,
    items: [{ event: marked, snippet: word }],
  });
  expect(await tablesWith(world, word)).toEqual([
    'memory_events',
    'memory_revisions',
    'memory_states',
    'retrieval_runs',
  ]);

  await memory.deleteEvent(world.owner, { agentId, id: marked });

  expect(await tablesWith(world, word)).toEqual([]);
  // Only its id, of which the audit tells who deleted it.
  expect(await tablesWith(world, marked)).toEqual(['audit_entries']);
  expect(await stateOf(alone)).toBeUndefined();
  expect(await stateOf(both)).toEqual({ bodyText: 'likes tea', evidence: [other] });
  expect(await snippetsOf('ret_other')).toEqual(['kept']);
  const { rowCount } = await world.database.pool.query('select from memory_documents where agent_id = $1', [
    agentId,
  ]);
  expect(rowCount).toBe(2);
});

it('takes back what a deleted event alone has changed in a state', async () => {
  const { agentId } = await world.agentInProject();
  const [first = '', second = ''] = await chatEvents(world, agentId, [{}, { createdAt: secondsLater(1) }]);
  const id = await aState(world, agentId, { bodyText: 'lives in Tokyo', evidence: [first] });
  const body = (text: string) => ({
    bodyText: text,
    payload: {},
    confidence: 1,
    validFrom: null,
    validTo: null,
    lastConfirmedAt: AT.toISOString(),
  });
  // As growth would do it.
  await world.database.db
    .updateTable('memoryStates')
    .set({ bodyText: 'lives in Quezon', evidence: [first, second] })
    .where('id', '=', id)
    .execute();
  await world.database.db
    .insertInto('memoryRevisions')
    .values({
      stateId: id,
      at: AT,
      op: 'upsert',
      before: JSON.stringify(body('lives in Tokyo')),
      after: JSON.stringify(body('lives in Quezon')),
      reason: 'moved',
      evidence: [second],
      madeBy: 'model',
    })
    .execute();
  await memory.deleteEvent(world.owner, { agentId, id: second });
  expect(await tablesWith(world, 'quezon')).toEqual([]);
  expect(await stateOf(id)).toEqual({ bodyText: 'lives in Tokyo', evidence: [first] });
});

it('forgets a state with what runs quote of it', async () => {
  const { agentId } = await world.agentInProject();
  const [event = ''] = await chatEvents(world, agentId, [{}]);
  const id = await aState(world, agentId, { bodyText: 'likes yuzu', evidence: [event] });
  await aRun(agentId, 'ret_state', { eventId: event, items: [{ state: id, snippet: 'likes yuzu' }] });
  await memory.deleteState(world.owner, { agentId, id });
  expect(await tablesWith(world, 'yuzu')).toEqual([]);
  expect(await snippetsOf('ret_state')).toEqual([]);
});

it('erases a project’s part, or everything of one agent and nothing of another', async () => {
  const { agentId, projectId } = await world.agentInProject();
  const other = await world.colleague({ agentId, projectId });
  const many = Array.from({ length: 450 }, (_, index) => ({ projectId, createdAt: secondsLater(index) }));
  await chatEvents(world, agentId, many);
  await chatEvents(world, agentId, [{ userText: 'general' }]);
  await chatEvents(world, other.agentId, [{ projectId, userText: 'another memory' }]);
  await aState(world, agentId, { projectId, bodyText: 'of the project' });
  const general = await aState(world, agentId, { bodyText: 'of no project' });
  await aRun(agentId, 'ret_erased', { items: [] });
  const counts = async () => {
    const { rows } = await world.database.pool.query<{ events: number; states: number; documents: number }>(
      `select (select count(*) from memory_events where agent_id = $1) as events,
        (select count(*) from memory_states where agent_id = $1) as states,
        (select count(*) from memory_documents where agent_id = $1) as documents`,
      [agentId],
    );
    return rows[0];
  };
  await memory.erase(world.owner, agentId, { projectId });
  expect(await counts()).toEqual({ events: 1, states: 1, documents: 2 });
  expect(await stateOf(general)).toBeDefined();
  await memory.erase(world.owner, agentId, {});
  expect(await counts()).toEqual({ events: 0, states: 0, documents: 0 });
  expect(await tablesWith(world, 'ret_erased')).toEqual([]);
  expect(await tablesWith(world, 'another memory')).toEqual(['memory_events']);
});
