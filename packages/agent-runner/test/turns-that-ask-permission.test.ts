import { APPROVAL_LIMITS } from '@aizuchi/shared/contract/approval';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import type { ToolArguments, ToolOutput } from '@aizuchi/shared/contract/tools/tools';
import { ScriptedRefusal } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aborted } from '../src/aborted.ts';
import type { ApprovalRequest, Turn } from '../src/driver.ts';
import { LoopWorld } from './loop-world.ts';
import { ACTION, batchOf, message } from './runner-world.ts';
import { DONE, INTERRUPTED, ScriptedDriver, type ScriptedRun, text } from './scripted-driver.ts';

let world: LoopWorld;

beforeEach(async () => {
  world = await LoopWorld.make();
});
afterEach(() => world.close());

type Status = Exclude<ToolOutput<'request_approval'>['status'], 'pending' | 'unavailable'>;

function decided(tool_use_id: string, status: Status, note?: string): NextAction {
  return {
    action: 'approval_resolved',
    tool_use_id,
    status,
    ...(note !== undefined && { note }),
    instruction: '',
    state: 'active',
  };
}

const toRun = (command: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  tool: 'Bash',
  summary: `Run ${command}`,
  input: { command },
  kind: 'command',
  ...more,
});

/** A server that shows each request, with the command as its id. */
const pending = ({ input }: ToolArguments<'request_approval'>): ToolOutput<'request_approval'> => ({
  status: 'pending',
  tool_use_id: String(Object(input).command),
  instruction: '',
});

/** Asks for all at once, and writes what came of each, in their order. */
const asking = (...requests: ApprovalRequest[]): ScriptedRun =>
  async function* (turn: Turn) {
    const outcomes = await Promise.all(requests.map((request) => turn.approve(request)));
    if (turn.signal.aborted) {
      yield INTERRUPTED;
      return;
    }
    yield text(outcomes.map(({ decision, note }) => [decision, note].filter(Boolean).join(' ')).join(', '));
    yield DONE;
  };

const answers = () => world.answers().map(({ content }) => content);

test('it asks in the middle of a turn, and goes on with the decision and its note', async () => {
  const driver = new ScriptedDriver(asking(toRun('ls')));
  const { exit, server } = await world.live(
    driver,
    [ACTION.messages, decided('ls', 'denied', 'Not here.'), ACTION.exit],
    { script: { request_approval: pending } },
  );
  expect(await exit).toBe(0);
  expect(driver.turns).toHaveLength(1);
  expect(server.callsOf('request_approval').map(({ args }) => args)).toEqual([
    {
      tool: 'Bash',
      summary: 'Run ls',
      input: { command: 'ls' },
      kind: 'command',
      hold_seconds: 0,
      idempotency_key: expect.any(String),
    },
  ]);
  expect(answers()).toEqual(['deny Not here.']);
});

test.each<[Status, string]>([
  ['allowed_once', 'allow_once'],
  ['allowed_session', 'allow_session'],
  ['denied', 'deny'],
  ['timeout', 'timeout'],
  ['cancelled', 'cancelled'],
])('%s reaches the driver as %s, at once or later', async (status, decision) => {
  const later = new ScriptedDriver(asking(toRun('ls')));
  const first = await world.live(later, [ACTION.messages, decided('ls', status), ACTION.exit], {
    script: { request_approval: pending },
  });
  expect(await first.exit).toBe(0);
  expect(answers()).toEqual([decision]);
  const atOnce = new ScriptedDriver(asking(toRun('ls')));
  const second = await world.live(atOnce, [ACTION.messages, ACTION.exit], {
    script: { request_approval: () => ({ status, tool_use_id: 'ls', instruction: '' }) },
  });
  expect(await second.exit).toBe(0);
  expect(answers()).toEqual([decision]);
});

test.each([
  ['nobody can be asked', () => ({ status: 'unavailable' as const, tool_use_id: 'ls', instruction: '' })],
  [
    'the server refuses it',
    () => {
      throw new ScriptedRefusal('invalid_input');
    },
  ],
])('%s: that is a refusal, and the turn goes on', async (_name, request_approval) => {
  const driver = new ScriptedDriver(asking(toRun('ls')));
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], { script: { request_approval } });
  expect(await exit).toBe(0);
  expect(answers()).toEqual(['unavailable']);
});

