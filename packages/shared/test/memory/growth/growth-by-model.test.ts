import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryService } from '../../../src/core/memory/memory-service.ts';
import { ModelError } from '../../../src/platform/models/model-ports.ts';
import { ServiceWorld } from '../../../src/testing/service-world.ts';
import { aState, chatEvents, secondsLater } from '../stored-memory.ts';
import { grow } from './growth-support.ts';

let world: ServiceWorld;
let memories: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memories = new MemoryService(world.deps);
});
afterAll(() => world.close());

const upsert = {
  op: 'upsert',
  state_id: null,
  kind: 'fact',
  body_text: 'Mika has a cat',
  payload: {},
  confidence: 0.9,
};

async function told(plan: unknown, userText = 'Tama is my cat.') {
  const { agentId } = await world.agentInProject();
  const [id = ''] = await chatEvents(world, agentId, [{ userText, actor: 'Mika' }]);
  await grow(world, agentId, { grower: async () => plan });
  const { states } = await memories.listStates(world.owner, agentId, { limit: 100 });
  const { rows } = await world.database.pool.query(
    `select state, dropped, made_by from memory_growth where event_id = $1`,
    [id],
  );
  return { agentId, id, states, job: rows[0] };
}

it('a plan of a model is applied, and says so', async () => {
  const { agentId, id, states, job } = await told({
    event_annotations: {
      about_year_start: 2019,
      life_stage: 'work',
      entities: [{ type: 'person', name: 'Tama', confidence: 1 }],
    },
    state_updates: [{ ...upsert, evidence_event_ids: [], reason: 'said so' }],
    event_affect: {
      moment_affect_text: 'glad',
      moment_affect_labels: ['joy'],
      moment_affect_score_vad: { v: 1, a: 0, d: 0 },
      moment_affect_confidence: 1,
    },
    context_updates: { threads: [{ thread_key: 'Cats', confidence: 1 }], links: [] },
  });
  expect(job).toEqual({ state: 'applied', dropped: [], made_by: 'model' });
  expect(states.find(({ kind }) => kind === 'fact')).toMatchObject({
    bodyText: 'Mika has a cat',
    evidence: [id],
  });
  expect(await memories.getEvent(world.owner, { agentId, id })).toMatchObject({
    annotation: { aboutYearStart: 2019, aboutYearEnd: 2019, lifeStage: 'work', madeBy: 'model' },
    threads: [{ threadKey: 'cats' }],
    affect: { labels: ['joy'], madeBy: 'model' },
    entities: [{ type: 'person', name: 'Tama' }],
  });
});

it.each([
  ['no object', 'rubbish'],
  ['a list', []],
  [
    'an object of rubbish',
    {
      state_updates: 'x',
      event_annotations: 7,
      event_affect: [],
      context_updates: { threads: {}, links: 1 },
    },
  ],
])('of a plan that is rubbish nothing is applied, and that is noted: %s', async (_, plan) => {
  const { states, job } = await told(plan);
  expect(states).toEqual([]);
  expect(job.state).toBe('applied');
  expect(Array.isArray(plan) ? ['plan: is no object'] : job.dropped).not.toEqual([]);
});

it('of a plan that is half right the right half is applied', async () => {
  const { states, job } = await told({
    state_updates: [
      null,
      { ...upsert, op: 'explode' },
      { ...upsert, confidence: 17, valid_from_ts: 'never', body_text: 'Tama is a cat\u0000' },
      { ...upsert, kind: 'summary' },
      { ...upsert, body_text: '' },
    ],
    event_affect: { moment_affect_score_vad: { v: 'high' } },
  });
  expect(states.filter(({ kind }) => kind === 'fact')).toMatchObject([
    { bodyText: 'Tama is a cat\ufffd', confidence: 1 },
  ]);
  expect(job.dropped).toEqual([
    expect.stringMatching(/^state_updates\[0\]/),
    expect.stringMatching(/^state_updates\[1\]/),
    expect.stringContaining('has no body_text'),
    expect.stringContaining('is a summary of no scope'),
  ]);
});

it('a plan about foreign ids changes nothing of others, and applies the rest', async () => {
  const other = await world.agentInProject();
  const [foreignEvent = ''] = await chatEvents(world, other.agentId, [{ userText: 'secret' }]);
  const foreignState = await aState(world, other.agentId, { bodyText: 'secret' });
  const before = await memories.listStates(world.owner, other.agentId, { limit: 10 });
  const { id, states, job } = await told({
    state_updates: [
      { ...upsert, op: 'close', state_id: foreignState },
      { ...upsert, op: 'mark_done', state_id: 'sta_none' },
      { ...upsert, evidence_event_ids: [foreignEvent, 'evt_none', 7] },
    ],
    context_updates: { links: [{ to_event_id: foreignEvent, label: 'same_topic', confidence: 1 }] },
  });
  expect(states).toMatchObject([{ bodyText: 'Mika has a cat', evidence: [id] }]);
  expect(await memories.listStates(world.owner, other.agentId, { limit: 10 })).toEqual(before);
  expect(job.dropped).toHaveLength(4);
  const { rowCount } = await world.database.pool.query(
    `select from memory_event_links where from_event_id = $1`,
    [id],
  );
  expect(rowCount).toBe(0);
});

