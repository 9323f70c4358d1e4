import type { PendingMessages } from '@aizuchi/shared/contract/tools/chat-tools';
import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { hiderOf } from '@aizuchi/shared/platform/secret-values';
import { ScriptedRefusal } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Turn } from '../src/driver.ts';
import { LoopWorld } from './loop-world.ts';
import { ACTION, batchOf, message } from './runner-world.ts';
import { DONE, INTERRUPTED, ScriptedDriver, type ScriptedRun, text } from './scripted-driver.ts';
import { TICKET } from './scripted-session.ts';

let world: LoopWorld;

beforeEach(async () => {
  world = await LoopWorld.make();
});
afterEach(() => world.close());

const option = (label: string) => ({ label, description: '' });
const QUESTIONS = [
  { question: 'Which?', header: 'Choice', options: [option('a'), option('b')], multiSelect: false },
];
const PENDING = { status: 'pending' as const, tool_use_id: 'toolu_1', instruction: '' };
const SECOND: PendingMessages = { ...batchOf(message('msg_2', 'And this?')), batch_id: 'bat_2' };

const asking: ScriptedRun = async function* (turn) {
  yield text('I have to know. ');
  await world.server.waitForCall('report_delta');
  const { status, answers } = await turn.ask(QUESTIONS);
  if (turn.signal.aborted) {
    yield INTERRUPTED;
    return;
  }
  yield text(`${status}: ${answers['Which?']}`);
  yield DONE;
};
const plain: ScriptedRun = async function* (turn) {
  yield text(`plain: ${turn.messages.map(({ content }) => content).join()}`);
  yield DONE;
};

test('it asks in the middle of a turn, and goes on in the same turn with the answer', async () => {
  const driver = new ScriptedDriver(asking);
  const { exit, server } = await world.live(
    driver,
    [ACTION.messages, ACTION.resolved('answered', { 'Which?': 'b' }), ACTION.exit],
    { script: { ask_user_question: () => PENDING } },
  );
  expect(await exit).toBe(0);
  expect(driver.turns).toHaveLength(1);
  expect(server.callsOf('ask_user_question')).toHaveLength(1);
  expect(world.answers()).toEqual([
    expect.objectContaining({
      batch_id: 'bat_1',
      content: 'I have to know. answered: b',
      message_id: server.callsOf('report_delta')[0]?.args.message_id,
    }),
  ]);
});

test('questions that the server refuses: the driver is told why, not that nobody is there', async () => {
  const heard: unknown[] = [];
  const driver = new ScriptedDriver(async function* (turn) {
    heard.push(await turn.ask(QUESTIONS));
    yield DONE;
  });
  const ask_user_question = () => {
    throw new ScriptedRefusal('invalid_input');
  };
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    script: { ask_user_question },
  });
  expect(await exit).toBe(0);
  expect(heard).toEqual([
    { status: 'refused', answers: {}, reason: expect.stringMatching(/^Error: invalid_input$/) },
  ]);
  expect(world.logged.join()).toContain('the question was refused: invalid_input');
});

test('a secret of the run is in no question, and the model is told its own words', async () => {
  const heard: unknown[] = [];
  const [mine, shown] = [`Use ${TICKET}`, `Use ${hiderOf([TICKET])(TICKET)}`];
  const asked = [
    {
      question: `Is ${TICKET} right?`,
      header: 'Key',
      options: [option(mine), option('No')],
      multiSelect: true,
    },
  ];
  const driver = new ScriptedDriver(async function* (turn) {
    heard.push(await turn.ask(asked));
    yield DONE;
  });
  const answers = { [hiderOf([TICKET])(`Is ${TICKET} right?`)]: `${shown}, No` };
  const { exit, server } = await world.live(
    driver,
    [ACTION.messages, ACTION.resolved('answered', answers), ACTION.exit],
    { script: { ask_user_question: () => PENDING } },
  );
  expect(await exit).toBe(0);
  const [call] = server.callsOf('ask_user_question');
  expect(JSON.stringify(call?.args)).not.toContain(TICKET);
  expect(call?.args).toMatchObject({ questions: [{ options: [{ label: shown }, { label: 'No' }] }] });
  expect(heard).toEqual([{ status: 'answered', answers: { [`Is ${TICKET} right?`]: `${mine}, No` } }]);
});

test('while it waits, the heartbeats say so', async () => {
  const driver = new ScriptedDriver(asking);
  const resolved = Promise.withResolvers<NextAction>();
  const actions: (NextAction | Promise<NextAction>)[] = [ACTION.messages, resolved.promise, ACTION.exit];
  const { exit, server } = await world.live(driver, [], {
    script: {
      ask_user_question: () => PENDING,
      get_next_action: () => actions.shift() ?? new Promise(() => undefined),
    },
  });
  await server.waitForCall('heartbeat', ({ args }) => args.phase === 'waiting');
  resolved.resolve(ACTION.resolved('timeout'));
  expect(await exit).toBe(0);
  expect(world.answers()[0]?.content).toBe('I have to know. timeout: undefined');
});