test('several are asked at once, and each gets its own decision, in whatever order they come', async () => {
  const driver = new ScriptedDriver(asking(toRun('one'), toRun('two'), toRun('three')));
  const { exit } = await world.live(
    driver,
    [
      ACTION.messages,
      decided('three', 'denied'),
      decided('one', 'allowed_session'),
      decided('two', 'timeout'),
      ACTION.exit,
    ],
    { script: { request_approval: pending } },
  );
  expect(await exit).toBe(0);
  expect(answers()).toEqual(['allow_session, timeout, deny']);
});

test('while one waits, the turn works on with what was allowed, and asks for more', async () => {
  const order: string[] = [];
  const driver = new ScriptedDriver(async function* (turn) {
    const slow = turn.approve(toRun('slow')).then(({ decision }) => order.push(`slow ${decision}`));
    const { decision } = await turn.approve(toRun('quick'));
    order.push(`quick ${decision}`);
    const next = await turn.approve(toRun('next'));
    order.push(`next ${next.decision}`);
    await slow;
    yield text(order.join(', '));
    yield DONE;
  });
  const after = Promise.withResolvers<void>();
  const actions: (() => NextAction | Promise<NextAction>)[] = [
    () => ACTION.messages,
    () => decided('quick', 'allowed_once'),
    () => after.promise.then(() => decided('next', 'denied')),
    () => decided('slow', 'allowed_once'),
    () => ACTION.exit,
  ];
  const { exit } = await world.live(driver, [], {
    script: {
      request_approval: (args) => {
        if (Object(args.input).command === 'next') after.resolve();
        return pending(args);
      },
      get_next_action: () => actions.shift()?.() ?? new Promise(() => undefined),
    },
  });
  expect(await exit).toBe(0);
  expect(answers()).toEqual(['quick allow_once, next deny, slow allow_once']);
});

test('a decision that comes before the answer to its own request is not lost', async () => {
  const driver = new ScriptedDriver(asking(toRun('open'), toRun('early')));
  const told = Promise.withResolvers<void>();
  const actions: (() => NextAction | Promise<NextAction>)[] = [
    () => ACTION.messages,
    () => decided('early', 'allowed_once'),
    () => {
      told.resolve();
      return decided('open', 'denied');
    },
    () => ACTION.exit,
  ];
  const { exit } = await world.live(driver, [], {
    script: {
      request_approval: async (args) => {
        if (Object(args.input).command === 'early') await told.promise;
        return pending(args);
      },
      get_next_action: () => actions.shift()?.() ?? new Promise(() => undefined),
    },
  });
  expect(await exit).toBe(0);
  expect(answers()).toEqual(['deny, allow_once']);
});

test('a question and a request may be open together, also with the same id', async () => {
  const option = (label: string) => ({ label, description: '' });
  const questions = [
    { question: 'Which?', header: 'Choice', options: [option('a'), option('b')], multiSelect: false },
  ];
  const driver = new ScriptedDriver(async function* (turn) {
    const [asked, requested] = await Promise.all([turn.ask(questions), turn.approve(toRun('toolu_1'))]);
    yield text(`${asked.answers['Which?']} ${requested.decision}`);
    yield DONE;
  });
  const { exit } = await world.live(
    driver,
    [
      ACTION.messages,
      decided('toolu_1', 'denied'),
      ACTION.resolved('answered', { 'Which?': 'b' }),
      ACTION.exit,
    ],
    {
      script: {
        request_approval: pending,
        ask_user_question: () => ({ status: 'pending', tool_use_id: 'toolu_1', instruction: '' }),
      },
    },
  );
  expect(await exit).toBe(0);
  expect(answers()).toEqual(['b deny']);
});

