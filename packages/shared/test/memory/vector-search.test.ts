import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import { completeEvent } from '../../src/core/memory/memory-store.ts';
import { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { tell } from './memory-support.ts';
import { aState, chatEvents, secondsLater } from './stored-memory.ts';
import { found, VectorWorld } from './vector-support.ts';

/* What is found by vectors, and what must not be. The words of a question and of its evidence have nothing in common. */

let world: ServiceWorld;
let vectors: VectorWorld;
let agentId: string;
let projectId: string;
beforeAll(async () => {
  world = await ServiceWorld.create();
  vectors = await VectorWorld.create(world);
});
beforeEach(async () => {
  await vectors.reset();
  ({ agentId, projectId } = await world.agentInProject());
});
afterAll(async () => {
  await vectors.close();
  await world.close();
});

const vectorsOf = async (agent: string) => {
  const { rows } = await world.database.pool.query(
    'select 1 from memory_vectors where agent_id = $1 and vector is not null',
    [agent],
  );
  return rows.length;
};

it('finds what says the same in other words, and without vectors does not', async () => {
  const [near] = await tell(world.database, [
    { agentId, text: 'The hound sleeps' },
    { agentId, text: 'We cooked broth' },
  ]);
  expect(await vectors.worker().runOnce()).toBe('done');
  const all = { agentId, projectId: undefined };
  const { byVector, degraded } = await found(vectors.memory(), all, 'puppy');
  expect([byVector[0], degraded]).toEqual([near, []]);
  expect(await found(new MemoryRetrieval(world.deps), all, 'puppy')).toEqual({
    ids: [],
    byVector: [],
    degraded: ['no_embedding'],
  });
});

it('embeds the date, who spoke, what was said, the caption and the state with its payload', async () => {
  await tell(world.database, [
    { agentId, text: 'hello', actor: 'Ann', caption: 'a cat', at: '2026-05-08T10:00:00Z' },
  ]);
  await aState(world, agentId, { bodyText: 'likes tea', payload: { cup: 'blue' } });
  await vectors.worker().runOnce();
  const texts = vectors.server.embedded.flatMap(({ texts: of }) => of);
  expect(texts).toContain('2026-05-08 · Ann\nhello\n[a cat]');
  expect(texts).toContain('fact: likes tea\n{"cup": "blue"}');
});

describe('what another may not see takes no place', () => {
  /** More than a search takes by vectors. */
  const MANY = 130;

  it('of another agent', async () => {
    const other = await world.agentInProject();
    await tell(
      world.database,
      Array.from({ length: MANY }, () => ({ agentId: other.agentId, text: 'puppy' })),
    );
    const [mine] = await tell(world.database, [{ agentId, text: 'a hound in the garden' }]);
    await vectors.worker().runOnce();
    const { ids } = await found(vectors.memory(), { agentId, projectId: undefined }, 'puppy');
    expect(ids).toEqual([mine]);
  });

  it('of another project', async () => {
    const other = await world.agentInProject();
    await tell(
      world.database,
      Array.from({ length: MANY }, () => ({ agentId, projectId: other.projectId, text: 'hound' })),
    );
    const [mine, general] = await tell(world.database, [
      { agentId, projectId, text: 'a hound in the garden of the house' },
      { agentId, projectId: null, text: 'a hound in the street beside many other things' },
    ]);
    await vectors.worker().runOnce();
    const memory = vectors.memory();
    expect((await found(memory, { agentId, projectId }, 'puppy')).byVector.sort()).toEqual(
      [mine, general].sort(),
    );
    expect((await found(memory, { agentId, projectId: null }, 'puppy')).byVector).toEqual([general]);
  });

  it('of a later time', async () => {
    await tell(
      world.database,
      Array.from({ length: MANY }, () => ({ agentId, text: 'hound', at: '2026-06-01T00:00:00Z' })),
    );
    const [early] = await tell(world.database, [
      { agentId, text: 'a hound in the garden', at: '2026-05-01T00:00:00Z' },
    ]);
    await vectors.worker().runOnce();
    const all = { agentId, projectId: undefined };
    const { ids } = await found(vectors.memory(), all, 'puppy', { asOf: '2026-05-02T00:00:00Z' });
    expect(ids).toEqual([early]);
  });

  it('what was deleted', async () => {
    const gone = await tell(
      world.database,
      Array.from({ length: MANY }, () => ({ agentId, text: 'hound' })),
    );
    const [left] = await tell(world.database, [{ agentId, text: 'a hound in the garden' }]);
    await vectors.worker().runOnce();
    const memory = vectors.memory();
    const all = { agentId, projectId: undefined };
    expect((await found(memory, all, 'puppy')).byVector).not.toContain(left);
    await world.database.pool.query('delete from memory_events where id = any($1)', [gone]);
    expect((await found(memory, all, 'puppy')).byVector).toEqual([left]);
  });
});

it('recall for an event finds by vectors, without that event and what came later', async () => {
  const [earlier = '', asked = ''] = await chatEvents(world, agentId, [
    { userText: 'the hound barks', threadId: 'a' },
    { userText: 'puppy', threadId: 'b', createdAt: secondsLater(5), clientId: 'another' },
    { userText: 'dog', threadId: 'c', createdAt: secondsLater(9), clientId: 'third' },
  ]);
  await vectors.worker().runOnce();
  const memory = vectors.memory();
  const recall = async () =>
    memory.recall({ agentId, projectId: undefined }, { text: 'puppy', clientId: 'another', eventId: asked });
  let recollection = await recall();
  while (recollection.degraded.includes('collector_late')) recollection = await recall();
  expect(recollection.pack.selected.map(({ event_id: id }) => id)).toEqual([earlier]);
  expect(recollection.pack.selected[0]?.why).toContain('vector');
});

it('a vector goes with its event, its state and its whole memory', async () => {
  const memories = new MemoryService(world.deps);
  const [event = ''] = await chatEvents(world, agentId, [{ projectId, userText: 'hound' }]);
  const state = await aState(world, agentId, { projectId, bodyText: 'has a puppy', evidence: [event] });
  await aState(world, agentId, { projectId, bodyText: 'has a car' });
  await vectors.worker().runOnce();
  expect(await vectorsOf(agentId)).toBe(3);
  await memories.deleteState(world.owner, { agentId, id: state });
  expect(await vectorsOf(agentId)).toBe(2);
  await memories.deleteEvent(world.owner, { agentId, id: event });
  expect(await vectorsOf(agentId)).toBe(1);
  await memories.erase(world.owner, agentId, {});
  expect(await vectorsOf(agentId)).toBe(0);
});

it('what was edited loses its vector at once, and is found by what it says now', async () => {
  const memories = new MemoryService(world.deps);
  const state = await aState(world, agentId, { bodyText: 'has a hound' });
  const worker = vectors.worker();
  await worker.runOnce();
  const memory = vectors.memory();
  const all = { agentId, projectId: undefined };
  expect((await found(memory, all, 'puppy')).ids).toEqual([state]);
  await memories.updateState(world.owner, { agentId, id: state }, { bodyText: 'has an automobile' });
  expect(await vectorsOf(agentId)).toBe(0);
  expect((await found(memory, all, 'puppy')).ids).toEqual([]);
  await worker.runOnce();
  expect(await vectorsOf(agentId)).toBe(1);
  expect((await found(memory, all, 'car')).ids).toEqual([state]);
});

it('an event is embedded again when its reply is written', async () => {
  const [event = ''] = await chatEvents(world, agentId, [
    { userText: 'what is that?', assistantState: 'partial' },
  ]);
  const worker = vectors.worker();
  await worker.runOnce();
  await world.database.transaction((tx) =>
    completeEvent(tx, event, { assistantText: 'a hound', assistantState: 'complete' }),
  );
  expect(await vectorsOf(agentId)).toBe(0);
  await worker.runOnce();
  const { byVector } = await found(vectors.memory(), { agentId, projectId: undefined }, 'puppy');
  expect(byVector).toEqual([event]);
});

it('the same search again asks the model once', async () => {
  await tell(world.database, [{ agentId, text: 'hound' }]);
  await vectors.worker().runOnce();
  const memory = vectors.memory();
  const all = { agentId, projectId: undefined };
  vectors.server.embedded.length = 0;
  await Promise.all([found(memory, all, 'puppy'), found(memory, all, 'puppy')]);
  await found(memory, all, 'puppy');
  expect(vectors.server.embedded).toEqual([{ model: 'model-a', texts: ['puppy'] }]);
});
