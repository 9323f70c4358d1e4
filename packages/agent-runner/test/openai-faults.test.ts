import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { FakeRefusal, FakeReply } from '../../../tests/fixtures/fake-openai.ts';
import { OpenAiWorld, stepsOf, TASK } from './openai-world.ts';

let world: OpenAiWorld;
beforeEach(async () => {
  world = await OpenAiWorld.make();
});
afterEach(() => world.close());

const BOARD = {
  tasks: [],
  counts: { backlog: 0, todo: 0, in_progress: 0, blocked: 0, done: 0, cancelled: 0 },
  next_cursor: null,
};

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('not listening');
  return address.port;
}

interface Case {
  readonly reply: FakeReply | FakeRefusal;
  readonly en: RegExp;
  readonly ja: RegExp;
  /** How often the model is asked for one message. */
  readonly requests: number;
  readonly text?: string;
}

const CASES: Record<string, Case> = {
  'a wrong key': {
    reply: { status: 401, message: 'Incorrect API key provided' },
    en: /did not accept the API key.*variable/,
    ja: /API キーを受け付けませんでした.*変数名/,
    requests: 1,
  },
  'a key without this right': {
    reply: { status: 403 },
    en: /API key.*403/,
    ja: /API キー.*403/,
    requests: 1,
  },
  'a model that is not there': {
    reply: { status: 404, message: 'model "test-model" not found, try pulling it first' },
    en: /does not know the model "test-model".*ollama pull test-model/,
    ja: /モデル「test-model」.*ollama pull test-model/,
    requests: 1,
  },
  'an address without the interface': {
    reply: { status: 404, body: '404 page not found' },
    en: /no OpenAI-compatible interface.*\/v1/,
    ja: /OpenAI 互換の API が見つかりません.*\/v1/,
    requests: 1,
  },
  'too many requests': {
    reply: { status: 429, headers: { 'retry-after': '90' } },
    en: /too many requests.*in 90 seconds/,
    ja: /429.*90 秒後/,
    requests: 1,
  },
  'too many requests, again and again': {
    reply: { status: 429 },
    en: /too many requests.*Wait a minute/,
    ja: /429.*1 分ほど/,
    requests: 3,
  },
  'no credit': {
    reply: { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' },
    en: /no credit left/,
    ja: /利用枠を使い切りました/,
    requests: 1,
  },
  'a broken server': {
    reply: { status: 503, message: 'overloaded' },
    en: /has a fault \(503\)/,
    ja: /障害が起きています（503）/,
    requests: 3,
  },
  'a stream that breaks': {
    reply: { text: 'Half', ending: 'cut' },
    en: /broke in the middle/,
    ja: /接続が切れました/,
    requests: 1,
    text: 'Half',
  },
  'a stream that breaks before its first word': {
    reply: { ending: 'cut' },
    en: /broke in the middle/,
    ja: /接続が切れました/,
    requests: 3,
  },
  'a stream without an end': {
    reply: { text: 'Half', ending: 'no finish' },
    en: /broke in the middle/,
    ja: /接続が切れました/,
    requests: 1,
    text: 'Half',
  },
  'an error in the middle of a stream': {
    reply: { text: 'Half', ending: { error: { message: 'Internal server error', code: 500 } } },
    en: /has a fault \(500\)/,
    ja: /障害が起きています（500）/,
    requests: 1,
    text: 'Half',
  },
  'rubbish in a stream': {
    reply: { text: 'Half', ending: { error: 'rubbish' } },
    en: /not understood/,
    ja: /解釈できません/,
    requests: 1,
    text: 'Half',
  },
  'an answer that the provider withholds': {
    reply: { text: 'It is', finish: 'content_filter' },
    en: /withheld the answer/,
    ja: /差し止めました/,
    requests: 1,
    text: 'It is',
  },
  'a question that the provider withholds': {
    reply: { status: 400, code: 'content_filter', message: 'triggering the content management policy' },
    en: /withheld the answer/,
    ja: /差し止めました/,
    requests: 1,
  },
  'an answer that is too long': {
    reply: { text: 'It is', finish: 'length' },
    en: /may not write more at once.*go on/,
    ja: /書ける長さに達した.*続けて/,
    requests: 1,
    text: 'It is',
  },
  'a call that is cut off': {
    reply: { calls: [{ name: 'list_tasks', args: {} }], finish: 'length' },
    en: /may not write more at once/,
    ja: /書ける長さに達した/,
    requests: 1,
  },
  'an empty answer': {
    reply: { text: ' \n' },
    en: /answered with nothing/,
    ja: /何も答えませんでした/,
    requests: 1,
  },
  'a request that the model refuses': {
    reply: { status: 400, message: 'temperature is not supported' },
    en: /did not accept the request: temperature is not supported\. Change/,
    ja: /temperature is not supported\. /,
    requests: 1,
  },
};

describe.each(Object.entries(CASES))('%s', (_, { reply, en, ja, requests, text = '' }) => {
  test('is one sentence in the language of the person, and the session goes on', async () => {
    const session = await world.open();
    world.script(reply);
    const said = await world.say(session, 'What is to do?');
    expect(said.end).toMatchObject({ reason: 'failed', sentence: expect.stringMatching(en) });
    expect(said.text.trim()).toBe(text);
    expect(world.fake.requests).toHaveLength(requests);
    expect(world.toolCalls.map(({ name }) => name)).not.toContain('list_tasks');
    expect((await world.say(session, '進み具合は？')).end).toMatchObject({
      sentence: expect.stringMatching(ja),
    });
    world.script({ text: 'Here I am.' });
    expect((await world.say(session, 'And now?')).text).toBe('Here I am.');
  });
});

test('a server that takes a moment is waited for, and the person sees why', async () => {
  const session = await world.open();
  world.script({ status: 429, headers: { 'retry-after-ms': '5' } }, { status: 500 }, { text: 'Here I am.' });
  const said = await world.say(session, 'Hello?');
  expect(said.text).toBe('Here I am.');
  expect(stepsOf(said)).toEqual([
    'other The model does not answer yet: next try in 1 s running',
    'other The model does not answer yet: next try in 1 s done',
    'other The model does not answer yet: next try in 1 s running',
    'other The model does not answer yet: next try in 1 s done',
  ]);
});

test('nobody there: three tries, then where it was looked for', async () => {
  // Nobody listens at 127.0.0.2, and while this is taken nobody can at all addresses.
  const taken = createServer();
  const port = await new Promise<number>((resolve) =>
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    }),
  );
  onTestFinished(() => void taken.close());
  const session = await world.open({ launch: { baseUrl: `http://127.0.0.2:${port}/v1` } });
  const said = await world.say(session, 'Hello?');
  expect(said.end).toMatchObject({
    sentence: expect.stringMatching(new RegExp(`cannot be reached at 127.0.0.2:${port}.*ollama serve`)),
  });
  expect(stepsOf(said)).toHaveLength(4);
});

