import type { Message } from '@aizuchi/shared/contract/chat';
import { runPageSchema } from '@aizuchi/shared/contract/run';
import { taskPageSchema } from '@aizuchi/shared/contract/task';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeOpenAi, type FakeScript } from '../../fixtures/fake-openai.ts';
import { KillWorld } from '../kill/kill-support.ts';
import { until } from '../start/product-process.ts';
import { Frames } from '../streaming/frames.ts';
import { Board } from '../tasks/task-world.ts';

/** The product as it is started, our runner, and a model that is a script on loopback. */
let world: KillWorld;
let fake: FakeOpenAi;
beforeAll(async () => {
  [world, fake] = await Promise.all([KillWorld.start(), FakeOpenAi.start(() => ({ text: 'Hello.' }))]);
});
afterAll(async () => {
  expect(await world.product.stop()).toBe(true);
  await fake.close();
});

/** A project with an agent of this provider, an open chat, and a page that follows it. */
async function makeModelAgent(name: string, more: object = {}) {
  const model = { provider: 'openai', model: 'test-model', baseUrl: fake.baseUrl, ...more };
  const membership = await world.makeAgent(name, model);
  const { AIZUCHI_WEB_URL: url = '' } = world.product.environment;
  const frames = await Frames.follow(url, world.token, membership.projectId);
  let written = 0;
  return {
    ...membership,
    frames,
    write: (content: string) => {
      written += 1;
      return world.write(membership, content, `m${written}`);
    },
    answers: async (): Promise<Message[]> =>
      (await world.messages(membership)).filter(({ sender }) => sender === 'agent'),
    runs: async () =>
      runPageSchema.parse(await world.call('GET', `/projects/${membership.projectId}/runs`)).runs,
  };
}

/** From the next request on. */
function script(...replies: [ReturnType<FakeScript>, ...ReturnType<FakeScript>[]]): void {
  const begin = fake.requests.length;
  fake.script = (_, index) => replies[index - begin] ?? replies[0];
}

it('a message is answered by the model: streamed, with a task on the board and a question to the person', async () => {
  const agent = await makeModelAgent('modelled');
  await world.open(agent);
  const shown = Promise.withResolvers<void>();
  const questions = [
    { question: 'Which tea?', header: 'Tea', options: [{ label: 'Sencha' }, { label: 'Hojicha' }] },
  ];
  script(
    {
      text: ['I put it ', 'on the board.'],
      until: shown.promise,
      calls: [{ name: 'create_task', args: { title: 'Order tea', priority: 'high' } }],
    },
    { calls: [{ name: 'ask_user_question', args: { questions } }] },
    { text: 'Hojicha it is.' },
  );
  const asked = await agent.write('We are out of tea.');
  const first = await agent.frames.delta('I put it ');
  expect(await agent.answers()).toEqual([]);
  shown.resolve();

  const [card = ''] = await world.pendingCards(agent);
  const { tasks } = taskPageSchema.parse(await world.call('GET', `/projects/${agent.projectId}/tasks`));
  expect(tasks).toEqual([
    expect.objectContaining({ title: 'Order tea', priority: 'high', createdBy: agent.agentId }),
  ]);
  await world.call('POST', `/questions/${card}/answer`, { answers: { 0: '1' } });
  await world.answered(agent, asked.id);
  expect(await agent.answers()).toEqual([
    expect.objectContaining({
      id: first.messageId,
      content: 'I put it on the board.\n\nHojicha it is.',
      model: 'test-model-0001',
      usage: expect.objectContaining({ inputTokens: 300, outputTokens: 30, cacheReadTokens: 120 }),
    }),
  ]);
  expect(fake.requests.at(-1)?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: '{"status":"answered","answers":{"Which tea?":"Hojicha"}}',
  });

  agent.frames.close();
});

it('a killed process: the next one knows what was said', async () => {
  const agent = await makeModelAgent('again');
  script({ text: 'Sencha.' }, { text: 'Because it is green.' });
  const asked = await agent.write('Which tea do you like?');
  await world.answered(agent, asked.id);
  process.kill(await world.runningPid(agent), 'SIGKILL');
  await until(async () => (await agent.runs()).some(({ state }) => state === 'exited'));
  const why = await agent.write('Why?');
  await world.answered(agent, why.id);
  expect(
    fake.requests
      .at(-1)
      ?.messages.slice(1)
      .map(({ content }) => content),
  ).toEqual(['Which tea do you like?', 'Sencha.', 'Why?']);
  agent.frames.close();
});

