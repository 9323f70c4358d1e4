import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GrowthDeps } from '../../../src/core/memory/growth/grow-agent.ts';
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

it('an event that a summary or the mood has left behind takes its words out of their history', async () => {
  const { agentId } = await world.agentInProject();
  const told = async (from: number, texts: readonly string[]) => {
    const at = (index: number) => secondsLater(60 * (from + index));
    const ids = await chatEvents(
      world,
      agentId,
      texts.map((userText, index) => ({ userText, actor: 'Mika', createdAt: at(index) })),
    );
    const grower: GrowthDeps['grower'] = async ({ event }) => ({
      event_annotations: { entities: [{ type: 'place', name: 'Lodge', confidence: 1 }] },
      event_affect: {
        moment_affect_labels: [event.userText?.includes('Xylofant') ? 'xylofantic' : 'calm'],
        moment_affect_score_vad: { v: 0.5, a: 0, d: 0 },
      },
    });
    await grow(world, agentId, { grower });
    return ids;
  };
  const [first = ''] = await told(0, [
    'At the Lodge I saw a Xylofant.',
    ...Array.from({ length: 5 }, (_, n) => `At the Lodge it rained on day ${n}.`),
  ]);
  await told(
    10,
    Array.from({ length: 44 }, (_, n) => `At the Lodge we had dinner number ${n}.`),
  );
  expect(await tablesWith(world, 'xylofant')).toEqual([
    'memory_event_affects',
    'memory_events',
    'memory_revisions',
  ]);
  await memories.deleteEvent(world.owner, { agentId, id: first });
  expect(await tablesWith(world, 'xylofant')).toEqual([]);
  await grow(world, agentId);
  const { states } = await memories.listStates(world.owner, agentId, { limit: 100 });
  expect(new Set(states.map(({ kind }) => kind))).toEqual(new Set(['summary', 'long_mood_state']));
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

type Plan = (seen: {
  readonly said: string;
  readonly ids: readonly string[];
  /** The id of a state that is known already. */
  readonly known: string | null;
}) => readonly object[];

/** Grows by a model that answers with these updates. */
async function grownByModel(texts: readonly string[], plan: Plan, more: Partial<GrowthDeps> = {}) {
  const { agentId } = await world.agentInProject();
  const ids = await chatEvents(
    world,
    agentId,
    texts.map((userText, index) => ({ userText, actor: 'Mika', createdAt: secondsLater(60 * index) })),
  );
  const grower: GrowthDeps['grower'] = async ({ event, states }) => ({
    state_updates: plan({ said: event.userText ?? '', ids, known: states[0]?.id ?? null }),
  });
  await grow(world, agentId, { ...more, grower });
  return { agentId, ids };
}

const fact = (body_text: string, more: object = {}) => ({
  op: 'upsert',
  state_id: null,
  kind: 'fact',
  body_text,
  confidence: 1,
  ...more,
});

const factsOf = async (agentId: string) =>
  (await memories.listStates(world.owner, agentId, { limit: 100, kind: 'fact' })).states.map(
    ({ bodyText, validTo }) => [bodyText, validTo === null],
  );

it('the words of an event go with it, also when the state names another one as its evidence', async () => {
  const { agentId, ids } = await grownByModel(['I moved.', 'To Quetzalburg.'], ({ said, ids: [first] }) =>
    said.startsWith('To') ? [fact('Mika moved to Quetzalburg', { evidence_event_ids: [first] })] : [],
  );
  await memories.deleteEvent(world.owner, { agentId, id: ids[1] ?? '' });
  expect(await tablesWith(world, 'quetzalburg')).toEqual([]);
  expect(await factsOf(agentId)).toEqual([]);
});

it('of two states that were merged the other one holds again when the first one is forgotten', async () => {
  const { agentId, ids } = await grownByModel(
    [...Array.from({ length: 8 }, () => 'Hm.'), 'My cat Nimbus is black.', 'The cat: black, named Nimbusko.'],
    ({ said }) =>
      said.startsWith('My')
        ? [fact('Mika has a black cat with the name Nimbus')]
        : said.startsWith('The')
          ? [fact('Mika has a black cat with the name Nimbusko')]
          : [],
    { merger: async (pairs) => pairs },
  );
  expect((await factsOf(agentId)).toSorted()).toEqual([
    ['Mika has a black cat with the name Nimbus', false],
    ['Mika has a black cat with the name Nimbusko', true],
  ]);
  await memories.deleteEvent(world.owner, { agentId, id: ids[9] ?? '' });
  expect(await tablesWith(world, 'nimbusko')).toEqual([]);
  expect(await factsOf(agentId)).toEqual([['Mika has a black cat with the name Nimbus', true]]);
});

it('of a state that more events have changed than it names each takes its words with it', async () => {
  const words = Array.from({ length: 45 }, (_, index) => `Krokant${index}x`);
  const { agentId, ids } = await grownByModel(words, ({ said, known }) => [
    fact(`Mika likes ${said}`, { state_id: known }),
  ]);
  expect(await factsOf(agentId)).toEqual([['Mika likes Krokant44x', true]]);
  for (const index of [0, 1, 20, 5]) {
    await memories.deleteEvent(world.owner, { agentId, id: ids[index] ?? '' });
    expect(await tablesWith(world, `krokant${index}x`)).toEqual([]);
  }
  expect(await factsOf(agentId)).toEqual([['Mika likes Krokant44x', true]]);
});

it('a plan that a model made of what is deleted meanwhile is made anew', async () => {
  const { agentId } = await world.agentInProject();
  const [first = ''] = await chatEvents(world, agentId, [
    { userText: 'My dentist is Vexlingham.' },
    { userText: 'She was late.', createdAt: secondsLater(1) },
  ]);
  const asked: string[] = [];
  const grower: GrowthDeps['grower'] = async ({ event, before, states }) => {
    asked.push(event.userText ?? '');
    if (event.id === first) return { state_updates: [fact('The dentist is Vexlingham')] };
    const known = [...before.map(({ userText }) => userText), ...states.map(({ bodyText }) => bodyText)];
    if (asked.length === 2) await memories.deleteEvent(world.owner, { agentId, id: first });
    return { state_updates: [fact(`Someone was late: ${known.join()}`, { evidence_event_ids: [first] })] };
  };
  await grow(world, agentId, { grower });
  expect(asked).toEqual(['My dentist is Vexlingham.', 'She was late.', 'She was late.']);
  expect(await tablesWith(world, 'vexlingham')).toEqual([]);
  expect(await factsOf(agentId)).toEqual([['Someone was late:', true]]);
});
