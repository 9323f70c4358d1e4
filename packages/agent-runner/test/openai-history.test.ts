import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Turn } from '../src/driver.ts';
import { OpenAiDriver } from '../src/drivers/openai.ts';
import { LoopWorld } from './loop-world.ts';
import { BOARD, OpenAiWorld, play, TASK } from './openai-world.ts';
import { ACTION, AGENT_ID, batchOf, message } from './runner-world.ts';

let world: OpenAiWorld;
beforeEach(async () => {
  world = await OpenAiWorld.make();
});
afterEach(() => world.close());

const contents = () =>
  world.fake.requests
    .at(-1)
    ?.messages.slice(1)
    .map(({ content }) => content);

/** The process is killed: its turn is never ended, and what it remembered last is all that stays. */
async function killedAt(turn: Turn, isAt: (text: string) => boolean): Promise<void> {
  const session = await world.open();
  const events = session.run(turn)[Symbol.asyncIterator]();
  let text = '';
  for (let next = await events.next(); !next.done; next = await events.next()) {
    if (next.value.type === 'text') text += next.value.text;
    if (isAt(text)) return;
  }
  throw new Error('the turn ended first');
}

describe('the next process', () => {
  test('goes on with what was said', async () => {
    const first = await world.open();
    world.script({ text: 'Tea.' }, { text: 'Green.' });
    await world.say(first, 'What do we drink?');
    await first.close();
    const second = await world.open();
    expect((await world.say(second, 'Which?')).text).toBe('Green.');
    expect(contents()).toEqual(['What do we drink?', 'Tea.', 'Which?']);
  });

  test('begins anew with something that it cannot read', async () => {
    world.remembered = '{"version":1,"sources":"none"}';
    const session = await world.open();
    expect((await world.say(session, 'Hi')).text).toBe('Hello.');
    expect(contents()).toEqual(['Hi']);
  });

  test('does no step again that was done, and says again what was said', async () => {
    let made = 0;
    world.tools = {
      create_task: () => {
        made += 1;
        return { success: true, task: TASK };
      },
    };
    const asked = message('msg_1', 'Order tea');
    world.script(
      { text: 'I order.', calls: [{ name: 'create_task', args: { title: 'Order tea' } }] },
      { text: ['Half', ' and whole'], until: new Promise(() => undefined) },
    );
    await killedAt(world.turn([asked]), (text) => text.endsWith('Half'));
    world.script({ text: 'It is ordered.' });
    const second = await world.open();
    const said = await play(second, world.turn([{ ...asked, redelivered: true }]));
    expect(said.text).toBe('I order.\n\nIt is ordered.');
    expect(made).toBe(1);
    expect(contents()).toEqual(['Order tea', 'I order.', expect.stringContaining('tsk_1')]);
  });

  test('answers what it had answered already without asking the model', async () => {
    const asked = message('msg_1', 'What do we drink?');
    world.script({ text: 'Tea.' });
    await play(await world.open(), world.turn([asked]));
    const again = await play(await world.open(), world.turn([{ ...asked, redelivered: true }]));
    expect([again.text, again.end]).toEqual(['Tea.', { type: 'end', reason: 'done' }]);
    expect(world.fake.requests).toHaveLength(1);
  });

  test('asks the same question again, and leaves alone what may have taken effect', async () => {
    const questions = [{ question: 'Which?', header: 'Which', options: [{ label: 'a' }, { label: 'b' }] }];
    const asked = message('msg_1', 'Choose');
    const never = new Promise<never>(() => undefined);
    world.script({
      text: 'I ask.',
      calls: [
        { name: 'ask_user_question', args: { questions }, id: 'call_a' },
        { name: 'create_task', args: { title: 'Order tea' }, id: 'call_b' },
      ],
    });
    const shown = Promise.withResolvers<void>();
    const ask = () => {
      shown.resolve();
      return never;
    };
    const first = await world.open();
    const running = first.run(world.turn([asked], { ask }))[Symbol.asyncIterator]();
    await running.next();
    running.next();
    running.next();
    await shown.promise;
    world.script({ text: 'b it is.' });
    const second = await world.open();
    const said = await play(
      second,
      world.turn([{ ...asked, redelivered: true }, message('msg_2', 'Hurry', { seq: 2 })], {
        ask: async () => ({ status: 'answered', answers: { 'Which?': 'b' } }),
      }),
    );
    expect(said.text).toBe('I ask.\n\nb it is.');
    expect(world.toolCalls.map(({ name }) => name)).not.toContain('create_task');
    expect(contents()).toEqual([
      'Choose',
      'I ask.',
      '{"status":"answered","answers":{"Which?":"b"}}',
      expect.stringMatching(/not known whether it took effect/),
      'Hurry',
    ]);
  });

  test('knows what of an earlier turn was never answered', async () => {
    world.tools = { get_task: () => ({ task: TASK }) };
    world.script(
      { calls: [{ name: 'get_task', args: { task_id: 'tsk_1' } }] },
      { text: ['Half', ' and whole'], until: new Promise(() => undefined) },
    );
    await killedAt(world.turn([message('msg_1', 'Tell')]), (text) => text === 'Half');
    world.script({ text: 'Hello.' });
    await play(await world.open(), world.turn([message('msg_2', 'Hi', { seq: 2 })]));
    expect(contents()).toEqual([
      'Tell',
      null,
      expect.stringContaining('tsk_1'),
      '[Your process ended before you had answered this.]',
      'Hi',
    ]);
  });
});

