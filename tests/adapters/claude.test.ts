import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type FakeAnthropic,
  lastResults,
  type ModelScript,
  type Reply,
  resultText,
  startFakeAnthropic,
} from '../fixtures/fake-anthropic.ts';
import { AdapterChat, adapterProgram } from './adapter-chat.ts';

/* Claude's adapter for ACP, as it is installed on this host, with a scripted model on loopback. */

let api: FakeAnthropic;
let chat: AdapterChat;
let replies: (Reply | ModelScript)[] = [];

beforeAll(async () => {
  api = await startFakeAnthropic((request) => {
    // It asks for a title besides, without tools.
    if (request.tools.length === 0) return { text: '{"title":"A talk"}' };
    const next = replies.shift() ?? { text: 'ok' };
    return typeof next === 'function' ? next(request) : next;
  });
  const program = adapterProgram('claude-agent-acp', '@agentclientprotocol/claude-agent-acp');
  chat = await AdapterChat.open('claude', program, {
    ANTHROPIC_API_KEY: 'key-that-is-fake',
    ANTHROPIC_BASE_URL: api.url,
  });
});
afterAll(async () => {
  expect(await chat.world.product.stop()).toBe(true);
  await api.close();
});

const told: ModelScript = (request) => ({ text: lastResults(request).map(resultText).join() });
const heard = (text: string) => api.requests.some(({ messages }) => JSON.stringify(messages).includes(text));
const never = new Promise<never>(() => undefined);
const touch = { tool: 'Bash', input: { command: 'touch made.txt', description: 'Makes a file' } };

test('answers with our instructions, and uses the board', async () => {
  replies = [{ tool: 'mcp__aizuchi__list_tasks', input: {} }, told];
  expect(await chat.answer('How is it going?')).toContain('backlog');
  expect(JSON.stringify(api.requests.at(-1)?.system)).toContain('You are brief.');
});

test('asks a person by a card', async () => {
  const options = [
    { label: 'Red', description: 'Warm' },
    { label: 'Blue', description: 'Cold' },
  ];
  const question = { question: 'Which one?', header: 'Colour', multiSelect: false, options };
  replies = [{ tool: 'AskUserQuestion', input: { questions: [question] } }, told];
  const asked = await chat.write('Ask me.');
  const [card] = await chat.world.pendingCards(chat.membership);
  await chat.world.call('POST', `/questions/${card}/answer`, { answers: { '0': '1' } });
  await chat.over(asked);
  expect(await chat.lastAnswer()).toContain('"Which one?"="Blue"');
});

test('asks for permission, hears why it is denied, and acts when it is allowed', async () => {
  replies = [touch];
  const denied = await chat.write('Make it.');
  expect(await chat.decide({ decision: 'deny', note: 'Not now.' })).toMatchObject({ kind: 'command' });
  await chat.over(denied);
  expect(heard('Not now.')).toBe(true);
  replies = [touch, told];
  const allowed = await chat.write('Make it now.');
  await chat.decide({ decision: 'allow_once' });
  await chat.over(allowed);
  expect(await chat.lastAnswer()).toContain('completed');
});

test('stops in the middle of an answer; what it said stays', async () => {
  replies = [{ text: ['I begin', never] }];
  const asked = await chat.write('A long one.');
  await expect.poll(() => api.open).toBeGreaterThan(0);
  await chat.stop();
  expect(await chat.over(asked)).toMatchObject({ state: 'answered' });
});

test('killed in the middle of an answer it says so, and remembers after Retry', async () => {
  replies = [{ text: ['Half', never] }];
  const asked = await chat.write('Another one.');
  await expect.poll(() => api.open).toBeGreaterThan(0);
  await chat.killProgram();
  const failed = await chat.over(asked);
  expect(failed).toMatchObject({ state: 'failed', failure: { code: 'turn_failed' } });
  expect(failed?.failure?.params?.reason).toMatch(/\(SIGKILL\)\. /);
  replies = [
    ({ messages }) => ({ text: `It knows: ${JSON.stringify(messages).includes('How is it going?')}` }),
  ];
  await chat.world.retry(chat.membership, asked.id);
  await chat.world.answered(chat.membership, asked.id);
  expect(await chat.lastAnswer()).toBe('It knows: true');
});
