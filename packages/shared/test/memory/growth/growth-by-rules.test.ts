import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryService } from '../../../src/core/memory/memory-service.ts';
import { ServiceWorld } from '../../../src/testing/service-world.ts';
import { AT, chatEvents, secondsLater } from '../stored-memory.ts';
import { grow } from './growth-support.ts';

let world: ServiceWorld;
let memories: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memories = new MemoryService(world.deps);
});
afterAll(() => world.close());

async function told(texts: readonly string[], more = {}) {
  const { agentId } = await world.agentInProject();
  const ids = await chatEvents(
    world,
    agentId,
    texts.map((userText, index) => ({
      userText,
      actor: 'Mika',
      createdAt: secondsLater(60 * index),
      ...more,
    })),
  );
  await grow(world, agentId);
  return { agentId, ids };
}

async function statesOf(agentId: string, kind: 'fact' | 'task' | 'long_mood_state' | 'summary') {
  const { states } = await memories.listStates(world.owner, agentId, { limit: 100, kind });
  return states;
}

it('what a person tells of itself becomes a fact with its evidence, and a revision made by rules', async () => {
  const { agentId, ids } = await told([
    'My favourite colour is blue. Do you like it?',
    '私は大阪に住んでいます。',
  ]);
  const facts = await statesOf(agentId, 'fact');
  expect(facts.map(({ bodyText, evidence, validTo }) => ({ bodyText, evidence, validTo }))).toEqual([
    { bodyText: '私は大阪に住んでいます。', evidence: [ids[1]], validTo: null },
    { bodyText: 'My favourite colour is blue.', evidence: [ids[0]], validTo: null },
  ]);
  const { revisions } = await memories.listRevisions(
    world.owner,
    { agentId, id: facts[0]?.id ?? '' },
    { limit: 10 },
  );
  expect(revisions).toMatchObject([{ op: 'upsert', madeBy: 'rules', evidence: [ids[1]], before: null }]);
});

it('what is told later ends what it contradicts; told again it is confirmed', async () => {
  const { agentId, ids } = await told([
    'My favourite colour is blue.',
    'Actually, my favourite colour is green, not blue.',
    'My favourite colour is green.',
  ]);
  const facts = await statesOf(agentId, 'fact');
  expect(facts.map(({ bodyText, evidence, validTo }) => ({ bodyText, evidence, validTo }))).toEqual([
    { bodyText: expect.stringContaining('green'), evidence: [ids[1], ids[2]], validTo: null },
    {
      bodyText: 'My favourite colour is blue.',
      evidence: [ids[0], ids[1]],
      validTo: secondsLater(60).toISOString(),
    },
  ]);
});

it('an event shows its time, names, threads, links and mood, and the memory a mood', async () => {
  const { agentId, ids } = await told([
    'I am so happy about the trip to Kyoto in 2019.',
    '京都の『南禅寺』がとても楽しかったです。去年も行きました。',
    'Kyoto again.',
  ]);
  const [first = '', second = '', third = ''] = ids;
  const of = (id: string) => memories.getEvent(world.owner, { agentId, id });
  expect(await of(first)).toMatchObject({
    annotation: { aboutYearStart: 2019, aboutYearEnd: 2019, madeBy: 'rules' },
    affect: { labels: ['joy'], vad: { v: 0.8 }, madeBy: 'rules' },
    threads: expect.arrayContaining([{ threadKey: 'kyoto', confidence: expect.any(Number) }]),
  });
  expect(await of(second)).toMatchObject({
    annotation: { aboutYearStart: 2025 },
    affect: { labels: ['joy'] },
  });
  expect((await of(third)).links).toContainEqual({
    fromEventId: third,
    toEventId: first,
    label: 'same_topic',
    confidence: expect.closeTo(0.6),
  });
  expect(await statesOf(agentId, 'long_mood_state')).toMatchObject([
    { bodyText: 'joy', payload: { baseline_vad: { v: expect.any(Number) } }, evidence: [first, second] },
  ]);
});

it('a task is done when the person says so', async () => {
  const { agentId } = await told(['Remind me to call the dentist tomorrow.', 'I called the dentist.']);
  expect(await statesOf(agentId, 'task')).toMatchObject([
    { payload: { status: 'done', due: '2026-01-03' }, validTo: secondsLater(60).toISOString() },
  ]);
});

it('what was imported is summarised, and is no fact of the person', async () => {
  const texts = [
    'My garden is full of roses.',
    'My garden has a new bench.',
    'The roses of my garden are red.',
  ];
  const { agentId } = await told(texts, { source: 'import', createdAt: AT });
  expect(await statesOf(agentId, 'fact')).toEqual([]);
  const summaries = await statesOf(agentId, 'summary');
  expect(summaries).toMatchObject([{ payload: { scope_type: 'person', scope_key: 'mika' } }]);
  expect(summaries[0]?.bodyText).toContain('roses');
});

it('the jobs are shown, and what is at rest shows none', async () => {
  const { agentId } = await world.agentInProject();
  const [id = ''] = await chatEvents(world, agentId, [{ userText: 'I like tea.' }]);
  const indexing = () => memories.indexing(world.owner, agentId, {});
  expect(await indexing()).toMatchObject({
    pendingJobs: 1,
    failedJobs: 0,
    jobs: [{ eventId: id, state: 'pending' }],
  });
  await grow(world, agentId);
  expect(await indexing()).toMatchObject({ pendingJobs: 0, failedJobs: 0, jobs: [] });
});
