import { isStorableText } from '@aizuchi/shared/core/rules/storable-text';
import { ScriptedRefusal } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoopWorld } from './loop-world.ts';
import { ACTION, batchOf, message } from './runner-world.ts';
import { DONE, INTERRUPTED, ScriptedDriver, text, untilInterrupted } from './scripted-driver.ts';
import { TICKET } from './scripted-session.ts';

let world: LoopWorld;

beforeEach(async () => {
  world = await LoopWorld.make();
});
afterEach(() => world.close());

test('the answer is shown while it is written, and handed in under the id that was shown', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield text('Hello, ');
    await world.server.waitForCall('report_delta');
    yield text('Owner.');
    await world.server.waitForCall('report_delta', ({ args }) => args.offset === 7);
    yield DONE;
  });
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  const deltas = server.callsOf('report_delta').map(({ args }) => args);
  expect(deltas.map((args) => [args.text, args.offset])).toEqual([
    ['Hello, ', 0],
    ['Owner.', 7],
  ]);
  expect(world.answers()).toEqual([
    {
      batch_id: 'bat_1',
      idempotency_key: 'answer:bat_1:bat_1',
      content: 'Hello, Owner.',
      message_id: deltas[0]?.message_id,
      target_agent_id: 'user',
    },
  ]);
  expect(driver.closed).toBe(1);
});

test('an answer to another agent is handed in as a whole: readers would show it growing in the chat', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield text('Hello, ');
    await world.server.waitForCall('heartbeat');
    yield text('colleague.');
    yield DONE;
  });
  const conversation = { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' } as const;
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    batches: [{ ...batchOf(message('msg_1', 'Hello')), source: conversation }],
  });
  expect(await exit).toBe(0);
  expect(server.callsOf('report_delta')).toEqual([]);
  expect(world.answers()).toEqual([
    {
      batch_id: 'bat_1',
      idempotency_key: 'answer:bat_1:bat_1',
      content: 'Hello, colleague.',
      conversation_id: 'conv_1',
    },
  ]);
});

test('what the agent does is in the heartbeats and in steps', async () => {
  const phase = (name: string) => world.server.waitForCall('heartbeat', ({ args }) => args.phase === name);
  const read = { id: 's1', kind: 'read', title: 'Read 3 files' } as const;
  const driver = new ScriptedDriver(async function* () {
    await phase('thinking');
    yield { type: 'step', step: { ...read, status: 'running' } };
    await phase('tool');
    yield { type: 'step', step: { id: 's2', kind: 'command', title: 'npm test', status: 'failed' } };
    yield text('Done.');
    await phase('writing');
    yield {
      type: 'usage',
      usage: { model: 'm1', inputTokens: 12, outputTokens: 3, cacheReadTokens: 2, costUsd: 0.01 },
    };
    yield DONE;
  });
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  const [answer] = world.answers();
  const message_id = server.callsOf('report_delta')[0]?.args.message_id;
  expect(answer).toMatchObject({
    content: 'Done.',
    message_id,
    usage: { input_tokens: 12, output_tokens: 3, cache_read_tokens: 2, cost_usd: 0.01 },
    model: 'm1',
  });
  expect(server.callsOf('report_step').map(({ args }) => args)).toEqual([
    { message_id, batch_id: 'bat_1', step: { ...read, status: 'running' } },
    {
      message_id,
      batch_id: 'bat_1',
      step: { id: 's2', kind: 'command', title: 'npm test', status: 'failed' },
    },
    // The turn is done, and so is what ran in it.
    { message_id, batch_id: 'bat_1', step: { ...read, status: 'done' } },
  ]);
  // The last step was sent before the answer.
  const tools = server.calls.map(({ tool }) => tool);
  expect(tools.lastIndexOf('report_step')).toBeLessThan(tools.indexOf('respond_chat'));
  expect(world.logged.join('\n')).not.toContain('usage');
});

test('steps of an answer to another agent are kept with it, although its text is not shown while it grows', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'step', step: { id: 's1', kind: 'thought', title: 'Which word?', status: 'done' } };
    yield text('Hello, colleague.');
    yield DONE;
  });
  const conversation = { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' } as const;
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    batches: [{ ...batchOf(message('msg_1', 'Hello')), source: conversation }],
  });
  expect(await exit).toBe(0);
  const [reported] = server.callsOf('report_step');
  expect(reported?.args).toMatchObject({ batch_id: 'bat_1' });
  expect(world.answers()).toMatchObject([
    { conversation_id: 'conv_1', message_id: reported?.args.message_id },
  ]);
});

