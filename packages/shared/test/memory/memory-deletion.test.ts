import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import type { Selector } from '../../src/core/memory/retrieval/selection.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { retrievalOf } from './memory-support.ts';
import { AT, aState, chatEvents, secondsLater, tablesWith } from './stored-memory.ts';

let world: ServiceWorld;
let memory: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memory = new MemoryService(world.deps);
});
afterAll(() => world.close());

/** As growth would do it: the last event of the evidence changes where somebody lives. */
async function moved(
  stateId: string,
  [from, to]: readonly [string, string],
  evidence: readonly string[],
): Promise<void> {
  const said = (city: string) =>
    JSON.stringify({
      bodyText: `lives in ${city}`,
      payload: {},
      confidence: 1,
      validFrom: null,
      validTo: null,
      lastConfirmedAt: AT,
    });
  await world.database.db
    .updateTable('memoryStates')
    .set({ bodyText: `lives in ${to}`, evidence: [...evidence] })
    .where('id', '=', stateId)
    .execute();
  await world.database.db
    .insertInto('memoryRevisions')
    .values({
      stateId,
      at: AT,
      op: 'upsert',
      before: said(from),
      after: said(to),
      reason: 'moved',
      evidence: evidence.slice(-1),
      madeBy: 'model',
    })
    .execute();
}

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
      wordsOf: [...run.items.flatMap(({ event, state }) => event ?? state ?? [])],
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
  await moved(id, ['Tokyo', 'Quezon'], [first, second]);
  await memory.deleteEvent(world.owner, { agentId, id: second });
  expect(await tablesWith(world, 'quezon')).toEqual([]);
  expect(await stateOf(id)).toEqual({ bodyText: 'lives in Tokyo', evidence: [first] });
});

it('takes out of runs what a state said because of a deleted event', async () => {
  const { agentId } = await world.agentInProject();
  const [first = '', second = ''] = await chatEvents(world, agentId, [{}, { createdAt: secondsLater(1) }]);
  const id = await aState(world, agentId, { bodyText: 'lives in Tokyo', evidence: [first] });
  await moved(id, ['Tokyo', 'Bandung'], [first, second]);
  await aRun(agentId, 'ret_moved', { eventId: first, items: [{ state: id, snippet: 'lives in Bandung' }] });
  await memory.deleteEvent(world.owner, { agentId, id: second });
  expect(await tablesWith(world, 'bandung')).toEqual([]);
  expect(await snippetsOf('ret_moved')).toEqual([]);
});

it.each(['event', 'state'] as const)(
  'keeps nothing in a run of its %s that is deleted while it is made',
  async (type) => {
    const { agentId } = await world.agentInProject();
    const scope = { agentId, projectId: undefined };
    const [event = ''] = await chatEvents(world, agentId, [{ userText: 'the axolotl is pink' }]);
    const state = await aState(world, agentId, { bodyText: 'the axolotl is pink', evidence: [event] });
    const isFound = Promise.withResolvers<void>();
    const isDeleted = Promise.withResolvers<void>();
    const selector: Selector = async ({ candidates }) => {
      isFound.resolve();
      await isDeleted.promise;
      return { selected: candidates.map(({ id }) => (id === event ? { event_id: id } : { state_id: id })) };
    };
    const retrieval = retrievalOf(world, { selector });
    const recalled = retrieval.recall(scope, { text: 'which colour has the axolotl?', clientId: 'c' });
    await isFound.promise;
    if (type === 'event') await memory.deleteEvent(world.owner, { agentId, id: event });
    else await memory.deleteState(world.owner, { agentId, id: state });
    isDeleted.resolve();
    const { pack, runId } = await recalled;
    const left = type === 'event' ? [] : [event];
    expect(pack.selected.map(({ event_id: id }) => id)).toEqual(left);
    const run = await retrieval.getRun(scope, runId ?? '');
    expect(run?.selected?.map(({ event_id: id }) => id)).toEqual(left);
  },
);

it('keeps nothing that a model has said of a deleted event as its reason for another', async () => {
  const { agentId } = await world.agentInProject();
  const [kept = '', gone = ''] = await chatEvents(world, agentId, [
    { userText: 'a trip to Kyoto' },
    { userText: 'the numbat in Perth', createdAt: secondsLater(1) },
  ]);
  const selector: Selector = async () => ({
    selected: [{ type: 'event', event_id: kept, why: 'a trip as that to the numbat', snippet: '' }],
  });
  const retrieval = retrievalOf(world, { selector });
  const scope = { agentId, projectId: undefined };
  const [turn = ''] = await chatEvents(world, agentId, [
    { userText: 'the trip?', createdAt: secondsLater(2) },
  ]);
  const input = { text: 'the trip?', clientId: 'person', eventId: turn };
  const { runId } = await retrieval.recall(scope, input);
  const whys = async () => (await retrieval.getRun(scope, runId ?? ''))?.selected?.map(({ why }) => why);
  expect(await whys()).toEqual(['a trip as that to the numbat']);
  await memory.deleteEvent(world.owner, { agentId, id: gone });
  expect(await whys()).toEqual(['']);
  expect(await tablesWith(world, 'numbat')).toEqual([]);
});

it('keeps nothing that a state said when it was found, and does not say when its use is kept', async () => {
  const { agentId } = await world.agentInProject();
  const scope = { agentId, projectId: undefined };
  const [other = ''] = await chatEvents(world, agentId, [{ userText: 'we talked about homes' }]);
  const id = await aState(world, agentId, { bodyText: 'the home is in Bendigo' });
  const isFound = Promise.withResolvers<void>();
  const isChanged = Promise.withResolvers<void>();
  const selector: Selector = async () => {
    isFound.resolve();
    await isChanged.promise;
    return { selected: [{ state_id: id }, { event_id: other, why: 'about Bendigo' }] };
  };
  const retrieval = retrievalOf(world, { selector });
  const recalled = retrieval.recall(scope, { text: 'where is the home?', clientId: 'c' });
  await isFound.promise;
  await memory.updateState(world.owner, { agentId, id }, { bodyText: 'the home is elsewhere' });
  isChanged.resolve();
  const { pack } = await recalled;
  expect(pack.selected).toMatchObject([{ event_id: other, why: '' }]);
  expect(await tablesWith(world, 'bendigo')).toEqual(['memory_revisions']);
});

it('forgets a state with what runs quote of it', async () => {
  const { agentId } = await world.agentInProject();
  const [event = ''] = await chatEvents(world, agentId, [{}]);
  const id = await aState(world, agentId, { bodyText: 'likes yuzu', evidence: [event] });
  await aRun(agentId, 'ret_state', { eventId: event, items: [{ state: id, snippet: 'likes yuzu' }] });
  await memory.deleteState(world.owner, { agentId, id });
  expect(await tablesWith(world, 'likes yuzu')).toEqual([]);
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