test('what another session answered meanwhile is known, and nothing twice', async () => {
  const session = await world.open();
  await play(session, world.turn([message('msg_1', 'One', { seq: 1 })]));
  const own = { sender: 'agent', senderId: 'agt_1' } as const;
  const context = [
    message('msg_1', 'One', { seq: 1 }),
    message('msg_2', 'Hello.', { seq: 2, ...own }),
    message('msg_3', 'Two', { seq: 3 }),
    message('msg_4', 'Second answer', { seq: 4, ...own }),
  ];
  await play(session, world.turn([message('msg_5', 'Three', { seq: 5 })], { context }));
  expect(contents()).toEqual(['One', 'Hello.', 'Two', 'Second answer', 'Three']);
  await play(session, world.turn([message('msg_7', 'Four', { seq: 7 })], { context }));
  expect(contents()?.filter((content) => content === 'Two')).toHaveLength(1);
});

test('a long chat stays within the window: old turns are left out, with a note', async () => {
  const session = await world.open();
  world.script({ text: 'い'.repeat(1_000) });
  for (let turn = 1; turn <= 14; turn += 1) await world.say(session, `${turn}: ${'あ'.repeat(1_500)}`);
  const sizes = world.fake.requests.map(({ messages, tools }) => JSON.stringify([messages, tools]).length);
  expect(Math.max(...sizes)).toBeLessThan(40_000);
  expect(contents()?.[0]).toMatch(/^\[\d+ older messages are left out here.*\n- /);
  expect(contents()?.at(-1)).toMatch(/^14: /);
  expect(world.remembered?.length).toBeLessThan(40_000);
});

test('the history is stored with the runner, until a person wants a fresh context', async () => {
  const runner = await LoopWorld.make();
  const launch = { runId: 'run_1', agentId: AGENT_ID, projectId: 'prj_1', purpose: 'chat' } as const;
  const model = { provider: 'openai', model: 'test-model', baseUrl: world.fake.baseUrl } as const;
  const place = {
    get_my_profile: () => ({
      agent_id: AGENT_ID,
      name: 'Aiko',
      labels: [],
      purpose: 'chat' as const,
      project: { project_id: 'prj_1', name: 'Tea', working_directory: '/tmp', status: 'active' },
    }),
    list_project_agents: () => ({ agents: [] }),
  };
  const live = async (content: string, context_since: string) => {
    const batches = [batchOf(message(`msg_${content}`, content))];
    const driver = new OpenAiDriver({ ...launch, ...model });
    const authenticate = () => ({ success: true, agent_name: 'Aiko', context_since, instruction: '' });
    const script = { ...place, authenticate };
    const { exit } = await runner.live(driver, [ACTION.messages, ACTION.exit], { batches, script });
    expect(await exit).toBe(0);
  };
  try {
    await live('one', '10:00');
    await live('two', '10:00');
    expect(contents()).toEqual(['one', 'Hello.', 'two']);
    await live('three', '11:00');
    expect(contents()).toEqual(['three']);
    expect(runner.answers().map(({ content }) => content)).toEqual(['Hello.']);
  } finally {
    await runner.close();
  }
});

test('what a failed attempt has left in the chat is not written again; what the next one said before its process died is', async () => {
  let reads = 0;
  world.tools = {
    list_tasks: () => {
      reads += 1;
      return reads === 2 ? new Promise(() => undefined) : BOARD;
    },
  };
  const again = [message('msg_failed', 'What is on the board?')];
  const look = (text: string) => ({ text, calls: [{ name: 'list_tasks', args: {} }] });
  const attempt = async () => play(await world.open(), world.turn(again));
  world.script(look('Let me look.'), { text: 'Half', ending: 'cut' });
  expect(await attempt()).toMatchObject({ text: 'Let me look.\n\nHalf', end: { reason: 'failed' } });
  world.script(look('Once more.'));
  void attempt();
  await expect.poll(() => reads).toBe(2);
  world.script({ text: 'One task.' });
  expect(await attempt()).toMatchObject({ text: 'Once more.\n\nOne task.', end: { reason: 'done' } });
});

test('an answer that is only cut short is an answer', async () => {
  world.script({ text: 'The beginning', finish: 'length' });
  const { end } = await play(await world.open(), world.turn([message('msg_cut', 'Tell me all')]));
  expect(end).toMatchObject({ reason: 'failed', isCut: true });
});