test('an answer that is cut back is shown anew with its steps', async () => {
  const step = { id: 's1', kind: 'search', title: 'Search', status: 'done', detail: '3 hits' } as const;
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'step', step };
    yield text('The stream br');
    await world.server.waitForCall('report_delta');
    yield { type: 'truncate', length: 0 };
    yield text('The stream is whole.');
    yield DONE;
  });
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  const [first, second] = server.callsOf('report_step').map(({ args }) => args);
  expect([first?.step, second?.step]).toEqual([step, step]);
  expect(first?.message_id).not.toBe(second?.message_id);
  expect(world.answers()).toMatchObject([
    { content: 'The stream is whole.', message_id: second?.message_id },
  ]);
});

test('no answer is needed: its cost counts, and its steps are void', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'step', step: { id: 's1', kind: 'read', title: 'Read', status: 'running' } };
    await world.server.waitForCall('report_step');
    yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } };
    yield DONE;
  });
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  expect(server.callsOf('report_step')).toHaveLength(1);
  const [answer] = world.answers();
  expect(answer).toMatchObject({
    message_id: server.callsOf('report_step')[0]?.args.message_id,
    usage: { input_tokens: 1, output_tokens: 2 },
  });
  expect(answer).not.toHaveProperty('content');
});

test.each([
  ['refuses steps', () => Promise.reject(new ScriptedRefusal('invalid_input'))],
  ['keeps no more of them', () => ({ control: null, recorded: false, reason: 'too_many_steps' }) as const],
])('the answer is handed in also when the server %s', async (_, report_step) => {
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'step', step: { id: 's1', kind: 'read', title: 'Read', status: 'running' } };
    yield text('Done.');
    yield DONE;
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], { script: { report_step } });
  expect(await exit).toBe(0);
  expect(world.answers()).toMatchObject([{ content: 'Done.' }]);
});

test('what a turn cost that answers by tools of its own is counted', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'usage', usage: { model: 'm1', inputTokens: 12, outputTokens: 3 } };
    yield { type: 'end', reason: 'done', answered: true };
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  expect(world.answers()).toEqual([
    {
      done: false,
      target_agent_id: 'user',
      usage: { input_tokens: 12, output_tokens: 3, duration_ms: expect.any(Number) },
      model: 'm1',
      idempotency_key: expect.any(String),
    },
  ]);
});

test('what a stopped turn cost is counted, and is in the log when the server does not take it', async () => {
  const driver = new ScriptedDriver(async function* (turn) {
    yield text('Half');
    await untilInterrupted(turn);
    yield { type: 'usage', usage: { model: 'm1', inputTokens: 12, outputTokens: 3 } };
    yield INTERRUPTED;
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    script: {
      heartbeat: () => ({ control: 'stop' }),
      respond_chat: () => {
        throw new ScriptedRefusal('unauthenticated');
      },
    },
  });
  expect(await exit).toBe(0);
  expect(world.answers()).toMatchObject([{ done: false, usage: { input_tokens: 12 } }]);
  expect(world.logged.join('\n')).toMatch(/usage is not counted: m1, 12 tokens in, 3 out, \d+ ms/);
});

test('an interrupt ends the turn, what was written is the answer, and the loop goes on', async () => {
  const written = Promise.withResolvers<void>();
  const driver = new ScriptedDriver([
    async function* (turn) {
      yield { type: 'step', step: { id: 's1', kind: 'command', title: 'npm test', status: 'running' } };
      yield text('The first half');
      await world.server.waitForCall('report_delta');
      written.resolve();
      await untilInterrupted(turn);
      yield text(', and what nobody wants');
      yield INTERRUPTED;
    },
    async function* () {
      yield text('Second answer');
      yield DONE;
    },
  ]);
  const batches = [
    batchOf(message('msg_1', 'Hello')),
    { ...batchOf(message('msg_2', 'And?')), batch_id: 'bat_2' },
  ];
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.messages, ACTION.exit], {
    batches,
    script: {
      heartbeat: async () => {
        await written.promise;
        return { control: 'interrupt' };
      },
    },
  });
  expect(await exit).toBe(0);
  expect(world.answers().map((args) => args.content)).toEqual(['The first half', 'Second answer']);
  expect(world.answers()[0]?.message_id).toBe(server.callsOf('report_delta')[0]?.args.message_id);
  // Its step was cut off.
  expect(server.callsOf('report_step').at(-1)?.args.step).toMatchObject({ id: 's1', status: 'failed' });
  // The session went on.
  expect(driver.opened).toHaveLength(1);
});

test('a driver that ignores an interrupt is left, and the next turn has a session of its own', async () => {
  const driver = new ScriptedDriver([
    async function* () {
      yield text('Half');
      await new Promise(() => undefined);
    },
    async function* () {
      yield text('Second answer');
      yield DONE;
    },
  ]);
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.messages, ACTION.exit], {
    interruptLimitMs: 20,
    script: { heartbeat: () => ({ control: driver.turns.length === 1 ? 'interrupt' : null }) },
  });
  expect(await exit).toBe(0);
  expect(world.answers().map((args) => args.content)).toEqual(['Half', 'Second answer']);
  expect([driver.opened.length, driver.closed]).toEqual([2, 2]);
});