it('an id that Postgres could not store costs its element only', async () => {
  const { id, states, job } = await told({
    state_updates: [
      { ...upsert, op: 'close', state_id: 'sta_\u0000' },
      { ...upsert, evidence_event_ids: ['evt_\u0000', 'evt_\ud800'] },
    ],
    context_updates: { links: [{ to_event_id: 'evt_\udc00', label: 'same_topic', confidence: 1 }] },
  });
  expect(job.state).toBe('applied');
  expect(states).toMatchObject([{ bodyText: 'Mika has a cat', evidence: [id] }]);
  expect(job.dropped).not.toEqual([]);
});

it('a name that grows when it is normalised is cut to what an index holds', async () => {
  // Each is eighteen characters afterwards, and no two of the others are alike: nothing of it can be packed.
  const key = Array.from({ length: 60 }, (_, n) => `\ufdfa${String.fromCodePoint(0x4e00 + 37 * n)}`).join('');
  const { job } = await told({
    state_updates: [upsert],
    context_updates: { threads: [{ thread_key: key, confidence: 1 }] },
    event_annotations: { entities: [{ type: 'topic', name: key, confidence: 1 }] },
  });
  expect(job.state).toBe('applied');
  const { rows } = await world.database.pool.query(
    `select max(length(thread_key))::int as longest from memory_event_threads`,
  );
  expect(rows[0].longest).toBeLessThanOrEqual(120);
});

it('what a state holds does not grow without end with what is added to it', async () => {
  const { agentId } = await world.agentInProject();
  const events = Array.from({ length: 12 }, (_, n) => ({ userText: `${n}`, createdAt: secondsLater(n) }));
  await chatEvents(world, agentId, events);
  await grow(world, agentId, {
    grower: async ({ event, states: [known] }) => ({
      state_updates: [
        {
          ...upsert,
          state_id: known?.id ?? null,
          body_text: `said ${event.userText}`,
          payload: { [`k${event.userText}`]: 'x'.repeat(3_900) },
        },
      ],
    }),
  });
  const { states } = await memories.listStates(world.owner, agentId, { limit: 10, kind: 'fact' });
  expect(states).toMatchObject([{ bodyText: 'said 11', payload: { k0: expect.anything() } }]);
  expect(JSON.stringify(states[0]?.payload).length).toBeLessThan(10_000);
  const { rows } = await world.database.pool.query(
    `select sum(jsonb_array_length(dropped))::int as dropped from memory_growth where agent_id = $1`,
    [agentId],
  );
  expect(rows[0].dropped).toBe(10);
});

it('of a plan of a megabyte what is right is applied, cut to its size', async () => {
  const long = 'ねこ'.repeat(250_000);
  const { states, job } = await told({
    event_annotations: { entities: [{ type: 'topic', name: long, confidence: 1 }] },
    state_updates: [
      { ...upsert, body_text: long, payload: { long } },
      ...Array.from({ length: 3_000 }, (_, n) => ({
        ...upsert,
        body_text: `fact ${n}`,
        reason: long.slice(0, 100),
      })),
    ],
  });
  expect(states).toHaveLength(40);
  expect(Math.max(...states.map(({ bodyText }) => bodyText.length))).toBe(1_200);
  expect(job.dropped.length).toBeGreaterThan(1);
  expect(JSON.stringify(job.dropped).length).toBeLessThan(20_000);
});

it('an event that fails five times is parked, does not stop the others, and grows when it is retried', async () => {
  const { agentId } = await world.agentInProject();
  const [bad = '', good = ''] = await chatEvents(world, agentId, [
    { userText: 'bad' },
    { userText: 'good', createdAt: secondsLater(1) },
  ]);
  let isFailing = true;
  let asked = 0;
  const grower = async ({ event }: { event: { id: string } }) => {
    if (event.id !== bad || !isFailing) return { state_updates: [upsert] };
    asked += 1;
    throw new ModelError('invalid', 'no plan');
  };
  expect(await grow(world, agentId, { grower })).toBe(1);
  expect(asked).toBe(5);
  const indexing = () => memories.indexing(world.owner, agentId, {});
  expect(await indexing()).toMatchObject({
    pendingJobs: 0,
    failedJobs: 1,
    jobs: [
      {
        eventId: bad,
        state: 'parked',
        attempts: 5,
        error: { step: 'plan', code: 'invalid_plan', message: 'no plan' },
      },
    ],
  });
  isFailing = false;
  expect(await memories.retryGrowth(world.owner, { agentId, id: bad })).toMatchObject({
    state: 'pending',
    attempts: 0,
  });
  expect(await grow(world, agentId, { grower })).toBe(1);
  expect(await indexing()).toMatchObject({ pendingJobs: 0, failedJobs: 0, jobs: [] });
  const { states } = await memories.listStates(world.owner, agentId, { limit: 10 });
  expect(states.map(({ evidence }) => evidence)).toEqual([[good], [bad]]);
});
