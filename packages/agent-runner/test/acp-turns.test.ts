import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DriverSession } from '../src/driver.ts';
import { AcpWorld, lastSteps, scriptOf } from './acp-world.ts';
import { message } from './runner-world.ts';

/* What an ACP agent reports in a turn, as our events: the driver and a real process that speaks the protocol. */

let world: AcpWorld;
let session: DriverSession;
beforeAll(async () => {
  world = await AcpWorld.make();
  session = await world.open();
});
afterAll(() => world.close());

const DONE = { type: 'end', reason: 'done' };
const call = (update: Omit<ToolCallUpdate, 'toolCallId'> & { toolCallId?: string }) => ({
  update: { sessionUpdate: 'tool_call_update' as const, toolCallId: 'call-1', ...update },
});

test('an answer of many pieces comes whole and in order, also when its end follows at once', async () => {
  const pieces = Array.from({ length: 300 }, (_, index) => `${index} `);
  const result = await world.turn(
    session,
    pieces.map((say) => ({ say })),
  );
  expect(result.text).toBe(pieces.join(''));
  expect(result.end).toEqual(DONE);
});

test('texts before and after a tool, and of two messages, stand apart', async () => {
  const { text } = await world.turn(session, [
    { say: 'I look ', id: 'm1' },
    { say: 'into it.', id: 'm1' },
    call({ title: 'ls', kind: 'execute', status: 'completed' }),
    { say: 'Two files.', id: 'm1' },
    { say: 'Anything else?', id: 'm2' },
  ]);
  expect(text).toBe('I look into it.\n\nTwo files.\n\nAnything else?');
});

test('updates of a tool call that was never announced are merged: kind, title, output and diffs', async () => {
  const result = await world.turn(session, [
    call({ kind: 'execute', status: 'pending', title: 'Terminal' }),
    call({ title: 'npm test', status: 'in_progress' }),
    call({ content: [{ type: 'content', content: { type: 'text', text: '```console\n3 passed\n```' } }] }),
    call({ status: 'completed', content: [] }),
    call({
      toolCallId: 'call-2',
      title: 'Edit two files',
      kind: 'edit',
      status: 'completed',
      content: [
        { type: 'diff', path: `${world.folder}/src/a.ts`, oldText: 'one', newText: 'two' },
        { type: 'diff', path: '/etc/b.ts', newText: 'new' },
      ],
    }),
    { say: 'Done.' },
  ]);
  expect(lastSteps(result)).toEqual([
    { id: 'call-1', kind: 'command', title: 'npm test', status: 'done', detail: '3 passed' },
    {
      id: 'call-2',
      kind: 'edit',
      title: 'Edit two files',
      status: 'done',
      diff: { path: 'src/a.ts', before: 'one', after: 'two' },
    },
    {
      id: 'call-2:2',
      kind: 'edit',
      title: '/etc/b.ts',
      status: 'done',
      diff: { path: '/etc/b.ts', before: '', after: 'new' },
    },
  ]);
});

test('the output of a command that comes beside the call is its detail; what is open at the end is closed', async () => {
  const output = (data: string) => ({ _meta: { terminal_output_delta: { data } } });
  const result = await world.turn(session, [
    call({ kind: 'execute', title: 'make', status: 'in_progress', ...output('one\n') }),
    call(output('two\n')),
    call({ toolCallId: 'call-2', kind: 'read', title: 'a.txt', status: 'failed', rawOutput: 'no such file' }),
    { say: 'Done.' },
  ]);
  expect(lastSteps(result)).toEqual([
    { id: 'call-1', kind: 'command', title: 'make', status: 'done', detail: 'one\ntwo\n' },
    { id: 'call-2', kind: 'read', title: 'a.txt', status: 'failed', detail: 'no such file' },
  ]);
});

test('thoughts, the plan, notices and compaction are steps and no part of the answer', async () => {
  const codex = await world.open({ agent: { name: 'codex-acp' } });
  const thought = (text: string) => ({
    update: { sessionUpdate: 'agent_thought_chunk' as const, content: { type: 'text' as const, text } },
  });
  const result = await world.turn(codex, [
    thought('First '),
    thought('this.'),
    { say: 'Warning: Model metadata for `x` not found.' },
    { say: '**Notice:** a hook was blocked', meta: { claudeCode: { kind: 'informational' } } },
    {
      update: {
        sessionUpdate: 'notice',
        severity: 'warning',
        title: 'Low on quota',
        description: 'Ten left.',
      },
    },
    {
      update: {
        sessionUpdate: 'plan',
        entries: [
          { content: 'Look', priority: 'high', status: 'completed' },
          { content: 'Write', priority: 'high', status: 'pending' },
        ],
      },
    },
    { update: { sessionUpdate: 'compaction_update', compactionId: '1', status: 'in_progress' } },
    { update: { sessionUpdate: 'compaction_update', compactionId: '1', status: 'completed' } },
    { say: 'Hello.' },
  ]);
  expect(result.text).toBe('Hello.');
  expect(lastSteps(result)).toMatchObject([
    { kind: 'thought', status: 'done', detail: 'First this.' },
    { kind: 'other', title: 'Warning: Model metadata for `x` not found.' },
    { kind: 'other', title: 'Notice: a hook was blocked' },
    { kind: 'other', title: 'Low on quota', detail: 'Ten left.' },
    { kind: 'other', title: 'Plan', detail: '[x] Look\n[ ] Write' },
    { kind: 'other', title: 'Shortened the context', status: 'done' },
  ]);
});

