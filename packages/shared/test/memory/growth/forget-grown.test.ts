import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryService } from '../../../src/core/memory/memory-service.ts';
import { ServiceWorld } from '../../../src/testing/service-world.ts';
import { chatEvents, secondsLater, tablesWith } from '../stored-memory.ts';
import { grow, rowsOf } from './growth-support.ts';

let world: ServiceWorld;
let memories: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memories = new MemoryService(world.deps);
});
afterAll(() => world.close());

async function grown(texts: readonly string[]) {
  const { agentId } = await world.agentInProject();
  const ids = await chatEvents(
    world,
    agentId,
    texts.map((userText, index) => ({ userText, actor: 'Mika', createdAt: secondsLater(60 * index) })),
  );
  await grow(world, agentId);
  return { agentId, ids };
}

it('with an event goes everything that has grown out of it, and a summary is made anew without it', async () => {
  const { agentId, ids } = await grown([
    'I am so happy that my favourite colour is Zinnober.',
    'My garden is full of roses.',
    'The roses of my garden are red and white.',
    'Zinnober is the colour of my garden and its roses.',
    'My garden has a bench under the roses.',
  ]);
  expect(await tablesWith(world, 'zinnober')).toContain('memory_event_threads');
  for (const id of [ids[0] ?? '', ids[3] ?? '']) await memories.deleteEvent(world.owner, { agentId, id });
  expect(await tablesWith(world, 'zinnober')).toEqual([]);
  await grow(world, agentId);
  const { states } = await memories.listStates(world.owner, agentId, { limit: 100, kind: 'summary' });
  expect(states.map(({ bodyText }) => bodyText).join()).toContain('roses');
  expect(await tablesWith(world, 'zinnober')).toEqual([]);
  const moods = await memories.listStates(world.owner, agentId, { limit: 10, kind: 'long_mood_state' });
  expect(moods.states).toEqual([]);
});

it('a fact that was contradicted holds again when what contradicted it is forgotten', async () => {
  const { agentId, ids } = await grown(['I live in Osaka.', 'I moved to Kyoto.']);
  const homes = async () =>
    (await memories.listStates(world.owner, agentId, { limit: 10, kind: 'fact' })).states.map(
      ({ bodyText, validTo }) => [bodyText, validTo === null],
    );
  expect(await homes()).toEqual([
    ['I moved to Kyoto.', true],
    ['I live in Osaka.', false],
  ]);
  await memories.deleteEvent(world.owner, { agentId, id: ids[1] ?? '' });
  expect(await homes()).toEqual([['I live in Osaka.', true]]);
});

it('nothing is left of a memory that is erased', async () => {
  const { agentId } = await grown([
    'I like Kumquat.',
    'Kumquat makes me happy.',
    'Remind me to buy Kumquat tomorrow.',
  ]);
  await memories.erase(world.owner, agentId, {});
  expect(await tablesWith(world, 'kumquat')).toEqual([]);
  const rows = await rowsOf(world.database, agentId);
  expect(Object.values(rows).flat()).toEqual([]);
});
