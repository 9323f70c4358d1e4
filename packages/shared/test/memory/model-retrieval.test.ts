import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeOpenAi, type FakeRefusal, type FakeReply } from '../../../../tests/fixtures/fake-openai.ts';
import type { RetrievalRun, SearchPlan } from '../../src/contract/memory.ts';
import type { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { modelPlanner } from '../../src/core/memory/retrieval/model-planner.ts';
import { modelSelector } from '../../src/core/memory/retrieval/model-selector.ts';
import type { LanguageModel } from '../../src/platform/models/model-ports.ts';
import { openModels } from '../../src/platform/models/models.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { retrievalOf, tell } from './memory-support.ts';

const PLAN: SearchPlan = {
  mode: 'targeted_broad',
  queries: ['Kyoto'],
  time_hint: { about_year_start: null, about_year_end: null, life_stage_hint: '' },
  diversify: { by: [], per_bucket: 5 },
  limits: { max_candidates: 200, max_selected: 3 },
};

let world: ServiceWorld;
let server: FakeOpenAi;
let language: LanguageModel;
let memory: MemoryRetrieval;
let agentId: string;
let answers: Record<string, FakeReply | FakeRefusal>;
let kyoto: string;
beforeAll(async () => {
  world = await ServiceWorld.create();
  server = await FakeOpenAi.start(({ schema = '' }) => answers[schema] ?? { status: 500 });
  const models = openModels({
    language: { provider: 'openai-compatible', baseUrl: server.baseUrl, model: 'm' },
  });
  if (!models.language) throw new Error('not configured');
  language = models.language;
  await language.warm();
  memory = retrievalOf(world, {
    planner: modelPlanner(language, LONG_TIMEOUT_MS),
    selector: modelSelector(language, LONG_TIMEOUT_MS),
  });
});
afterAll(async () => {
  await server.close();
  await world.close();
});
beforeEach(async () => {
  ({ agentId } = await world.agentInProject());
  const [first = ''] = await tell(world.database, [
    { agentId, text: 'We saw the temples of Kyoto in the rain.', threadId: 'a' },
    { agentId, text: 'The cat sleeps on the sofa.', threadId: 'b' },
  ]);
  kyoto = first;
  server.requests.length = 0;
  answers = { SearchPlan: value(PLAN), SearchResultPack: chosen(kyoto) };
});

const value = (json: unknown): FakeReply => ({ text: JSON.stringify(json) });
const chosen = (...ids: string[]) =>
  value({
    selected: ids.map((id) => ({
      type: 'event',
      event_id: id,
      state_id: null,
      affect_id: null,
      why: 'the trip',
      snippet: 'temples of Kyoto',
    })),
  });

/** Waits for this step as long as the product does. */
const impatientAt = (impatient: 'plan' | 'selection') =>
  retrievalOf(world, {
    planner: modelPlanner(language),
    selector: modelSelector(language),
    stepMs: (step) => (step === impatient ? undefined : LONG_TIMEOUT_MS),
  });

async function recall(by = memory): Promise<{ ids: (string | null)[]; run: RetrievalRun; ms: number }> {
  const scope = { agentId, projectId: undefined };
  const startedAt = performance.now();
  const { runId, pack } = await by.recall(scope, { text: 'Where were we on that trip?', clientId: 'c' });
  const ms = performance.now() - startedAt;
  const run = await by.getRun(scope, runId ?? '');
  if (!run) throw new Error('the run was not kept');
  return { ids: pack.selected.map(({ event_id: id }) => id), run, ms };
}

it('asks no model for a caller that cannot wait for one', async () => {
  const scope = { agentId, projectId: undefined };
  const input = { text: 'the temples of Kyoto', clientId: 'c', byRules: true };
  const { runId, pack } = await memory.recall(scope, input);
  expect(server.requests).toEqual([]);
  expect(pack.selected[0]?.event_id).toBe(kyoto);
  expect(await memory.getRun(scope, runId ?? '')).toMatchObject({
    planSource: 'rules',
    selectedSource: 'rank',
  });
});

it('searches by the plan of the model, and gives what the model chose', async () => {
  const { ids, run } = await recall();
  expect(server.requests.map(({ schema }) => schema)).toEqual(['SearchPlan', 'SearchResultPack']);
  expect(ids).toEqual([kyoto]);
  expect(run).toMatchObject({ planSource: 'model', plan: PLAN, selectedSource: 'model', errors: {} });
  expect(run.selected).toMatchObject([{ why: 'the trip', snippet: 'temples of Kyoto' }]);
});

it('keeps the run with its plan before the selection is asked for', async () => {
  const kept: unknown[] = [];
  const plain = server.script;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.script = (request, index) => {
    if (request.schema !== 'SearchResultPack') return plain(request, index);
    const read = async () => {
      const runs = () =>
        world.database.db.selectFrom('retrievalRuns').selectAll().where('agentId', '=', agentId).execute();
      await expect.poll(async () => (await runs()).length).toBe(1);
      kept.push(...(await runs()));
      resolve();
    };
    void read();
    return { ...chosen(kyoto), until: promise };
  };
  await recall();
  server.script = plain;
  expect(kept).toMatchObject([{ planSource: 'model', selected: null, selectedSource: null }]);
});

it('takes the years that the model names', async () => {
  const [old = ''] = await tell(world.database, [
    { agentId, text: 'Graduation day.', at: '2011-03-20T00:00:00Z' },
  ]);
  const time_hint = { about_year_start: 2011, about_year_end: 2011, life_stage_hint: 'university' as const };
  answers.SearchPlan = value({ ...PLAN, mode: 'explicit_about_time', time_hint });
  answers.SearchResultPack = chosen(old);
  const { ids, run } = await recall();
  expect(run.candidates.about_time).toBe(1);
  expect(ids).toEqual([old]);
});

describe('a plan', () => {
  it.each<[string, FakeReply | FakeRefusal, string]>([
    ['that is no JSON', { text: 'I would look for Kyoto.' }, 'failed'],
    ['that is empty', { text: '' }, 'failed'],
    ['that is a list', { text: '[1, 2]' }, 'failed'],
    ['of a server with a fault', { status: 503 }, 'failed'],
    ['that is cut', { text: 'x', ending: 'cut' }, 'failed'],
  ])('%s is replaced by the rules, and the run says so', async (_what, answer, error) => {
    answers.SearchPlan = answer;
    const { run } = await recall();
    expect(run).toMatchObject({ planSource: 'rules', errors: { plan: error }, selectedSource: 'model' });
  });

  it('that does not come in time is not waited for', async () => {
    answers.SearchPlan = { ending: 'silence' };
    const { run, ms } = await recall(impatientAt('plan'));
    expect(run.planSource).toBe('rules');
    expect(run.errors.plan).toMatch(/late|failed/);
    expect(ms).toBeLessThan(10_000);
  });

  it('is clamped, and what is wrong in it costs that only', async () => {
    answers.SearchPlan = value({
      mode: 'something',
      queries: ['Kyoto', 5, '', 'a', 'b', 'c', 'd', 'e'],
      time_hint: { about_year_start: 'x', about_year_end: 99_999, life_stage_hint: 'baby' },
      diversify: { by: ['life_stage', 'moon'], per_bucket: 9_000 },
      limits: { max_candidates: 1_000_000, max_selected: -3 },
      more: true,
    });
    const { run } = await recall();
    expect(run.planSource).toBe('model');
    expect(run.plan).toMatchObject({
      queries: ['Kyoto', 'a', 'b', 'c', 'd'],
      time_hint: { about_year_start: null, about_year_end: null, life_stage_hint: '' },
      diversify: { by: ['life_stage'], per_bucket: 50 },
      limits: { max_candidates: 200, max_selected: 1 },
    });
  });
});

describe('a selection', () => {
  it.each<[string, FakeReply | FakeRefusal, string]>([
    ['that is no JSON', { text: 'the first one' }, 'failed'],
    ['without a list', { text: '{"selected":"all"}' }, 'failed'],
    ['of a server with a fault', { status: 429 }, 'failed'],
    ['of ids that never were candidates', chosen('evt_of_somebody_else'), 'unknown_ids'],
  ])('%s is replaced by the ranking, and the run says so', async (_what, answer, error) => {
    answers.SearchResultPack = answer;
    const { ids, run } = await recall();
    expect(run).toMatchObject({ selectedSource: 'rank', errors: { selection: error } });
    expect(ids).toContain(kyoto);
  });

  it('that does not come in time is not waited for', async () => {
    answers.SearchResultPack = { ending: 'silence' };
    const { run, ms } = await recall(impatientAt('selection'));
    expect(run.selectedSource).toBe('rank');
    expect(run.errors.selection).toMatch(/late|failed/);
    expect(ms).toBeLessThan(10_000);
  });

  it('loses what it made up or says twice, and keeps the rest', async () => {
    answers.SearchResultPack = chosen('evt_made_up', kyoto, kyoto);
    const { ids, run } = await recall();
    expect(ids).toEqual([kyoto]);
    expect(run).toMatchObject({ selectedSource: 'model', errors: { selection: 'unknown_ids' } });
  });

  it('may be empty', async () => {
    answers.SearchResultPack = chosen();
    const { ids, run } = await recall();
    expect(ids).toEqual([]);
    expect(run).toMatchObject({ selectedSource: 'model', errors: {} });
  });
});
