import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FakeOpenAi, type FakeScript } from '../../../../tests/fixtures/fake-openai.ts';
import { type SearchPlan, searchPlanSchema } from '../../src/contract/memory.ts';
import type { LanguageModel, ReplyPiece } from '../../src/platform/models/model-ports.ts';
import { openModels } from '../../src/platform/models/models.ts';

const KEY = 'sk-very-secret-key';
const PLAN: SearchPlan = {
  mode: 'targeted_broad',
  queries: ['京都'],
  time_hint: { about_year_start: null, about_year_end: null, life_stage_hint: '' },
  diversify: { by: [], per_bucket: 5 },
  limits: { max_candidates: 200, max_selected: 12 },
};

let server: FakeOpenAi;
let model: LanguageModel;
beforeEach(async () => {
  server = await FakeOpenAi.start(() => ({ text: ['こん', 'にちは'] }));
  model = modelAt(server.baseUrl);
});
afterEach(() => server.close());

function modelAt(baseUrl: string): LanguageModel {
  const { language } = openModels({
    language: { provider: 'openai-compatible', baseUrl, apiKey: KEY, model: 'm' },
  });
  if (!language) throw new Error('not configured');
  return language;
}

async function replyOf(script?: FakeScript, signal = new AbortController().signal): Promise<ReplyPiece[]> {
  if (script) server.script = script;
  const pieces: ReplyPiece[] = [];
  for await (const piece of model.stream({
    instructions: ['You are Hana.', '{"TimeContext":{}}'],
    text: 'hello',
    images: [],
    signal,
  }))
    pieces.push(piece);
  return pieces;
}

const planOf = (script: FakeScript, signal = new AbortController().signal) => {
  server.script = script;
  return model.complete({
    schemaName: 'SearchPlan',
    schema: searchPlanSchema,
    read: searchPlanSchema,
    instructions: 'Plan.',
    input: 'Where was I?',
    maxOutputTokens: 500,
    signal,
  });
};

describe('a reply', () => {
  test('comes in the pieces of the server, then its end with what it has cost', async () => {
    expect(await replyOf()).toEqual([
      { type: 'text', text: 'こん' },
      { type: 'text', text: 'にちは' },
      { type: 'end', finish: 'done', usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 40 } },
    ]);
  });

  test('tells that the model thinks, not what', async () => {
    const pieces = await replyOf(() => ({ reasoning: 'secret', text: 'Yes.' }));
    expect(pieces.slice(0, 2)).toEqual([
      { type: 'thought', length: 6 },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  test('is asked for with each instruction as a message of its own, in order, and the key in the header', async () => {
    await replyOf();
    const [request] = server.requests;
    expect(request?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'You are Hana.'],
      ['system', '{"TimeContext":{}}'],
      ['user', 'hello'],
    ]);
    expect(request?.authorization).toBe(`Bearer ${KEY}`);
    expect(request?.schema).toBeUndefined();
  });

  test('that is cut says so', async () => {
    await expect(replyOf(() => ({ text: 'half', ending: 'cut' }))).rejects.toMatchObject({ kind: 'broken' });
  });

  test('that is refused says so, without the key that a careless server repeats', async () => {
    const failure = await replyOf(() => ({ status: 401, message: `wrong key ${KEY}` })).catch(
      (error) => error,
    );
    expect(failure).toMatchObject({ kind: 'refused' });
    expect(String(failure)).not.toContain(KEY);
  });

  test('ends with the reason of its signal', async () => {
    const reason = new Error('enough');
    const abort = new AbortController();
    const until = new Promise<void>(() => undefined);
    const failed = replyOf(() => {
      abort.abort(reason);
      return { text: ['a', 'b'], until };
    }, abort.signal);
    await expect(failed).rejects.toBe(reason);
  });
});

describe('a structured answer', () => {
  test('is asked for by the name of its schema and returned as what it is', async () => {
    expect(await planOf(() => ({ text: JSON.stringify(PLAN) }))).toEqual(PLAN);
    expect(server.requests[0]).toMatchObject({ stream: false, schema: 'SearchPlan' });
  });

  test('may stand in a code fence', async () => {
    const text = `Here it is:\n\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\``;
    expect(await planOf(() => ({ text }))).toEqual(PLAN);
  });

  test.each(['no json at all', '', '{"mode":"other"}', '[1]'])(
    'that is none is refused: %j',
    async (text) => {
      await expect(planOf(() => ({ text }))).rejects.toMatchObject({ kind: 'invalid' });
    },
  );

  test('that comes too late ends with the reason of its signal', async () => {
    const slow = planOf(() => ({ ending: 'silence' }), AbortSignal.timeout(50));
    await expect(slow).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('is read as leniently as its caller wants', async () => {
    server.script = () => ({ text: '{"queries":["a",5]}' });
    const read = z.object({ queries: z.array(z.string().catch('?')) });
    const request = {
      schemaName: 'SearchPlan',
      schema: searchPlanSchema,
      read,
      instructions: '',
      input: 'x',
    };
    const { signal } = new AbortController();
    expect(await model.complete({ ...request, maxOutputTokens: 10, signal })).toEqual({
      queries: ['a', '?'],
    });
  });
});

test('no server: the model cannot be asked', async () => {
  await server.close();
  await expect(replyOf()).rejects.toMatchObject({ kind: 'refused' });
});

test('nothing is configured: there is no model', () => {
  expect(openModels({})).toEqual({});
});
