import { afterEach, beforeEach, expect, test } from 'vitest';
import { LoopWorld } from './loop-world.ts';
import { ACTION, batchOf, message } from './runner-world.ts';
import { DONE, INTERRUPTED, ScriptedDriver, text, untilInterrupted } from './scripted-driver.ts';

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

test('what the agent does is in the heartbeats; steps, usage and permissions are in the log', async () => {
  const phase = (name: string) => world.server.waitForCall('heartbeat', ({ args }) => args.phase === name);
  const driver = new ScriptedDriver(async function* (turn) {
    await phase('thinking');
    yield { type: 'step', step: { id: 's1', kind: 'read', title: 'Read 3 files', status: 'running' } };
    await phase('tool');
    yield text('Done.');
    await phase('writing');
    const { decision } = await turn.approve({ tool: 'Bash', summary: 'rm -r build', input: {} });
    yield text(` Permission: ${decision}.`);
    yield {
      type: 'usage',
      usage: { model: 'm1', inputTokens: 12, outputTokens: 3, cacheReadTokens: 2, costUsd: 0.01 },
    };
    yield DONE;
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  expect(world.answers()[0]?.content).toBe('Done. Permission: unavailable.');
  const log = world.logged.join('\n');
  expect(log).toContain('step: read "Read 3 files" running');
  expect(log).toContain('permission to use Bash refused');
  expect(log).toMatch(/usage: m1, 12 tokens in, 2 read from the cache, 3 out, 0\.01 USD, \d+ ms/);
});

test('an interrupt ends the turn, what was written is the answer, and the loop goes on', async () => {
  const written = Promise.withResolvers<void>();
  const driver = new ScriptedDriver([
    async function* (turn) {
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
    script: { heartbeat: () => ({ control: 'interrupt' }) },
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
  expect(world.answers().map((args) => args.content)).toEqual([
    expect.stringMatching(/^It is\n\nI am sorry, something went wrong/),
    'Second answer',
  ]);
  expect(world.logged).toContain('no answer: the stream broke');
  expect(driver.opened).toHaveLength(2);
});

test('a failure that the driver explains is answered in its words, and the session goes on', async () => {
  const driver = new ScriptedDriver(async function* () {
    yield { type: 'end', reason: 'failed', error: '401', sentence: 'Sign in with `claude /login`.' };
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.messages, ACTION.exit]);
  expect(await exit).toBe(0);
  expect(world.answers().map((args) => args.content)).toEqual(Array(2).fill('Sign in with `claude /login`.'));
  expect(driver.opened).toHaveLength(1);
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
  expect(world.answers().map((args) => args.content)).toEqual([
    expect.stringContaining('something went wrong'),
    'Here I am.',
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

test('a resume token opens the next session where this one stood, until the context is to be fresh', async () => {
  const driver = new ScriptedDriver(async function* (_turn, session) {
    await session.remember(`token ${driver.opened.length}`);
    yield text(`resumed: ${session.resume}`);
    yield DONE;
  });
  const fresh = { ...ACTION.exit, reason: 'new_context' };
  for (const last of [ACTION.exit, fresh, ACTION.exit]) {
    const { exit } = await world.live(driver, [ACTION.messages, last]);
    expect(await exit).toBe(0);
  }
  expect(driver.opened.map(({ resume }) => resume)).toEqual([undefined, 'token 1', undefined]);
});