test('questions of one turn that are asked at once are shown one after the other', async () => {
  const driver = new ScriptedDriver(async function* (turn: Turn) {
    const outcomes = await Promise.all([turn.ask(QUESTIONS), turn.ask(QUESTIONS)]);
    yield text(outcomes.map(({ answers }) => answers['Which?']).join());
    yield DONE;
  });
  let cards = 0;
  const resolved = (tool_use_id: string, label: string): NextAction => ({
    ...ACTION.resolved('answered', { 'Which?': label }),
    action: 'question_resolved',
    tool_use_id,
    status: 'answered',
  });
  const { exit } = await world.live(
    driver,
    [ACTION.messages, resolved('toolu_1', 'a'), resolved('toolu_2', 'b'), ACTION.exit],
    {
      script: {
        ask_user_question: () => {
          cards += 1;
          return { ...PENDING, tool_use_id: `toolu_${cards}` };
        },
      },
    },
  );
  expect(await exit).toBe(0);
  expect(world.answers().map((args) => args.content)).toEqual(['a,b']);
});

test('a driver with one turn at a time gets the next batch when the waiting turn is over', async () => {
  const driver = new ScriptedDriver([asking, plain]);
  const { exit } = await world.live(
    driver,
    [
      ACTION.messages,
      ACTION.messages,
      ACTION.resolved('answered', { 'Which?': 'a' }),
      ACTION.messages,
      ACTION.exit,
    ],
    {
      batches: [batchOf(message('msg_1', 'Hello')), SECOND],
      script: { ask_user_question: () => PENDING },
    },
  );
  expect(await exit).toBe(0);
  expect(world.answers().map((args) => [args.batch_id, args.content])).toEqual([
    ['bat_1', 'I have to know. answered: a'],
    ['bat_2', 'plain: And this?'],
  ]);
});

test('a driver with concurrent turns answers the next batch meanwhile', async () => {
  const driver = new ScriptedDriver([asking, plain], { concurrentTurns: true });
  const { exit } = await world.live(
    driver,
    [ACTION.messages, ACTION.messages, ACTION.resolved('answered', { 'Which?': 'a' }), ACTION.exit],
    {
      batches: [batchOf(message('msg_1', 'Hello')), SECOND],
      script: { ask_user_question: () => PENDING },
    },
  );
  expect(await exit).toBe(0);
  expect(world.answers().map((args) => [args.batch_id, args.content])).toEqual([
    ['bat_2', 'plain: And this?'],
    ['bat_1', 'I have to know. answered: a'],
  ]);
});

test('a turn that fails after a card fails its own messages; what was answered meanwhile is closed', async () => {
  const failing: ScriptedRun = async function* (turn) {
    await turn.ask(QUESTIONS);
    yield { type: 'end', reason: 'failed', error: '529', sentence: 'The model is overloaded.' };
  };
  const driver = new ScriptedDriver([failing, plain], { concurrentTurns: true });
  const first = message('msg_1', 'Hello');
  const grown = { ...batchOf({ ...first, repeat: true }, message('msg_2', 'And this?')), batch_id: 'bat_2' };
  const { exit } = await world.live(
    driver,
    [ACTION.messages, ACTION.messages, ACTION.resolved('answered', { 'Which?': 'a' }), ACTION.exit],
    { script: { ask_user_question: () => PENDING }, batches: [batchOf(first), grown] },
  );
  expect(await exit).toBe(0);
  expect(
    world.answers().map(({ batch_id, content, failure, done }) => ({ batch_id, content, failure, done })),
  ).toEqual([
    { batch_id: 'bat_2', content: 'plain: And this?', failure: undefined, done: false },
    { batch_id: 'bat_1', content: undefined, failure: 'The model is overloaded.', done: undefined },
    { batch_id: 'bat_2', content: undefined, failure: undefined, done: undefined },
  ]);
});

test('an interrupt while a card is open: what was written is the answer, and a late answer changes nothing', async () => {
  const driver = new ScriptedDriver(asking);
  const answered = Promise.withResolvers<NextAction>();
  const actions: (NextAction | Promise<NextAction>)[] = [ACTION.messages, answered.promise, ACTION.exit];
  const { exit } = await world.live(driver, [], {
    script: {
      ask_user_question: () => PENDING,
      get_next_action: () => actions.shift() ?? new Promise(() => undefined),
      heartbeat: ({ phase }) => ({ control: phase === 'waiting' ? 'interrupt' : null }),
      respond_chat: () => {
        answered.resolve(ACTION.resolved('answered', { 'Which?': 'b' }));
        return { success: true, answered_count: 1, instruction: '' };
      },
    },
  });
  expect(await exit).toBe(0);
  expect(world.answers().map((args) => args.content)).toEqual(['I have to know.']);
});

test('the session ends while a card is open: nothing is handed in, and the driver is closed', async () => {
  const driver = new ScriptedDriver(asking);
  const { exit } = await world.live(driver, [ACTION.messages, ACTION.exit], {
    script: { ask_user_question: () => PENDING },
  });
  expect(await exit).toBe(0);
  expect(world.answers()).toEqual([]);
  expect(driver.closed).toBe(1);
});