test.each([
  ['before its first word', {}, '', { firstMs: 2_000, nextMs: 30_000 }],
  ['in the middle', { text: 'Half' }, 'Half', { firstMs: 30_000, nextMs: 300 }],
])('a stream that falls silent %s is left, and not asked again', async (_, reply, text, silence) => {
  const session = await world.open({ limits: { silence } });
  world.script({ ...reply, ending: 'silence' });
  const said = await world.say(session, 'Hello?');
  expect(said.end).toMatchObject({ sentence: expect.stringMatching(/sent nothing for [12] seconds/) });
  expect(said.text).toBe(text);
  expect(world.fake.requests).toHaveLength(1);
  await expect.poll(() => world.fake.left).toBe(1);
});

test('after a tool has changed something, a failure repeats neither the tool nor the model', async () => {
  world.tools = { create_task: () => ({ success: true, task: TASK }) };
  const session = await world.open();
  world.script(
    { text: 'I order.', calls: [{ name: 'create_task', args: { title: 'Order tea' } }] },
    { text: 'Half', ending: 'cut' },
    { text: 'It is ordered.' },
  );
  const said = await world.say(session, 'Order tea');
  expect([said.text, said.end?.reason]).toEqual(['I order.\n\nHalf', 'failed']);
  expect(world.fake.requests).toHaveLength(2);
  expect((await world.say(session, 'And?')).text).toBe('It is ordered.');
  expect(world.toolCalls.filter(({ name }) => name === 'create_task')).toHaveLength(1);
  expect(
    world.fake.requests
      .at(-1)
      ?.messages.slice(1)
      .map(({ role }) => role),
  ).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
});