test('an interrupt cancels all that are open, and a late decision changes nothing', async () => {
  const outcomes: string[] = [];
  const driver = new ScriptedDriver(async function* (turn) {
    yield text('So far.');
    await Promise.all(
      ['one', 'two'].map(async (name) => outcomes.push((await turn.approve(toRun(name))).decision)),
    );
    outcomes.push((await turn.approve(toRun('after'))).decision);
    yield INTERRUPTED;
  });
  const late = Promise.withResolvers<NextAction>();
  const actions: (NextAction | Promise<NextAction>)[] = [ACTION.messages, late.promise, ACTION.exit];
  const { exit, server } = await world.live(driver, [], {
    script: {
      request_approval: pending,
      get_next_action: () => actions.shift() ?? new Promise(() => undefined),
      heartbeat: async ({ phase }) => {
        if (phase !== 'waiting') return { control: null };
        await server.waitForCall('request_approval', ({ args }) => Object(args.input).command === 'two');
        return { control: 'interrupt' };
      },
      respond_chat: () => {
        late.resolve(decided('one', 'allowed_once'));
        return { success: true, answered_count: 1, instruction: '' };
      },
    },
  });
  expect(await exit).toBe(0);
  expect(outcomes).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(answers()).toEqual(['So far.']);
  expect(server.callsOf('request_approval')).toHaveLength(2);
});

test('an interrupt that is heard of by its cancelled card first: the turn is interrupted all the same', async () => {
  const driver = new ScriptedDriver(async function* (turn) {
    yield text('So far.');
    const { decision } = await turn.approve(toRun('ls'));
    yield text(` ${decision}.`);
    yield turn.signal.aborted ? INTERRUPTED : DONE;
  });
  const { exit } = await world.live(driver, [ACTION.messages, decided('ls', 'cancelled'), ACTION.exit], {
    script: {
      request_approval: pending,
      // The held one is late.
      heartbeat: ({ hold_seconds }) =>
        hold_seconds === 0 ? { control: 'interrupt' } : new Promise(() => undefined),
    },
  });
  expect(await exit).toBe(0);
  expect(driver.turns[0]?.signal.aborted).toBe(true);
  expect(answers()).toEqual(['So far.']);
});

test('an interrupt ends the turns that work and those that wait, whichever heartbeat hears of it', async () => {
  const working = Promise.withResolvers<void>();
  const driver = new ScriptedDriver(
    async function* (turn: Turn) {
      const { source } = turn;
      if (source.kind === 'chat') await turn.approve(toRun('ls'));
      else {
        working.resolve();
        await aborted(turn.signal);
      }
      yield INTERRUPTED;
    },
    { concurrentTurns: true },
  );
  const ofConversation = {
    ...batchOf(message('msg_c', 'Go on.', { sender: 'agent', senderId: 'agt_2' })),
    batch_id: 'bat_c',
    source: { kind: 'conversation', conversation_id: 'conv_1', agent_id: 'agt_2' } as const,
  };
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.messages, ACTION.exit], {
    batches: [batchOf(message('msg_1', 'Hello')), ofConversation],
    script: {
      request_approval: pending,
      // Only that of the turn that waits hears of it.
      heartbeat: async ({ phase }) => {
        if (phase !== 'waiting') return new Promise(() => undefined);
        await working.promise;
        return { control: 'interrupt' };
      },
    },
  });
  expect(await exit).toBe(0);
  expect(driver.turns.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

test('the session ends while one is open: the driver hears that it is cancelled', async () => {
  let decision: string | undefined;
  const driver = new ScriptedDriver(async function* (turn) {
    decision = (await turn.approve(toRun('ls'))).decision;
    yield INTERRUPTED;
  });
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    script: { request_approval: pending },
  });
  expect(await exit).toBe(0);
  expect(decision).toBe('cancelled');
  expect(answers()).toEqual([]);
});

test('no more are asked at a time than a session may have open; the others follow', async () => {
  const count = APPROVAL_LIMITS.open + 3;
  const names = Array.from({ length: count }, (_, n) => `c${n}`);
  const driver = new ScriptedDriver(asking(...names.map((name) => toRun(name))));
  const tooEarly: number[] = [];
  const waiting = [...names];
  const { exit, server } = await world.live(driver, [], {
    script: {
      request_approval: pending,
      get_next_action: async () => {
        if (driver.turns.length === 0) return ACTION.messages;
        const decisions = count - waiting.length;
        const name = waiting.shift();
        if (name === undefined) return ACTION.exit;
        // Whatever was sent together with the last of them has arrived, too, when a later call has.
        const last = names[APPROVAL_LIMITS.open - 1 + decisions] ?? name;
        await server.waitForCall('request_approval', ({ args }) => Object(args.input).command === last);
        await server.waitForCall('heartbeat', ({ args }) => args.phase === 'waiting');
        const asked = server.callsOf('request_approval').length;
        if (asked > APPROVAL_LIMITS.open + decisions) tooEarly.push(asked);
        return decided(name, 'allowed_once');
      },
    },
  });
  expect(await exit).toBe(0);
  expect(tooEarly).toEqual([]);
  expect(answers()).toEqual([names.map(() => 'allow_once').join(', ')]);
});