test('stop: nothing is handed in, the session is closed before the logout', async () => {
  const driver = new ScriptedDriver(async function* (turn) {
    yield text('Half');
    await untilInterrupted(turn);
    yield INTERRUPTED;
  });
  let closedAtLogout: number | undefined;
  const { exit } = await world.live(driver, [ACTION.messages], {
    script: {
      heartbeat: () => ({ control: 'stop' }),
      logout: () => {
        closedAtLogout = driver.closed;
        return { success: true, instruction: '' };
      },
    },
  });
  expect(await exit).toBe(0);
  expect(world.answers()).toEqual([]);
  expect(closedAtLogout).toBe(1);
});

test('a driver that throws: the person reads what was written and a sentence; another session follows', async () => {
  const driver = new ScriptedDriver([
    async function* () {
      yield text('It is');
      throw new Error('the stream broke');
    },
    async function* () {
      yield text('Second answer');
      yield DONE;
    },
  ]);
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  expect(world.answers()).toMatchObject([
    { content: 'It is', done: false },
    { failure: expect.stringMatching(/^I am sorry, something went wrong/), batch_id: 'bat_1' },
    { content: 'Second answer' },
  ]);
  expect(world.logged).toContain('no answer: the stream broke');
  expect(driver.opened).toHaveLength(2);
});

test('a failure that the driver explains is said in its words, and the session goes on', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'end', reason: 'failed', error: '401', sentence: 'Sign in with `claude /login`.' };
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  expect(world.answers().map(({ content, failure }) => [content, failure])).toEqual(
    Array(2).fill([undefined, 'Sign in with `claude /login`.']),
  );
  expect(driver.opened).toHaveLength(1);
});

test('a turn that fails after it has changed something keeps its steps, and counts its cost once', async () => {
  const edit = { id: 's1', kind: 'edit', title: 'Edited parse.ts', status: 'done' } as const;
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'step', step: edit };
    yield { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 } };
    yield { type: 'end', reason: 'failed', error: '529', sentence: 'The model is overloaded.' };
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  const [step] = world.server.callsOf('report_step');
  const [part, failure, ...more] = world.answers();
  expect(more).toEqual([]);
  expect(part).toMatchObject({
    content: expect.stringContaining('not to an answer'),
    done: false,
    message_id: step?.args.message_id,
    usage: { output_tokens: 2 },
  });
  expect(failure).toMatchObject({ failure: 'The model is overloaded.', batch_id: 'bat_1' });
  expect(failure).not.toHaveProperty('usage');
  expect(failure).not.toHaveProperty('message_id');
});

test('another agent reads in a message why there is no answer', async () => {
  const conversation = { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' } as const;
  const driver = new ScriptedDriver(async function* () {
    yield text('It is');
    yield { type: 'end', reason: 'failed', error: '529', sentence: 'The model is overloaded.' };
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    batches: [{ ...batchOf(message('msg_1', 'Hello')), source: conversation }],
  });
  expect(await exit).toBe(0);
  expect(world.answers()).toMatchObject([
    { content: 'It is\n\nThe model is overloaded.', conversation_id: 'conv_1' },
  ]);
});

test('an agent that cannot be started fails the turn, and is started again by the next one', async () => {
  const driver = new ScriptedDriver(
    async function* () {
      yield text('Here I am.');
      yield DONE;
    },
    {
      onOpen: (_options, count) => {
        if (count <= 2) throw new Error('command not found');
      },
    },
  );
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.messages, ACTION.exit], {
    script: {
      // The session that is opened early has failed by now.
      get_pending_messages: async () => {
        await expect.poll(() => world.logged.length).toBeGreaterThan(0);
        return batchOf(message('msg_1', 'Hello'));
      },
    },
  });
  expect(await exit).toBe(0);
  expect(world.answers()).toMatchObject([
    { failure: expect.stringContaining('something went wrong') },
    { content: 'Here I am.' },
  ]);
  expect(world.logged).toEqual(
    expect.arrayContaining([
      'the agent could not be started: Error: command not found',
      'no answer: the agent could not be started: Error: command not found',
    ]),
  );
});

test('what the driver answered itself is not handed in', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'end', reason: 'done', answered: true };
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  expect(world.answers()).toEqual([]);
});

test('a resume token opens the next session where this one stood, unless its context is a fresh one', async () => {
  const driver = new ScriptedDriver(async function* (_turn, session) {
    await session.remember(`token ${driver.opened.length}`);
    yield text(`resumed: ${session.resume}`);
    yield DONE;
  });
  for (const context_since of ['10:00', '10:00', '11:00']) {
    const authenticate = () => ({ success: true, agent_name: 'Aiko', context_since, instruction: '' });
    const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], { script: { authenticate } });
    expect(await exit).toBe(0);
  }
  expect(driver.opened.map(({ resume }) => resume)).toEqual([undefined, 'token 1', undefined]);
});

