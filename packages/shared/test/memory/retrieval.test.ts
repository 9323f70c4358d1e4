import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { searchMemoryBodySchema } from '../../src/contract/memory.ts';
import type { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { VECTOR_MS } from '../../src/core/memory/retrieval/vector-leg.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { retrievalOf, type Told, tell } from './memory-support.ts';

let world: ServiceWorld;
let memory: MemoryRetrieval;
let agentId: string;
let projectId: string;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memory = retrievalOf(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  ({ agentId, projectId } = await world.agentInProject());
});

type Part = Omit<Told, 'agentId'>;
const said = (...parts: Part[]) =>
  tell(
    world.database,
    parts.map((part) => ({ agentId, ...part })),
  );
const all = () => ({ agentId, projectId: undefined });
const search = (query: string, more: object = {}) =>
  memory.search(all(), searchMemoryBodySchema.parse({ query, ...more }));
const idsOf = async (query: string, more: object = {}) =>
  (await search(query, { expand: false, ...more })).items.map(({ id }) => id);

it('finds a word in another form, and Japanese by two characters and in the other kana', async () => {
  const [adopted, cat, apple] = await said(
    { text: 'We adopted two puppies last spring.', threadId: 'a' },
    { text: '昨日は猫カフェに行ってきました', threadId: 'b' },
    { text: 'りんごのジャムを作った', threadId: 'c' },
  );
  expect(await idsOf('When did they adopt a puppy?')).toEqual([adopted]);
  expect(await idsOf('猫')).toEqual([cat]);
  expect(await idsOf('カフェ')).toEqual([cat]);
  expect(await idsOf('かふぇはどこですか')).toEqual([cat]);
  expect(await idsOf('リンゴ')).toEqual([apple]);
});

it('a hit names its legs and comes with what was said before and after it, each event once', async () => {
  await said(
    { text: 'Where did you go on Sunday?', sourceRef: 'r1', actor: 'Mel' },
    { text: 'To the pottery workshop.', sourceRef: 'r2', actor: 'Caroline' },
    { text: 'Did you like it?', sourceRef: 'r3', actor: 'Mel' },
    { text: 'Something else entirely.', sourceRef: 'r4', actor: 'Caroline' },
  );
  const { items, degraded, runId } = await search('the pottery workshop of Caroline', { limit: 1 });
  expect(degraded).toEqual(['no_embedding']);
  expect(items[0]).toMatchObject({
    rank: 1,
    type: 'event',
    text: 'Mel: Where did you go on Sunday?\nCaroline: To the pottery workshop.\nMel: Did you like it?',
    sourceRefs: ['r2', 'r1', 'r3'],
  });
  expect(items[0]?.hitSources).toEqual(expect.arrayContaining(['words', 'neighbour', 'actor']));
  const refs = (await search('the pottery workshop')).items.flatMap(({ sourceRefs }) => sourceRefs);
  expect(new Set(refs).size).toBe(refs.length);
  const run = await memory.getRun(all(), runId);
  expect(run).toMatchObject({ planSource: 'rules', selectedSource: 'rank', errors: {} });
  expect(run?.selected?.[0]).toMatchObject({ type: 'event', event_id: items[0]?.id, state_id: null });
  expect(await memory.getRun({ agentId: 'another', projectId: undefined }, runId)).toBeNull();
  expect(await memory.getRun({ agentId, projectId }, runId)).toBeNull();
});

it('sees of a project only that project and what is general, and of other agents nothing', async () => {
  const other = await world.agentInProject();
  const [general, mine, theirs] = await said(
    { text: 'pottery in general' },
    { text: 'pottery here', projectId },
    { text: 'pottery elsewhere', projectId: other.projectId },
  );
  await tell(world.database, [{ agentId: other.agentId, text: 'pottery of another agent' }]);
  const seen = async (of: string | null | undefined) => {
    const body = searchMemoryBodySchema.parse({ query: 'pottery' });
    const { items } = await memory.search({ agentId, projectId: of }, body);
    return items.flatMap(({ sourceEvents }) => sourceEvents).toSorted();
  };
  expect(await seen(projectId)).toEqual([general, mine].toSorted());
  expect(await seen(null)).toEqual([general]);
  expect(await seen(undefined)).toEqual([general, mine, theirs].toSorted());
});