describe('a context that is too long', () => {
  const TOO_LONG = {
    status: 400,
    code: 'context_length_exceeded',
    message: 'maximum context length is 8192',
  };

  test('is halved once, and the shorter one stays', async () => {
    const session = await world.open();
    world.script({ text: 'Yes.' });
    for (let turn = 1; turn <= 6; turn += 1) await world.say(session, `${turn}: ${'あ'.repeat(1_500)}`);
    const before = world.fake.requests.at(-1)?.messages.length ?? 0;
    world.script(TOO_LONG, { text: 'Shorter.' });
    expect((await world.say(session, 'And?')).text).toBe('Shorter.');
    const after = world.fake.requests.at(-1)?.messages ?? [];
    expect(after.length).toBeLessThan(before);
    expect(after[1]?.content).toMatch(/^\[\d+ older messages are left out here/);
    expect(after.at(-1)?.content).toBe('And?');
  });

  test('in the middle of a stream: what was shown stays, and nothing is asked again', async () => {
    const session = await world.open();
    world.script({ text: 'Yes.' });
    await world.say(session, 'あ'.repeat(4_000));
    world.script({ text: 'Half', ending: { error: { message: 'prompt is too long' } } }, { text: 'Whole.' });
    const said = await world.say(session, 'And?');
    expect([said.text, said.end]).toEqual([
      'Half',
      expect.objectContaining({ reason: 'failed', sentence: expect.stringMatching(/longer than the model/) }),
    ]);
    expect(world.fake.requests).toHaveLength(2);
  });

  test('twice is a failure that says what to do', async () => {
    const session = await world.open();
    world.script(TOO_LONG);
    expect((await world.say(session, 'あ'.repeat(4_000))).end).toMatchObject({
      sentence: expect.stringMatching(/一度に読める長さを超えています/),
    });
    expect(world.fake.requests).toHaveLength(2);
  });
});

test('the key is in no sentence and in no line of the log', async () => {
  const apiKey = 'sk-a-secret-key';
  const session = await world.open({ launch: { apiKey } });
  world.script({ status: 400, message: `the key ${apiKey} is odd` });
  const { end } = await world.say(session, 'Hi');
  expect(JSON.stringify([end, world.logged])).not.toContain(apiKey);
  expect(end).toMatchObject({ sentence: expect.stringContaining('the key … is odd') });
});

describe('a key', () => {
  const KEY = 'sk-live-0123456789abcdefghijklmnopqrstuvwxyz';
  const PART = KEY.slice(0, 12);

  test('that stands where a text is cut is hidden before that', async () => {
    const session = await world.open({ launch: { apiKey: ` ${KEY} ` } });
    world.script({ status: 400, message: `${'x'.repeat(270)} ${KEY} is not allowed here` });
    const { end } = await world.say(session, 'Hi');
    expect(world.fake.requests[0]?.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify([end, world.logged])).not.toContain(PART);
    expect(end).toMatchObject({ sentence: expect.stringContaining('xxx … is not') });
  });

  test('that no header can hold is one sentence, and in no text', async () => {
    const session = await world.open({ launch: { apiKey: `${KEY}\nsecond-line` } });
    const said = await world.say(session, 'Hello');
    expect(said.end).toMatchObject({ sentence: expect.stringMatching(/cannot be sent/) });
    expect(JSON.stringify([said, world.logged])).not.toContain(PART);
    expect(world.fake.requests).toEqual([]);
  });
});

test('an error in the middle of an answer is not asked again, whatever it says', async () => {
  const session = await world.open();
  const message = 'This tool call format is not supported by the template';
  world.script({ text: 'I begin.', ending: { error: { message } } }, { text: 'Second answer.' });
  const said = await world.say(session, 'Hello');
  expect([said.text, said.end?.reason, world.fake.requests.length]).toEqual(['I begin.', 'failed', 1]);
  await world.say(session, 'And now?');
  expect(world.fake.requests.at(-1)?.tools).not.toEqual([]);
});

test('what an error repeats of the request says nothing about the model', async () => {
  const session = await world.open();
  const question = 'Why are tools not supported by Foo?';
  const error = { message: 'Validation error', input: question };
  world.script({ status: 422, body: JSON.stringify({ error }) }, { text: 'Hi.' });
  expect((await world.say(session, question)).end).toMatchObject({
    sentence: expect.stringMatching(/did not accept the request: Validation error\./),
  });
  await world.say(session, 'And now?');
  expect(world.fake.requests.map(({ tools }) => tools.length > 0)).toEqual([true, true]);
});

test.each([
  ['a word', { error: 'gemma does not support tools' }],
  ['no object around it', { object: 'error', message: 'gemma does not support tools', code: 400 }],
])('an error with %s is understood', async (_, body) => {
  const session = await world.open();
  world.script({ status: 400, body: JSON.stringify(body) }, { text: 'Hi.' });
  expect((await world.say(session, 'Hello')).text).toBe('Hi.');
  expect(world.fake.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false]);
});