test('what is too long is cut before it is sent, what nobody could be shown is refused', async () => {
  let deep: unknown = 1;
  for (let n = 0; n < 1_000; n += 1) deep = [deep];
  const long = toRun('long', {
    tool: 'T'.repeat(101),
    summary: 'あ'.repeat(501),
    input: { command: 'long', content: 'x'.repeat(3_000_000) },
  });
  const driver = new ScriptedDriver(asking(long, toRun('deep', { input: deep })));
  const { exit, server } = await world.live(
    driver,
    [ACTION.messages, decided('long', 'denied'), ACTION.exit],
    {
      script: { request_approval: pending },
    },
  );
  expect(await exit).toBe(0);
  const [call, ...others] = server.callsOf('request_approval');
  expect(others).toEqual([]);
  expect(call?.args).toMatchObject({
    tool: `${'T'.repeat(99)}…`,
    summary: `${'あ'.repeat(499)}…`,
    input: { command: 'long', content: expect.stringContaining('characters were left out') },
  });
  expect(answers()).toEqual(['deny, unavailable']);
});

test('one that was decided before its request was answered: the next card of the turn is heard of all the same', async () => {
  const driver = new ScriptedDriver(async function* (turn) {
    await Promise.all(['one', 'two'].map((name) => turn.approve(toRun(name))));
    const { decision } = await turn.approve(toRun('three'));
    yield text(decision);
    yield DONE;
  });
  const actions = [ACTION.messages, decided('two', 'denied'), decided('one', 'denied')];
  const afterThree = [decided('three', 'allowed_once')];
  const goesOn = Promise.withResolvers<void>();
  const { exit } = await world.live(driver, [], {
    script: {
      get_next_action: async () => actions.shift() ?? afterThree.shift() ?? ACTION.exit,
      // The runner waits for the turn, which waits for the answer to its second request.
      heartbeat: ({ phase }) => {
        if (actions.length === 0 && phase !== 'waiting') goesOn.resolve();
        return { control: null };
      },
      request_approval: async (request) => {
        const answer = pending(request);
        if (answer.tool_use_id === 'two') await goesOn.promise;
        return answer;
      },
    },
  });
  expect(await exit).toBe(0);
  expect(answers()).toEqual(['allow_once']);
});

test('requests that a turn leaves open when it ends take no place of those that follow', async () => {
  const isAsked = Promise.withResolvers<void>();
  let asked = 0;
  const leaving: ScriptedRun = async function* (turn) {
    for (let count = 0; count < APPROVAL_LIMITS.open; count += 1) void turn.approve(toRun(`left-${count}`));
    await isAsked.promise;
    yield text('I did not wait.');
    yield DONE;
  };
  const driver = new ScriptedDriver([leaving, asking(toRun('last'))]);
  const nexts = [
    async () => ACTION.messages,
    async () => {
      await world.server.waitForCall('respond_chat');
      return ACTION.messages;
    },
    async () => {
      await world.server.waitForCall('request_approval', ({ args }) => args.summary === 'Run last');
      return decided('last', 'allowed_once');
    },
  ];
  const { exit } = await world.live(driver, [], {
    script: {
      get_next_action: () => nexts.shift()?.() ?? ACTION.exit,
      request_approval: (request) => {
        asked += 1;
        if (asked === APPROVAL_LIMITS.open) isAsked.resolve();
        return pending(request);
      },
    },
  });
  expect(await exit).toBe(0);
  expect(answers()).toEqual(['I did not wait.', 'allow_once']);
});