it('asOf hides what is later, as a hit and as a neighbour', async () => {
  const [before] = await said(
    { text: 'the pottery class is on Monday', at: '2026-05-01T00:00:00Z' },
    { text: 'the pottery class moved to Friday', at: '2026-05-09T00:00:00Z' },
  );
  const { items } = await search('pottery class', { asOf: '2026-05-08T00:00:00Z' });
  expect(items.map(({ sourceEvents }) => sourceEvents)).toEqual([[before]]);
});

it('of what contradicts itself the newer comes first', async () => {
  const [old, recent] = await said(
    { text: 'I live in Kyoto now', at: '2024-05-01T00:00:00Z', actor: 'Ann', threadId: 'a' },
    { text: 'nothing of the kind', at: '2025-05-01T00:00:00Z', threadId: 'b' },
    { text: 'I live in Osaka now', at: '2026-05-01T00:00:00Z', actor: 'Ann', threadId: 'c' },
  ).then(([first, , last]) => [first, last]);
  expect(await idsOf('Where does Ann live?')).toEqual([recent, old]);
});

it('finds by a named day what was said then, in both languages', async () => {
  const [, told] = await said(
    { text: 'breakfast was fine', at: '2025-03-02T09:00:00Z', threadId: 'a' },
    { text: 'a long walk by the river', at: '2025-08-14T09:00:00Z', threadId: 'b' },
    { text: 'the train was late', at: '2026-01-20T09:00:00Z', threadId: 'c' },
  );
  expect((await idsOf('What happened on 14 August 2025?'))[0]).toBe(told);
  expect((await idsOf('2025年8月14日は何をしましたか？'))[0]).toBe(told);
});

it('recalls before an answer, but not the event itself nor anything later', async () => {
  const [past, now] = await said(
    { text: 'my sister plays the cello', at: '2026-05-01T00:00:00Z', threadId: 'a' },
    { text: 'what does my sister play?', at: '2026-05-02T00:00:00Z', threadId: 'b' },
    { text: 'my sister plays the harp', at: '2026-05-03T00:00:00Z', threadId: 'c' },
  );
  const input = { text: 'what does my sister play?', clientId: 'client', ...(now && { eventId: now }) };
  const { pack, runId } = await memory.recall(all(), input);
  expect(pack.selected.map(({ event_id }) => event_id)).toEqual([past]);
  const run = await memory.getRun(all(), runId ?? '');
  expect(run).toMatchObject({ eventId: now, selectedSource: 'rank' });
});

it('keeps and recalls under an id only what that event says', async () => {
  const [before, hit] = await said(
    { text: `The password is ${'swordfish '.repeat(40)}` },
    { text: 'To the pottery workshop.' },
  );
  const own = { event_id: hit, snippet: 'To the pottery workshop.' };
  const { items, runId } = await search('the pottery workshop', { limit: 1 });
  expect(items[0]?.text).toContain('swordfish');
  expect((await memory.getRun(all(), runId))?.selected).toMatchObject([own]);
  const { pack } = await memory.recall(all(), { text: 'the pottery workshop', clientId: 'client' });
  expect(pack.selected).toContainEqual(expect.objectContaining(own));
  const others = pack.selected.filter(({ event_id: id }) => id !== before);
  expect(others.filter(({ snippet }) => snippet.includes('swordfish'))).toEqual([]);
});

it('finds nothing where nothing fits, and a question of stop words alone does no harm', async () => {
  await said({ text: 'the river was calm' });
  expect(await idsOf('zeppelin')).toEqual([]);
  expect(await idsOf('who are you?')).toEqual([]);
  expect(await idsOf('?!')).toEqual([]);
});

it('what is near by vectors is found beside the words, but never what the scope hides', async () => {
  const other = await world.agentInProject();
  const [near, , hidden] = await said(
    { text: 'We adopted two puppies', threadId: 'a' },
    { text: 'the tram was late', threadId: 'b' },
    { text: 'a kennel', projectId: other.projectId, threadId: 'c' },
  );
  const body = searchMemoryBodySchema.parse({ query: 'pets', expand: false });
  const scope = { agentId, projectId };
  const vectors = { weight: 0.5, find: async () => [hidden ?? '', near ?? '', 'evt_unknown'] };
  const found = await retrievalOf(world, { vectors }).search(scope, body);
  expect(found.items.map(({ id, hitSources }) => [id, hitSources])).toEqual([[near, ['vector']]]);
  expect(found.degraded).toEqual([]);
  const broken = { weight: 0.5, find: () => Promise.reject(new Error('no embedding today')) };
  const without = await retrievalOf(world, { vectors: broken }).search(scope, body);
  expect(without).toMatchObject({ items: [], degraded: ['embedding_failed'] });
});