test('an address that sends requests on is not followed, and the key goes nowhere else', async () => {
  const seen: string[] = [];
  const elsewhere = createHttpServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(400).end();
  });
  const target = await portOf(elsewhere);
  const first = createHttpServer((_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${target}/internal` }).end('secret'),
  );
  const baseUrl = `http://127.0.0.1:${await portOf(first)}/v1`;
  try {
    const session = await world.open({ launch: { baseUrl, apiKey: 'sk-12345678' } });
    const { end } = await world.say(session, 'Hello');
    expect(end).toMatchObject({ sentence: expect.stringMatching(/sends requests on to another address/) });
    expect(seen).toEqual([]);
  } finally {
    for (const server of [elsewhere, first]) await new Promise((resolve) => server.close(resolve));
  }
});

describe('a reply without an end', () => {
  const pieces = (length: number) => Array.from({ length }, () => 'x'.repeat(1_000));
  const ENDLESS = { reason: 'failed', sentence: expect.stringMatching(/wrote on without an end/) };

  test('of text is stopped: what was shown stays, with a sentence', async () => {
    const session = await world.open();
    world.script({ text: pieces(4_000) }, { text: 'Better.' });
    const said = await world.say(session, 'Hello');
    expect(said.end).toMatchObject(ENDLESS);
    expect(said.text.length).toBeGreaterThan(90_000);
    expect(said.text.length).toBeLessThan(150_000);
    await expect.poll(() => world.fake.left).toBe(1);
    expect((await world.say(session, 'And now?')).text).toBe('Better.');
    expect(world.remembered?.length).toBeLessThan(150_000);
  });

  test.each([
    ['thoughts', { reasoning: 'hm '.repeat(2_000) }],
    ['arguments', { calls: [{ name: 'create_task', args: { title: 't', description: 'z'.repeat(5_000) } }] }],
  ])('of %s is stopped, nothing of it is carried out, and it is counted', async (_, reply) => {
    const session = await world.open({ limits: { replyLength: 3_000 } });
    world.script(reply);
    const said = await world.say(session, 'Hello');
    expect(said.end).toMatchObject(ENDLESS);
    expect(world.toolCalls.map(({ name }) => name)).not.toContain('create_task');
    expect(world.fake.requests).toHaveLength(1);
    const usage = said.events.find((event) => event.type === 'usage')?.usage;
    expect(usage?.outputTokens).toBeGreaterThan(1_000);
    expect(usage?.inputTokens).toBeGreaterThan(100);
  });
});

test('a reply that broke is counted, with what it has cost before', async () => {
  world.tools = { list_tasks: () => BOARD };
  const session = await world.open();
  world.script({ calls: [{ name: 'list_tasks', args: {} }] }, { text: 'Half', ending: 'cut' });
  const { events } = await world.say(session, 'Hello');
  const usage = events.findLast((event) => event.type === 'usage')?.usage;
  expect(usage?.inputTokens).toBeGreaterThan(200);
  expect(usage?.outputTokens).toBeGreaterThan(10);
});

describe('many calls', () => {
  const calls = (length: number) =>
    Array.from({ length }, () => ({ name: 'list_tasks', args: {}, id: 'same' }));
  const listed = () => world.toolCalls.filter(({ name }) => name === 'list_tasks').length;
  beforeEach(() => {
    world.tools = { list_tasks: () => BOARD };
  });

  test('of one reply are bounded, the model is told, and the history is saved once', async () => {
    const session = await world.open();
    world.script({ calls: calls(500) }, { text: 'Done.' });
    expect((await world.say(session, 'Hello')).text).toBe('Done.');
    expect(listed()).toBe(32);
    expect(world.fake.requests.at(-1)?.messages.at(-1)?.content).toMatch(/called 500 tools at once/);
    const ids = world.fake.requests.at(-1)?.messages.flatMap((one) => one.tool_call_id ?? []);
    expect(new Set(ids).size).toBe(32);
    // Before the calls, after them, and at the end.
    expect(world.saves).toBe(3);
  });

  test('of one turn are bounded: then the model has to answer', async () => {
    const session = await world.open({ limits: { calls: 40 } });
    world.fake.script = ({ tool_choice: choice }) =>
      choice === 'none' ? { text: 'Enough.' } : { calls: calls(20) };
    expect((await world.say(session, 'Hello')).text).toBe('Enough.');
    expect(listed()).toBe(40);
    expect(world.fake.requests.at(-1)?.messages.at(-1)?.content).toMatch(/used tools 40 times/);
  });
});