test('a notice that is repeated in each turn is shown once in a session', async () => {
  const codex = await world.open({ agent: { name: 'codex-acp' } });
  const turn = () => world.turn(codex, [{ say: 'Warning: old.' }, { say: 'Hello.' }]);
  expect(lastSteps(await turn())).toHaveLength(1);
  expect(lastSteps(await turn())).toHaveLength(0);
});

test('the same step is reported again only when it has changed', async () => {
  const update = call({ kind: 'execute', title: 'make', status: 'in_progress' });
  const { events } = await world.turn(session, [update, update, update, { say: 'Done.' }]);
  expect(events.filter(({ type }) => type === 'step')).toHaveLength(2);
});

test('usage: tokens of the turn, and of the cost what the turn has added', async () => {
  const cost = (amount: number) => ({
    update: {
      sessionUpdate: 'usage_update' as const,
      used: 10,
      size: 100,
      cost: { amount, currency: 'USD' },
    },
  });
  const usage = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 3, cachedWriteTokens: 2 };
  const turn = async (total: number) => {
    const { events } = await world.turn(session, [{ say: 'Hi.' }, cost(total), { stop: 'end_turn', usage }]);
    return events.find(({ type }) => type === 'usage');
  };
  const tokens = { inputTokens: 12, outputTokens: 5, cacheReadTokens: 3 };
  expect(await turn(0.5)).toEqual({ type: 'usage', usage: { ...tokens, costUsd: 0.5 } });
  expect(await turn(0.75)).toEqual({ type: 'usage', usage: { ...tokens, costUsd: 0.25 } });
});

test('usage as Gemini CLI reports it', async () => {
  const quota = { token_count: { input_tokens: 7, output_tokens: 2 }, model_usage: [{ model: 'gemini-x' }] };
  const { events } = await world.turn(session, [{ say: 'Hi.' }, { stop: 'end_turn', meta: { quota } }]);
  expect(events).toContainEqual({
    type: 'usage',
    usage: { model: 'gemini-x', inputTokens: 7, outputTokens: 2 },
  });
});

test.each([
  ['refusal', /refused/],
  ['max_tokens', /context of the model is full/],
  ['max_turn_requests', /limit of requests/],
  ['cancelled', /gave up/],
] as const)(
  'a turn that ends with %s has failed, with a sentence after what was written',
  async (stop, sentence) => {
    const result = await world.turn(session, [{ say: 'So far.' }, { stop }]);
    expect(result).toMatchObject({ text: 'So far.', end: { reason: 'failed' } });
    expect(result.sentence).toMatch(sentence);
  },
);

test('a turn without a word or a step has failed; with a tool that wrote elsewhere it is done', async () => {
  expect((await world.turn(session, [])).sentence).toMatch(/without an answer/);
  const tool = call({ title: 'send_message', status: 'completed' });
  expect((await world.turn(session, [tool])).end).toEqual(DONE);
});

test('the sentence is in the language of the message', async () => {
  const messages = [message('msg_1', scriptOf([{ stop: 'refusal' }], 'お願いします。'))];
  expect((await world.turn(session, '', { messages })).sentence).toMatch(/拒否/);
});

test('interrupt: the agent is told, what it wrote stays, and the session goes on', async () => {
  const stop = new AbortController();
  const result = await world.turn(session, [{ say: 'I begin' }, { hang: 'until cancelled' }], {
    signal: stop.signal,
    onEvent: (event) => event.type === 'text' && stop.abort(),
  });
  expect(result).toMatchObject({ text: 'I begin', end: { type: 'end', reason: 'interrupted' } });
  expect(await world.requests('session/cancel')).toHaveLength(1);
  expect((await world.turn(session, [{ say: 'On it.' }])).text).toBe('On it.');
});

test('interrupted before the agent is ready: nothing is asked of it', async () => {
  const before = await world.prompts();
  const result = await world.turn(session, 'Hello', { signal: AbortSignal.abort() });
  expect(result.end).toEqual({ type: 'end', reason: 'interrupted' });
  expect(await world.prompts()).toEqual(before);
});
