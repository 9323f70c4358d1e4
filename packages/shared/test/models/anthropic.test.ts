import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  CUT,
  type FakeAnthropic,
  type Reply,
  startFakeAnthropic,
} from '../../../../tests/fixtures/fake-anthropic.ts';
import type { LanguageModel, ReplyPiece } from '../../src/platform/models/model-ports.ts';
import { openModels } from '../../src/platform/models/models.ts';

let server: FakeAnthropic;
let model: LanguageModel;
let answer: Reply;
beforeAll(async () => {
  server = await startFakeAnthropic(() => answer);
  model = modelNamed('claude-test');
});
afterAll(() => server.close());

function modelNamed(name: string): LanguageModel {
  const { language } = openModels({
    language: { provider: 'anthropic', baseUrl: server.url, apiKey: 'k', model: name },
  });
  if (!language) throw new Error('not configured');
  return language;
}

async function reply(): Promise<ReplyPiece[]> {
  const pieces: ReplyPiece[] = [];
  const { signal } = new AbortController();
  const instructions = ['You are Hana.', '{"TimeContext":{}}', '{"LongMoodState":null}'];
  for await (const piece of model.stream({ instructions, text: 'hello', images: [], signal }))
    pieces.push(piece);
  return pieces;
}

const value = (asked = model) =>
  asked.complete({
    schemaName: 'Colour',
    schema: z.object({ name: z.string() }),
    read: z.object({ name: z.string() }),
    instructions: 'Name a colour.',
    input: 'x',
    maxOutputTokens: 50,
    signal: new AbortController().signal,
  });

test('a reply is asked for with each instruction as a block of its own, and comes in pieces', async () => {
  answer = { text: ['Hel', 'lo'] };
  expect(await reply()).toEqual([
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
    { type: 'end', finish: 'done', usage: { inputTokens: 10, outputTokens: 20, cacheReadTokens: 0 } },
  ]);
  expect(server.hits.at(-1)).toBe('POST /v1/messages');
  expect(server.requests.at(-1)?.system).toMatchObject([
    { text: 'You are Hana.' },
    { text: '{"TimeContext":{}}' },
    { text: '{"LongMoodState":null}' },
  ]);
});

test('a reply that is cut, or refused, says so', async () => {
  answer = { text: ['Hel', CUT] };
  await expect(reply()).rejects.toMatchObject({ kind: 'broken' });
  answer = { status: 529, type: 'overloaded_error', message: 'overloaded' };
  await expect(reply()).rejects.toMatchObject({ kind: 'refused' });
});

test('a structured answer is the value that the model gives', async () => {
  answer = { text: '{"name":"blue"}' };
  expect(await value()).toEqual({ name: 'blue' });
  answer = { text: 'green' };
  await expect(value()).rejects.toMatchObject({ kind: 'invalid' });
});

test('a model that knows no structured answers gives it as the input of a tool', async () => {
  answer = { tool: 'json', input: { name: 'red' } };
  expect(await value(modelNamed('claude-3-haiku-20240307'))).toEqual({ name: 'red' });
  expect(server.requests.at(-1)?.tools).toMatchObject([{ name: 'json' }]);
});
