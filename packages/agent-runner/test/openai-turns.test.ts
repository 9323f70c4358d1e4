import { ScriptedRefusal } from '@aizuchi/shared/testing/scripted-mcp-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Turn } from '../src/driver.ts';
import { BOARD, CONVERSATION, OpenAiWorld, play, stepsOf, TASK } from './openai-world.ts';
import { message, PACK } from './runner-world.ts';

let world: OpenAiWorld;
beforeEach(async () => {
  world = await OpenAiWorld.make();
});
afterEach(() => world.close());

const LIST = { calls: [{ name: 'list_tasks', args: {} }] };
const last = () => world.fake.requests.at(-1);
const results = () =>
  last()
    ?.messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content);

describe('an answer', () => {
  test('comes as the model writes it, after what it thought', async () => {
    const session = await world.open();
    world.script({ reasoning: 'A greeting.', text: ['Hel', 'lo.'] });
    const said = await world.say(session, 'Hi');
    expect(said.events.flatMap((event) => (event.type === 'text' ? event.text : []))).toEqual(['Hel', 'lo.']);
    expect(stepsOf(said)).toEqual(['thought Thinking running', 'thought Thinking done']);
    expect(said.events).toContainEqual({
      type: 'step',
      step: { id: 's1', kind: 'thought', title: 'Thinking', status: 'done', detail: 'A greeting.' },
    });
    expect(said.events).toContainEqual({
      type: 'usage',
      usage: { model: 'test-model-0001', inputTokens: 100, outputTokens: 10, cacheReadTokens: 40 },
    });
    expect(said.end).toEqual({ type: 'end', reason: 'done' });
  });

  test('what a local model thinks in tags is a step, not text', async () => {
    const session = await world.open();
    world.script({ text: ['<think>A greet', 'ing.</think>\n\n', 'Hello.'] });
    const said = await world.say(session, 'こんにちは');
    expect(said.text).toBe('Hello.');
    expect(stepsOf(said)).toEqual(['thought 考え中 running', 'thought 考え中 done']);
  });

  test('the model knows who it is, where it is, who is there and what was said', async () => {
    const session = await world.open({ systemPrompt: 'Be brief.', launch: { apiKey: ' sk-1 ' } });
    world.script({ text: 'Hello.' }, { text: 'Again.' });
    await world.say(session, 'Hi');
    await world.say(session, 'And?');
    const [first, second] = world.fake.requests;
    expect(first?.authorization).toBe('Bearer sk-1');
    const system = first?.messages[0]?.content ?? '';
    for (const part of ['You are Aiko (agent id: agt_1)', 'Tea house', 'Planner', 'Be brief.', 'Owner'])
      expect(system).toContain(part);
    expect(system).toContain('language of the message');
    expect(second?.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello.'],
      ['user', 'And?'],
    ]);
  });

  test('a model sees the pictures of its messages; one that cannot is asked without them', async () => {
    const session = await world.open();
    const file = { id: 'fil_1', name: 'dot.png', mediaType: 'image/png', size: 3 };
    const turn = (id: string) =>
      world.turn([message(id, 'What is this?', { attachments: [file] })], {
        pictures: async () => [{ messageId: id, name: 'dot.png', mediaType: 'image/png', data: 'AAAA' }],
      });
    world.script(
      { text: 'A dot.' },
      { status: 400, message: 'no image input' },
      { text: 'I cannot see it.' },
    );
    expect((await play(session, turn('msg_1'))).text).toBe('A dot.');
    expect(last()?.images).toEqual(['data:image/png;base64,AAAA']);
    expect(last()?.messages[1]?.content).toBe(
      'What is this?\n[attached: dot.png, image/png, 3 bytes, get_attachment id fil_1]',
    );
    expect((await play(session, turn('msg_2'))).text).toBe('I cannot see it.');
    const images = world.fake.requests.map((request) => request.images.length);
    // Of an earlier turn a model sees what was said.
    expect(images).toEqual([1, 1, 0]);
    await play(session, turn('msg_3'));
    expect(last()?.images).toEqual([]);
  });

  test('several people are told apart by their names', async () => {
    world.people = ['Owner', 'Yuki'];
    const session = await world.open();
    await play(
      session,
      world.turn([
        message('msg_1', 'Hi'),
        message('msg_2', 'Me too', { senderName: 'Yuki', humanId: 'hum_1' }),
      ]),
    );
    expect(last()?.messages[1]?.content).toBe('Owner: Hi\n\nYuki: Me too');
  });

  test('a first turn knows what was said before this agent had a model', async () => {
    const session = await world.open();
    const before = [
      message('msg_1', 'Who are you?', { seq: 1 }),
      message('msg_2', 'Aiko.', { seq: 2, sender: 'agent', senderId: 'agt_1' }),
      message('msg_3', 'timed out', { seq: 3, sender: 'system', senderId: 'system' }),
      message('msg_4', 'Still there?', { seq: 4 }),
    ];
    await play(session, world.turn([message('msg_5', 'Hello?', { seq: 5 })], { context: before }));
    expect(
      last()
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual(['Who are you?', 'Aiko.', 'Still there?\n\nHello?']);
  });
});

