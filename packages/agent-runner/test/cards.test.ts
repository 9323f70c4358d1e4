import type { NextAction } from '@aizuchi/shared/contract/tools/next-action';
import { ScriptedRefusal } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ACTION, batchOf, message, RunnerWorld } from './runner-world.ts';

let world: RunnerWorld;

beforeAll(async () => {
  world = await RunnerWorld.make();
});
afterEach(() => world.reset());
afterAll(() => world.close());

const WISH = message('msg_1', 'Ask me whether tea, coffee or water');
const QUESTION = 'Which one do you choose?';
const PENDING = { status: 'pending' as const, tool_use_id: 'toolu_1', instruction: '' };

test('it asks with the options that were named, and uses the answer', async () => {
  const server = await world.serve(
    [ACTION.messages, ACTION.resolved('answered', { [QUESTION]: 'coffee' }), ACTION.exit],
    {
      get_pending_messages: () => batchOf(WISH),
      ask_user_question: () => PENDING,
    },
  );
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('ask_user_question').map((call) => call.args)).toEqual([
    {
      hold_seconds: 0,
      questions: [
        {
          question: QUESTION,
          header: 'Choice',
          options: ['tea', 'coffee', 'water'].map((label) => ({ label, description: '' })),
          multiSelect: false,
        },
      ],
    },
  ]);
  expect(server.callsOf('respond_chat').map((call) => call.args)).toEqual([
    {
      batch_id: 'bat_1',
      idempotency_key: 'answer:bat_1:bat_1',
      content: 'You chose "coffee". Noted, thank you.',
      target_agent_id: 'user',
    },
  ]);
});

test('while the card is open it answers what comes; that does not answer the message that asked', async () => {
  const grown = batchOf({ ...WISH, repeat: true }, message('msg_2', 'How are the tasks going?'));
  const batches = [batchOf(WISH), { ...grown, batch_id: 'bat_2' }];
  const server = await world.serve(
    [ACTION.messages, ACTION.messages, ACTION.resolved('answered', { [QUESTION]: 'tea' }), ACTION.exit],
    {
      get_pending_messages: () => batches.shift() ?? batchOf(),
      ask_user_question: () => PENDING,
    },
  );
  expect(await world.start().exit).toBe(0);
  // The answer to the waiting message names the newest batch: what came meanwhile is answered already.
  expect(server.callsOf('respond_chat').map(({ args }) => [args.content, args.done, args.batch_id])).toEqual([
    ['There are no tasks on the board yet.', false, 'bat_2'],
    ['You chose "tea". Noted, thank you.', undefined, 'bat_2'],
  ]);
});

test('what came while it asked, in a response that was lost, is given to it all the same', async () => {
  const late = message('msg_2', 'How are the tasks going?', { repeat: true });
  const grown = { ...batchOf({ ...WISH, repeat: true }, late), batch_id: 'bat_2' };
  // The response that gave msg_2 for the first time was cut; after it was answered nothing is new.
  const batches = [batchOf(WISH), grown, grown];
  const server = await world.serve(
    [
      ACTION.messages,
      ACTION.messages,
      ACTION.messages,
      ACTION.resolved('answered', { [QUESTION]: 'tea' }),
      ACTION.exit,
    ],
    {
      get_pending_messages: () => batches.shift() ?? batchOf(),
      ask_user_question: () => PENDING,
    },
  );
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat').map(({ args }) => [args.content, args.done, args.batch_id])).toEqual([
    ['There are no tasks on the board yet.', false, 'bat_2'],
    ['You chose "tea". Noted, thank you.', undefined, 'bat_2'],
  ]);
});

test('a newer batch without the waiting messages is answered by itself; those by their own batch', async () => {
  // Both fit into no delivery together.
  const batches = [
    batchOf(WISH),
    { ...batchOf(message('msg_2', 'How are the tasks going?')), batch_id: 'bat_2' },
  ];
  const server = await world.serve(
    [ACTION.messages, ACTION.messages, ACTION.resolved('answered', { [QUESTION]: 'tea' }), ACTION.exit],
    {
      get_pending_messages: () => batches.shift() ?? batchOf(),
      ask_user_question: () => PENDING,
    },
  );
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat').map(({ args }) => [args.content, args.done, args.batch_id])).toEqual([
    ['There are no tasks on the board yet.', undefined, 'bat_2'],
    ['You chose "tea". Noted, thank you.', undefined, 'bat_1'],
  ]);
});

test.each([
  ['timeout', 'Nobody answered in time.'],
  ['cancelled', 'The question was cancelled.'],
] as const)('%s is reported, and nothing is decided', async (status, said) => {
  const server = await world.serve([ACTION.messages, ACTION.resolved(status), ACTION.exit], {
    get_pending_messages: () => batchOf(WISH),
    ask_user_question: () => PENDING,
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat')[0]?.args.content).toContain(said);
});

test('where nobody can be asked it says so at once', async () => {
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    get_pending_messages: () => batchOf(message('msg_1', '公開してよいかを私に質問して')),
    ask_user_question: () => ({ status: 'unavailable', tool_use_id: 'toolu_1', instruction: '' }),
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat')[0]?.args.content).toContain('何も決めていません');
});

test('a card that the server refuses is not said to have had nobody who reads it', async () => {
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    get_pending_messages: () => batchOf(WISH),
    ask_user_question: () => {
      throw new ScriptedRefusal('invalid_input');
    },
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat')[0]?.args.content).toMatch(
    /The question could not be shown.*log of the run/,
  );
});

test('a message that comes again after a crash asks the same, and takes the answer that is there', async () => {
  const server = await world.serve([ACTION.messages, ACTION.exit], {
    get_pending_messages: () => batchOf({ ...WISH, redelivered: true }),
    ask_user_question: () => ({
      status: 'answered',
      tool_use_id: 'toolu_1',
      answers: { [QUESTION]: 'water' },
      instruction: '',
    }),
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat')[0]?.args.content).toContain('"water"');
});

test('interrupt while a card is open: read, nothing said, and a later answer changes nothing', async () => {
  let interrupted = false;
  let resolve: (action: NextAction) => void = () => undefined;
  const held = new Promise<NextAction>((done) => {
    resolve = done;
  });
  const actions = [ACTION.messages];
  const server = await world.serve([], {
    get_next_action: () => actions.shift() ?? (interrupted ? ACTION.exit : held),
    get_pending_messages: () => batchOf(WISH),
    ask_user_question: () => PENDING,
    heartbeat: () => ({ control: 'interrupt' }),
    respond_chat: () => {
      interrupted = true;
      resolve(ACTION.resolved('cancelled'));
      return { success: true, answered_count: 1, instruction: '' };
    },
  });
  expect(await world.start().exit).toBe(0);
  expect(server.callsOf('respond_chat').map(({ args }) => args)).toEqual([
    { batch_id: 'bat_1', idempotency_key: 'answer:bat_1:bat_1', target_agent_id: 'user' },
  ]);
});
