import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryOverview } from '../../../src/core/memory/memory-overview.ts';
import { ServiceWorld } from '../../../src/testing/service-world.ts';
import { chatEvents, secondsLater } from '../stored-memory.ts';

let world: ServiceWorld;
let overview: MemoryOverview;
beforeAll(async () => {
  world = await ServiceWorld.create();
  overview = new MemoryOverview(world.deps);
});
afterAll(() => world.close());

/** Two events of a project, a general one and one of another project, each with a feeling and a thread. */
async function felt() {
  const { agentId, projectId } = await world.agentInProject();
  const elsewhere = await world.agentInProject();
  const events = [
    { projectId, thread: 'garden', v: -0.8 },
    { projectId, thread: 'garden', v: 0.6 },
    { projectId: null, thread: 'house', v: 0.2 },
    { projectId: elsewhere.projectId, thread: 'secret', v: 1 },
  ];
  const ids = await chatEvents(
    world,
    agentId,
    events.map((event, index) => ({
      source: 'import',
      projectId: event.projectId,
      userText: `text ${index}`,
      createdAt: secondsLater(60 * index),
    })),
  );
  for (const [index, event] of events.entries()) {
    const of = {
      agentId,
      eventId: ids[index] ?? '',
      projectId: event.projectId,
      createdAt: secondsLater(60 * index),
    };
    await world.database.db
      .insertInto('memoryEventAffects')
      .values({
        ...of,
        id: `aff_${of.eventId}`,
        bodyText: 'felt',
        labels: [],
        v: event.v,
        a: 0,
        d: 0,
        confidence: 1,
        madeBy: 'rules',
      })
      .execute();
    await world.database.db
      .insertInto('memoryEventThreads')
      .values({ ...of, threadKey: event.thread, confidence: 1, madeBy: 'rules' })
      .execute();
  }
  await world.database.db
    .insertInto('memoryEventLinks')
    .values([
      { fromEventId: ids[1] ?? '', toEventId: ids[0] ?? '', label: 'continuation', madeBy: 'rules' },
      { fromEventId: ids[3] ?? '', toEventId: ids[0] ?? '', label: 'same_topic', madeBy: 'rules' },
    ])
    .execute();
  return { agentId, projectId, ids };
}

it('the mood is drawn from what the scope shows, the oldest first', async () => {
  const { agentId, projectId, ids } = await felt();
  const mood = await overview.mood(world.owner, agentId, { projectId });
  expect(mood.moments.map(({ eventId }) => eventId)).toEqual(ids.slice(0, 3));
  expect(mood.moments.map(({ felt: { v } }) => v)).toEqual([-0.8, 0.6, 0.2].map((v) => expect.closeTo(v)));
  expect(mood.moments[0]?.mood.v).toBeLessThan(0);
  expect(mood.now).not.toBeNull();
  expect((await overview.mood(world.owner, agentId, {})).moments).toHaveLength(4);
});

it('threads are those of the newest events of the scope, with the links between these', async () => {
  const { agentId, projectId, ids } = await felt();
  const seen = await overview.threads(world.owner, agentId, { projectId, limit: 100 });
  expect(seen.events.map(({ id, threadKeys }) => [id, threadKeys])).toEqual([
    [ids[0], ['garden']],
    [ids[1], ['garden']],
    [ids[2], ['house']],
  ]);
  expect(seen.links).toEqual([
    { fromEventId: ids[1], toEventId: ids[0], label: 'continuation', confidence: expect.any(Number) },
  ]);
  const newest = await overview.threads(world.owner, agentId, { projectId, limit: 1 });
  expect(newest.events.map(({ text }) => text)).toEqual(['text 2']);
});

it('a memory in which nothing has grown has neither', async () => {
  const { agentId } = await world.agentInProject();
  expect(await overview.mood(world.owner, agentId, {})).toEqual({ words: null, now: null, moments: [] });
  expect(await overview.threads(world.owner, agentId, { limit: 100 })).toEqual({ events: [], links: [] });
});