describe('what memory holds', () => {
  test('stands before the message it was found for, through all its replies, and not in the next turn', async () => {
    world.tools = { list_tasks: () => BOARD };
    const session = await world.open();
    world.script({ text: '', ...LIST }, { text: 'Momo.' });
    await world.say(session, 'My cat?', { memory: PACK });
    const found = /^<memory>\n.*2026-05-03 10:00, Owner: My cat is Momo\.\n<\/memory>\n\nMy cat\?$/s;
    for (const { messages } of world.fake.requests.slice(-2)) expect(messages[1]?.content).toMatch(found);
    await world.say(session, 'Thanks.');
    expect(last()?.messages[1]?.content).toBe('My cat?');
  });

  test('is nothing when nothing was found', async () => {
    await world.say(await world.open(), 'Hello', { memory: { ...PACK, selected: [] } });
    expect(last()?.messages[1]?.content).toBe('Hello');
  });
});

describe('tools', () => {
  test('are used until the answer is there; each is a step, and all replies are counted', async () => {
    world.tools = { list_tasks: () => BOARD };
    const session = await world.open();
    world.script({ text: 'I look.', ...LIST }, { text: 'One task.' });
    const said = await world.say(session, 'What is to do?');
    expect(said.text).toBe('I look.\n\nOne task.');
    expect(stepsOf(said)).toEqual(['tool list_tasks running', 'tool list_tasks done']);
    expect(said.events.findLast(({ type }) => type === 'usage')).toMatchObject({
      usage: { inputTokens: 200, outputTokens: 20, cacheReadTokens: 80 },
    });
    expect(
      last()
        ?.messages.slice(2)
        .map(({ role }) => role),
    ).toEqual(['assistant', 'tool']);
    expect(results()?.[0]).toContain('"task_id":"tsk_1"');
  });

  test('a long result is shortened for people and for the model', async () => {
    world.tools = {
      list_tasks: () => ({ ...BOARD, tasks: [{ ...TASK, description: 'あ'.repeat(50_000) }] }),
    };
    const session = await world.open();
    world.script(LIST, { text: 'Long.' });
    const { events } = await world.say(session, 'What is to do?');
    const details = events.flatMap((event) => (event.type === 'step' ? (event.step.detail ?? []) : []));
    expect(details.map((detail) => Buffer.byteLength(detail) <= 4_096)).toEqual([true]);
    expect(details[0]).toMatch(/cut: \d+ characters/);
    expect(results()?.[0]?.length).toBeLessThan(16_100);
  });

  test('a writing tool carries a key, so that it can be repeated when its answer is lost', async () => {
    world.tools = { create_task: () => ({ success: true, task: TASK }) };
    const session = await world.open();
    world.script(
      {
        calls: [
          { name: 'create_task', args: { title: 'Order tea' } },
          { name: 'create_task', args: { title: 'Order tea' } },
        ],
      },
      { text: 'Done.' },
    );
    await world.say(session, 'Order tea, twice');
    const made = world.toolCalls.filter(({ name }) => name === 'create_task').map(({ args }) => args);
    expect(made).toEqual(Array(2).fill({ title: 'Order tea', idempotency_key: expect.any(String) }));
    expect(new Set(made.map(({ idempotency_key: key }) => key)).size).toBe(2);
    expect(results()?.every((text) => !text?.includes('instruction'))).toBe(true);
  });

  test.each([
    [
      'arguments that are no JSON',
      { name: 'list_tasks', args: '{"status": tod' },
      /not valid JSON: \{"status": tod/,
    ],
    ['arguments of another shape', { name: 'get_task', args: { id: 'x' } }, /Nothing was done.*task_id/s],
    ['a tool that is not there', { name: 'delete_all', args: {} }, /no tool "delete_all".*list_tasks/],
    ['a refusal of the server', { name: 'get_task', args: { task_id: 'x' } }, /Refused \(task_not_found\)/],
  ])('%s: the model reads why, and goes on', async (_, call, reason) => {
    world.tools = {
      get_task: () => {
        throw new ScriptedRefusal('task_not_found');
      },
    };
    const session = await world.open();
    world.script({ calls: [call] }, { text: 'I could not.' });
    const said = await world.say(session, 'Look');
    expect(results()?.[0]).toMatch(reason);
    expect(stepsOf(said)).toEqual([`tool ${call.name} running`, `tool ${call.name} failed`]);
    expect(said.text).toBe('I could not.');
  });

  test('a model that uses tools without end is told to answer, and stopped when it does not', async () => {
    world.tools = { list_tasks: () => BOARD };
    const session = await world.open({ limits: { steps: 3 } });
    world.fake.script = ({ tool_choice: choice }) => (choice === 'none' ? { text: 'Enough.' } : LIST);
    expect((await world.say(session, 'Look')).text).toBe('Enough.');
    expect(world.fake.requests).toHaveLength(4);
    expect(last()?.messages.at(-1)?.content).toContain('Answer now');
    world.fake.script = () => LIST;
    const { end } = await world.say(session, 'Look again');
    expect(end).toMatchObject({ reason: 'failed', sentence: expect.stringMatching(/tools 3 times/) });
    expect(world.fake.requests).toHaveLength(8);
  });

  test('what a model thought before a tool comes back to it, unless it refuses that', async () => {
    world.tools = { list_tasks: () => BOARD };
    const session = await world.open();
    world.script({ reasoning: 'The board.', ...LIST }, { text: 'One.' });
    await world.say(session, 'What is to do?');
    const thoughts = () => last()?.messages.flatMap((message) => message.reasoning_content ?? []);
    expect(thoughts()).toEqual(['The board.']);
    world.script(
      { reasoning: 'Again.', ...LIST },
      { status: 400, message: "property 'reasoning_content' is unsupported" },
      { text: 'Still one.' },
    );
    expect((await world.say(session, 'And now?')).text).toBe('Still one.');
    expect(thoughts()).toEqual([]);
  });

  test('a model that knows no tools is asked without them, from then on', async () => {
    const session = await world.open();
    world.script(
      { status: 400, message: 'registry/gemma does not support tools' },
      { text: 'Hello.' },
      { text: 'Again.' },
    );
    expect((await world.say(session, 'Hi')).text).toBe('Hello.');
    await world.say(session, 'And?');
    expect(world.fake.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false, false]);
  });
});

