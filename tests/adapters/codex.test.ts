import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type FakeResponses,
  lastOutput,
  type ResponsesScript,
  startFakeResponses,
} from '../fixtures/fake-responses.ts';
import { AdapterChat, adapterProgram } from './adapter-chat.ts';

/* Codex behind its adapter for ACP, as it is installed on this host, with a scripted model on loopback. */

let api: FakeResponses;
let home: string;
let chat: AdapterChat;
let replies: ResponsesScript[] = [];

beforeAll(async () => {
  api = await startFakeResponses((request) => (replies.shift() ?? (() => ({ text: 'ok' })))(request));
  home = await mkdtemp(join(tmpdir(), 'aizuchi-codex-'));
  // The account of agents keeps its sessions here.
  await chmod(home, 0o777);
  const provider = { name: 'fake', base_url: api.url, wire_api: 'responses', env_key: 'FAKE_KEY' };
  const program = adapterProgram('codex-acp', '@agentclientprotocol/codex-acp');
  chat = await AdapterChat.open('codex', program, {
    CODEX_HOME: home,
    MODEL_PROVIDER: 'fake',
    FAKE_KEY: 'key-that-is-fake',
    CODEX_CONFIG: JSON.stringify({
      model: 'fake-model',
      model_provider: 'fake',
      model_providers: { fake: { ...provider, request_max_retries: 1, stream_max_retries: 1 } },
    }),
  });
});
afterAll(async () => {
  expect(await chat.world.product.stop()).toBe(true);
  await api.close();
  await rm(home, { recursive: true, force: true });
});

const told: ResponsesScript = (request) => ({ text: lastOutput(request) });
const never: ResponsesScript = () => new Promise<never>(() => undefined);
const touch: ResponsesScript = () => ({
  tool: 'exec_command',
  input: { cmd: 'touch made.txt', sandbox_permissions: 'require_escalated', justification: 'To try it' },
});

test('answers with our instructions, and its warnings are no part of the answer', async () => {
  replies = [() => ({ text: 'Hello.' })];
  expect(await chat.answer('Hi.')).toBe('Hello.');
  expect(JSON.stringify(api.requests)).toContain('You are brief.');
});

test('uses the board', async () => {
  replies = [() => ({ tool: 'list_tasks', namespace: 'mcp__aizuchi', input: {} }), told];
  expect(await chat.answer('How is it going?')).toContain('backlog');
});

test('asks for permission, hears why it is denied, and acts when it is allowed', async () => {
  replies = [touch];
  const denied = await chat.write('Make it.');
  expect(await chat.decide({ decision: 'deny', note: 'Not now.' })).toMatchObject({ kind: 'command' });
  await chat.over(denied);
  expect(JSON.stringify(api.requests.at(-1)?.input)).toContain('Not now.');
  replies = [touch, told];
  const allowed = await chat.write('Make it now.');
  await chat.decide({ decision: 'allow_once' });
  await chat.over(allowed);
  expect(await chat.lastAnswer()).toContain('exited with code 0');
});

test('stops in the middle of an answer', async () => {
  replies = [never];
  const asked = await chat.write('A long one.');
  await expect.poll(() => api.open).toBeGreaterThan(0);
  await chat.stop();
  expect(await chat.over(asked)).toMatchObject({ state: 'answered' });
});

test('killed in the middle of an answer it says so, and remembers after Retry', async () => {
  replies = [never];
  const asked = await chat.write('Another one.');
  await expect.poll(() => api.open).toBeGreaterThan(0);
  await chat.killProgram();
  expect(await chat.over(asked)).toMatchObject({ state: 'failed', failure: { code: 'turn_failed' } });
  replies = [({ input }) => ({ text: `It knows: ${JSON.stringify(input).includes('Hello.')}` })];
  await chat.world.retry(chat.membership, asked.id);
  await chat.world.answered(chat.membership, asked.id);
  expect(await chat.lastAnswer()).toBe('It knows: true');
});