it('a question that was asked often does not push out what was told', async () => {
  const [told] = await said({ text: 'My sister Hanako is allergic to peanuts.', threadId: 'told' });
  await said(
    ...Array.from({ length: 30 }, (_, n) => ({
      text: 'What did I tell you about my sister?',
      threadId: `asked-${n}`,
      at: `2026-${String(5 + (n % 3)).padStart(2, '0')}-09T10:${String(n).padStart(2, '0')}:00Z`,
    })),
  );
  const { pack } = await memory.recall(all(), {
    text: 'What did I tell you about my sister?',
    clientId: 'c',
  });
  expect(pack.selected.map(({ event_id: id }) => id)).toContain(told);
  // They are not hidden from who looks through all.
  expect(await idsOf('my sister', { limit: 100 })).toHaveLength(31);
});

it('of a word that very many memories hold the newest are found', async () => {
  await said(
    ...Array.from({ length: 400 }, (_, n) => ({
      text: `entry number ${n} of the catalogue about venus`,
      threadId: `entry-${n}`,
      at: '2026-01-09T10:00:00Z',
    })),
  );
  const [exact, moved] = await said(
    { text: 'venus', threadId: 'x', at: '2026-02-09T10:00:00Z' },
    { text: 'The observation of venus was moved to room nine', threadId: 'y', at: '2026-02-10T10:00:00Z' },
  );
  expect(await idsOf('venus', { limit: 2 })).toEqual([moved, exact]);
});

it('without expansion a turn beside a hit is no hit', async () => {
  const [, turtle] = await said(
    { text: 'Something about the weather.' },
    { text: 'The turtle is called Kame.' },
    { text: 'And then we had lunch.' },
  );
  expect(await idsOf('turtle')).toEqual([turtle]);
});

it('a collector that is late is left behind, and the run says so', async () => {
  const [told] = await said({ text: 'the pottery class' });
  const never = Promise.withResolvers<string[]>();
  const vectors = { weight: 0.5, find: () => never.promise };
  const stepMs = (step: string) => (step === 'vector' ? 100 : LONG_TIMEOUT_MS);
  const late = retrievalOf(world, { vectors, stepMs });
  const input = { text: 'pottery', clientId: 'client' };
  const { pack, degraded, runId } = await late.recall(all(), input);
  expect(pack.selected.map(({ event_id }) => event_id)).toEqual([told]);
  expect(degraded).toEqual(['collector_late']);
  expect(await late.getRun(all(), runId ?? '')).toMatchObject({ errors: { vector: 'late' } });
  // The budget of the caller ends it as well.
  const bounded = retrievalOf(world, { vectors, stepMs: () => Number.POSITIVE_INFINITY });
  const { runId: second } = await bounded.recall(all(), { ...input, budgetMs: 500 });
  expect((await bounded.getRun(all(), second ?? ''))?.errors).toMatchObject({ vector: 'late' });
  never.resolve([]);
});

it('a caller that waits for no model waits little for a vector', async () => {
  const [told] = await said({ text: 'the pottery class' });
  const vectors = { weight: 0.5, find: () => new Promise<string[]>(() => undefined) };
  const stepMs = (step: string) => (step === 'vector' ? undefined : LONG_TIMEOUT_MS);
  const memory = retrievalOf(world, { vectors, stepMs });
  const body = searchMemoryBodySchema.parse({ query: 'pottery' });
  const waited: number[] = [];
  // One of them a busy machine may stop.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { items, timings } = await memory.search(all(), body, { byRules: true });
    expect(items.map(({ id }) => id)).toEqual([told]);
    waited.push(timings.vector ?? Number.NaN);
  }
  expect(Math.min(...waited)).toBeLessThan(VECTOR_MS);
});