describe('a question card', () => {
  const CARD = {
    questions: [{ question: 'Which?', header: 'Which', options: [{ label: 'a' }, { label: 'b' }] }],
  };
  const ASKS = { text: 'I have to know.', calls: [{ name: 'ask_user_question', args: CARD }] };

  test('is asked in the middle of the turn, and the model reads what was chosen', async () => {
    const session = await world.open();
    world.script(ASKS, { text: 'b it is.' });
    const asked: unknown[] = [];
    const said = await world.say(session, 'Choose', {
      ask: async (questions) => {
        asked.push(...questions);
        return { status: 'answered', answers: { 'Which?': 'b' } };
      },
    });
    expect(asked).toEqual([
      {
        question: 'Which?',
        header: 'Which',
        multiSelect: false,
        options: [
          { label: 'a', description: '' },
          { label: 'b', description: '' },
        ],
      },
    ]);
    expect(results()).toEqual(['{"status":"answered","answers":{"Which?":"b"}}']);
    expect(said.text).toBe('I have to know.\n\nb it is.');
    expect(stepsOf(said)).toEqual([]);
  });

  test('with a mistake in it is not shown, and the model reads which', async () => {
    const session = await world.open();
    world.script({ calls: [{ name: 'ask_user_question', args: { questions: [] } }] }, { text: 'Well.' });
    await world.say(session, 'Choose', { ask: () => expect.unreachable() });
    expect(results()?.[0]).toMatch(/No card was shown/);
  });

  test('that the server refuses is told as that', async () => {
    const session = await world.open();
    world.script(ASKS, { text: 'Well.' });
    const refused = { status: 'refused', answers: {}, reason: 'Too many are open.' } as const;
    await world.say(session, 'Choose', { ask: async () => refused });
    expect(results()?.[0]).toMatch(/No card was shown\. Too many are open\./);
  });

  test('other messages of the chat are answered while it waits', async () => {
    const session = await world.open();
    const answered = Promise.withResolvers<{ status: 'answered'; answers: Record<string, string> }>();
    const shown = Promise.withResolvers<void>();
    world.script(ASKS, { text: 'At noon.' }, { text: 'b it is.' });
    const ask: Turn['ask'] = () => {
      shown.resolve();
      return answered.promise;
    };
    const waiting = world.say(session, 'Choose', { ask });
    await shown.promise;
    expect((await world.say(session, 'When do we eat?')).text).toBe('At noon.');
    expect(
      last()
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual([
      'Choose',
      expect.stringMatching(/^I have to know\.\n\n\[You have called ask_user_question .* wait/),
      'When do we eat?',
    ]);
    answered.resolve({ status: 'answered', answers: { 'Which?': 'b' } });
    expect((await waiting).text).toBe('I have to know.\n\nb it is.');
    expect(
      last()
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual([
      'When do we eat?',
      'At noon.',
      'Choose',
      'I have to know.',
      '{"status":"answered","answers":{"Which?":"b"}}',
    ]);
  });
});

describe('an interrupt', () => {
  test('in the middle of the text: what was written is kept, and the model knows', async () => {
    const session = await world.open();
    const cut = new AbortController();
    world.script({ text: ['Half', ' and whole'], until: new Promise(() => undefined) }, { text: 'Next.' });
    const turn = world.turn([message('msg_0', 'Tell')], { signal: cut.signal });
    const events = [];
    for await (const event of session.run(turn)) {
      events.push(event);
      if (event.type === 'text') cut.abort();
    }
    expect(events).toEqual([
      { type: 'text', text: 'Half' },
      // It was paid for up to here.
      { type: 'usage', usage: { inputTokens: expect.any(Number), outputTokens: 2, cacheReadTokens: 0 } },
      { type: 'end', reason: 'interrupted' },
    ]);
    await expect.poll(() => world.fake.left).toBe(1);
    await world.say(session, 'And now?');
    expect(
      last()
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual(['Tell', 'Half\n\n[You were interrupted here.]', 'And now?']);
  });

  test('while a tool runs', async () => {
    const session = await world.open();
    const cut = new AbortController();
    world.tools = {
      list_tasks: () => {
        cut.abort(new Error('interrupted'));
        throw cut.signal.reason;
      },
    };
    world.script(LIST, { text: 'Next.' });
    const { end } = await world.say(session, 'Look', { signal: cut.signal });
    expect(end).toEqual({ type: 'end', reason: 'interrupted' });
    expect((await world.say(session, 'And now?')).text).toBe('Next.');
  });
});

describe('in a conversation with an agent', () => {
  const said = (id: string, content: string) =>
    message(id, content, { sender: 'agent', senderId: 'agt_2', senderName: 'Bob', conversationId: 'conv_1' });
  const CONVERSATION_VIEW = {
    conversation: {
      id: 'conv_1',
      projectId: 'prj_1',
      initiatorAgentId: 'agt_2',
      participantAgentId: 'agt_1',
      state: 'active' as const,
      purpose: 'what tea to order',
      messageCount: 1,
      maxMessages: 20,
      chainId: 'conv_1',
      createdAt: '2026-01-01T00:00:00.000Z',
      endedAt: null,
      endedBy: null,
      endReason: null,
      finalMessage: null,
    },
    messages: [],
    has_more: false,
    total_count: 1,
  };
  const answering = (content: string, id = 'msg_9') =>
    world.turn([said(id, content)], { source: CONVERSATION });
  beforeEach(() => {
    world.tools = {
      get_conversation_messages: () => CONVERSATION_VIEW,
      end_conversation: () => ({
        success: true,
        conversation_id: 'conv_1',
        state: 'ended',
        ended_by: 'agt_1',
        reason: 'participant_ended',
        instruction: '',
      }),
      send_message: () => ({ success: true, message: message('msg_8', 'x'), instruction: '' }),
    };
  });

  test('it knows with whom and about what, and cannot ask a person', async () => {
    const session = await world.open();
    world.script({ text: 'Green.' });
    expect((await play(session, answering('Which tea?'))).text).toBe('Green.');
    const system = last()?.messages[0]?.content;
    expect(system).toContain('Bob (agent id: agt_2)');
    expect(system).toContain('what tea to order');
    expect(last()?.tools.map((tool) => tool.function.name)).not.toContain('ask_user_question');
  });

  test('an empty answer means read; in the chat it is a failure', async () => {
    const session = await world.open();
    world.script({ text: '' });
    const read = await play(session, answering('Thanks.'));
    expect([read.text, read.end]).toEqual(['', { type: 'end', reason: 'done' }]);
    expect((await world.say(session, 'Hi')).end).toMatchObject({ reason: 'failed' });
  });

  test('its end is the answer: what was said before it is the last word', async () => {
    const session = await world.open();
    world.script(
      { text: 'Green it is.', calls: [{ name: 'end_conversation', args: {} }] },
      { text: 'Never asked.' },
    );
    const { end } = await play(session, answering('Green?'));
    expect(end).toEqual({ type: 'end', reason: 'done', answered: true });
    expect(world.toolCalls.at(-1)).toMatchObject({
      name: 'end_conversation',
      args: { conversation_id: 'conv_1', final_message: 'Green it is.' },
    });
    expect(world.fake.requests).toHaveLength(1);
  });

  test('the answer is not sent a second time by a tool', async () => {
    const session = await world.open();
    const call = { name: 'send_message', args: { target_agent_id: 'agt_2', content: 'Green.' } };
    world.script({ calls: [call] }, { text: 'Green.' });
    expect((await play(session, answering('Which tea?'))).text).toBe('Green.');
    expect(world.toolCalls.map(({ name }) => name)).not.toContain('send_message');
    expect(results()?.[0]).toMatch(/as the text of your answer/);
  });

  test('one that was begun in the chat knows why, and its end is told there', async () => {
    const session = await world.open();
    world.tools.start_conversation = () => ({
      success: true,
      conversation_id: 'conv_1',
      status: 'pending',
      participant_agent_id: 'agt_2',
      purpose: 'tea',
      max_messages: 20,
      instruction: '',
    });
    const begins = { target_agent_id: 'agt_2', purpose: 'tea', initial_message: 'Which tea?' };
    world.script(
      { calls: [{ name: 'start_conversation', args: begins }] },
      { text: 'I have asked Bob.' },
      { text: 'And how much?' },
      { text: 'Bob says: green, 200 g.' },
    );
    await world.say(session, 'Ask Bob which tea he wants');
    await play(session, answering('Green.'));
    expect(
      last()
        ?.messages.slice(1)
        .map(({ content }) => content),
    ).toEqual([expect.stringContaining('Ask Bob which tea he wants'), 'Which tea?', 'Green.']);
    const unread = [said('msg_10', '200 g. Goodbye.')];
    await session.conversationOver?.({ id: 'conv_1', reason: 'participant_ended', unread });
    expect(world.toolCalls.at(-1)).toMatchObject({
      name: 'send_message',
      args: {
        target_agent_id: 'user',
        content: 'Bob says: green, 200 g.',
        idempotency_key: 'report:conv_1',
      },
    });
    expect(last()?.messages.at(-1)?.content).toContain('200 g. Goodbye.');
    await session.close();
    expect(world.spent).toEqual([
      { model: 'test-model-0001', inputTokens: 100, outputTokens: 10, cacheReadTokens: 40 },
    ]);
  });

  test('one that the limit of the day has ended asks no model', async () => {
    const session = await world.open();
    world.tools.start_conversation = () => ({
      success: true,
      conversation_id: 'conv_1',
      status: 'pending',
      participant_agent_id: 'agt_2',
      purpose: 'tea',
      max_messages: 20,
      instruction: '',
    });
    const begins = { target_agent_id: 'agt_2', purpose: 'tea', initial_message: 'Which tea?' };
    world.script({ calls: [{ name: 'start_conversation', args: begins }] }, { text: 'I asked.' });
    await world.say(session, 'Ask Bob which tea he wants');
    const unread = [said('msg_10', 'Green.')];
    await session.conversationOver?.({ id: 'conv_1', reason: 'usage_limit', unread });
    await expect.poll(() => world.remembered).toContain('usage_limit');
    // The next turn knows what came of it.
    await world.say(session, 'And?');
    await session.close();
    expect(world.fake.requests).toHaveLength(3);
    expect(JSON.stringify(last()?.messages)).toContain('Green.');
  });

  test('the end of one that nobody in the chat waits for asks no model', async () => {
    const session = await world.open();
    world.script({ text: 'Green.' });
    await play(session, answering('Which tea?'));
    await session.conversationOver?.({ id: 'conv_1', reason: 'timeout', unread: [] });
    await session.conversationOver?.({ id: 'conv_9', reason: 'timeout', unread: [] });
    await session.close();
    expect(world.fake.requests).toHaveLength(1);
  });
});