const STORED = { success: true, answered_count: 1, instruction: '' } as const;

test.each([
  ['U+0000', 'a\u0000b'],
  ['half a pair', 'a\ud83d'],
  ['more than a message may have', 'x'.repeat(250_000)],
])('an answer with %s is stored as it was shown, and the model is asked once', async (_, answer) => {
  const reached = Promise.withResolvers<void>();
  const shown: string[] = [];
  const driver = new ScriptedDriver(async function* () {
    yield text(answer);
    await reached.promise;
    yield text('c');
    yield DONE;
  });
  const taken: string[] = [];
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    script: {
      report_delta: ({ text: piece, offset }) => {
        expect(offset).toBe(shown.join('').length);
        shown.push(piece);
        if (shown.join('').length >= Math.min(answer.length - 1, 99_000)) reached.resolve();
        return { control: null };
      },
      respond_chat: ({ content = '' }) => {
        if (!isStorableText(content) || [...content].length > 100_000)
          throw new ScriptedRefusal('invalid_input');
        taken.push(content);
        return STORED;
      },
    },
  });
  expect(await exit).toBe(0);
  expect(driver.turns).toHaveLength(1);
  expect(taken).toHaveLength(1);
  expect(taken[0]?.startsWith(shown.join(''))).toBe(true);
  expect(shown.every(isStorableText)).toBe(true);
  if (answer.length > 100_000) expect(taken[0]).toMatch(/^x{99000}\n\nThe answer ends here because/);
  else expect(taken[0]).toBe(`a\ufffd${answer.slice(2)}c`);
});

test('an answer that comes too late for the server is counted all the same', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield text('Goodbye.');
    yield { type: 'usage', usage: { inputTokens: 12, outputTokens: 3 } };
    yield DONE;
  });
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    script: {
      respond_chat: ({ content }) => {
        if (content !== undefined) throw new ScriptedRefusal('conversation_ended');
        return STORED;
      },
    },
  });
  expect(await exit).toBe(0);
  expect(server.callsOf('respond_chat').at(-1)?.args).toMatchObject({
    done: false,
    usage: { input_tokens: 12, output_tokens: 3 },
  });
});

test('an answer that the server refuses all the same becomes one sentence, and ends the batch', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield text('Hello.');
    yield { type: 'usage', usage: { inputTokens: 12, outputTokens: 3 } };
    yield DONE;
  });
  const taken: unknown[] = [];
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    script: {
      respond_chat: (answer) => {
        if (answer.content === 'Hello.') throw new ScriptedRefusal('invalid_input');
        taken.push(answer);
        return STORED;
      },
    },
  });
  expect(await exit).toBe(0);
  expect(taken).toEqual([
    expect.objectContaining({ done: false, usage: expect.objectContaining({ input_tokens: 12 }) }),
    {
      batch_id: 'bat_1',
      idempotency_key: 'refused:answer:bat_1:bat_1',
      content: expect.stringMatching(/the server did not take it \(invalid_input\)/),
      target_agent_id: 'user',
    },
  ]);
  expect(driver.turns).toHaveLength(1);
  expect(world.logged).toContainEqual(expect.stringMatching(/^the answer was refused: invalid_input/));
});

test('the secrets of the run are readable in nothing that people see', async () => {
  const detail = `TOKEN=${TICKET}`;
  const driver = new ScriptedDriver(async function* (turn) {
    yield text('It is ');
    await world.server.waitForCall('report_delta');
    // As a model writes.
    for (const character of TICKET) yield text(character);
    yield text(`, or ${TICKET}!`);
    await world.server.waitForCall('report_delta', ({ args }) => String(args.text).includes('!'));
    yield { type: 'step', step: { id: 's', kind: 'command', title: detail, status: 'done', detail } };
    await turn.approve({ tool: 'Bash', summary: detail, input: { command: [detail] } });
    yield { type: 'end', reason: 'failed', error: 'no', sentence: `It said ${TICKET}.` };
  });
  const { exit, server } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    script: { request_approval: () => ({ status: 'denied', tool_use_id: 't', instruction: '' }) },
  });
  expect(await exit).toBe(0);
  const shown = ['report_delta', 'report_step', 'request_approval', 'respond_chat'] as const;
  const seen = JSON.stringify(
    shown.map((tool) => server.callsOf(tool)).map((calls) => calls.map(({ args }) => args)),
  );
  expect(seen).not.toContain(TICKET);
  expect(seen).not.toContain(TICKET.slice(0, 10));
  expect(seen.match(/·+\[hidden\]/g)).toHaveLength(9);
});