it('what a model has stored it is given with a later message, and the answer names the search', async () => {
  const agent = await makeModelAgent('remembering');
  const stored = { name: 'remember', args: { text: "The owner's cat is called Momo." } };
  script({ calls: [stored] }, { text: 'Noted.' });
  await world.answered(agent, (await agent.write('My cat is called Momo.')).id);
  script({ text: 'Momo.' });
  // A message does not wait long for memory: on a busy machine one may come without.
  await until(async () => {
    await world.answered(agent, (await agent.write('What is the name of my cat?')).id);
    return /<memory>\n.*owner's cat is called Momo\.\n.*<\/memory>\n\nWhat is the name of my cat\?$/s.test(
      String(fake.requests.at(-1)?.messages.at(-1)?.content),
    );
  });
  expect((await agent.answers()).at(-1)).toMatchObject({
    content: 'Momo.',
    retrievalRunId: expect.stringMatching(/^ret_/),
  });
  agent.frames.close();
});

const never = new Promise<never>(() => undefined);

it('a task is worked on, goes on after each crash from what it has saved, and is blocked after the third', async () => {
  const agent = await makeModelAgent('tasked');
  const board = new Board((method, path, body) => world.call(method, path, body));
  const killed = async (run: number) => {
    await agent.frames.first(({ type, text }) => type === 'task_delta' && text === `Half ${run}`);
    process.kill(await world.runningPid(agent), 'SIGKILL');
  };
  const half = (run: number) => ({ text: [`Half ${run}`, ' never'], until: never });
  script(
    { calls: [{ name: 'save_context', args: { text: 'The cups are counted.' } }] },
    half(1),
    half(2),
    half(3),
  );
  const task = await board.add(agent, { title: 'Order tea', description: 'For twelve.' });
  await board.move(task, 'in_progress');
  for (const run of [1, 2, 3]) await killed(run);
  await board.untilStatus(task, 'blocked');
  expect(String(fake.requests.at(-1)?.messages.at(-1)?.content)).toMatch(
    /Order tea\n\nFor twelve\.[\s\S]*<attempts>\n- 1: crashed\. SIGKILL[\s\S]*<saved_context>\n- The cups are counted\./,
  );

  script(
    { calls: [{ name: 'create_task', args: { title: 'Pay for the tea' } }] },
    { calls: [{ name: 'report_completed', args: { result: 'done', summary: 'Ordered.' } }] },
    { text: 'Finished.' },
  );
  await board.move(task, 'in_progress');
  await board.untilStatus(task, 'done');
  await board.untilAllExited(agent);
  expect(await board.comments(task)).toEqual(['Ordered.']);
  const attempts = await board.attempts(task);
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['crashed', 'crashed', 'crashed', 'done']);
  expect(attempts[0]?.summary).toContain('SIGKILL');
  expect(attempts[3]).toMatchObject({
    summary: 'Ordered.',
    steps: 2,
    usage: { inputTokens: expect.any(Number) },
  });
  expect(await board.steps(task, 4)).toMatchObject([{ status: 'done' }, { status: 'done' }]);
  expect(await world.messages(agent), 'nothing of it is in the chat').toEqual([]);
  agent.frames.close();
});

it('a task that is cancelled in the middle: the request to the model ends, and the process', async () => {
  const agent = await makeModelAgent('cancelled');
  const board = new Board((method, path, body) => world.call(method, path, body));
  const { left } = fake;
  script({ text: ['I begin', ' never'], until: never });
  const task = await board.add(agent, { title: 'Order coffee' });
  await board.move(task, 'in_progress');
  await agent.frames.first(({ type, text }) => type === 'task_delta' && text === 'I begin');
  await board.move(task, 'cancelled');
  const [run] = await board.untilAllExited(agent);
  expect(run).toMatchObject({ exitCause: 'finished' });
  await until(() => fake.left > left);
  expect(await board.attempts(task)).toMatchObject([{ outcome: 'cancelled' }]);
  expect(await board.comments(task)).toEqual([]);
  agent.frames.close();
});

it('ten seconds without a message are ten seconds without a request', async () => {
  const agent = await makeModelAgent('idle');
  await world.open(agent);
  const before = fake.requests.length;
  const since = Date.now();
  await until(() => Date.now() - since >= 10_000);
  expect(fake.requests.length).toBe(before);
  expect(await world.sessions(agent)).toBe(1);
  agent.frames.close();
});

it('a key that is not there: the chat says which variable, and nothing is asked', async () => {
  const agent = await makeModelAgent('keyless', { apiKeyEnv: 'AIZUCHI_PROVIDER_NOT_THERE' });
  const before = fake.requests.length;
  await agent.write('Hello?');
  const lines = async () => (await world.messages(agent)).filter(({ sender }) => sender === 'system');
  await until(async () =>
    (await lines()).some(({ content }) => content.includes('AIZUCHI_PROVIDER_NOT_THERE')),
  );
  expect(fake.requests.length).toBe(before);
  agent.frames.close();
});
