import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CLIENT_KINDS, type TestClient } from '../src/testing/clients.ts';
import { McpWorld, type RunningServer } from '../src/testing/mcp-world.ts';
import { openHeldCall } from '../src/testing/raw-client.ts';

let world: McpWorld;
let server: RunningServer;
beforeAll(async () => {
  world = await McpWorld.create();
  server = await world.startServer();
});
afterAll(() => world.close());

const QUESTIONS = [
  {
    question: 'どのライブラリを使用しますか？',
    header: 'Library',
    options: [
      { label: 'React Query (推奨)', description: 'サーバー状態管理に最適' },
      { label: 'SWR', description: '軽量な代替' },
    ],
    multiSelect: false,
  },
  {
    question: 'Which features?',
    header: 'Features',
    options: [{ label: 'Cache' }, { label: 'Retry' }, { label: 'Offline' }],
    multiSelect: true,
  },
];

async function held(count: number, at: RunningServer = server): Promise<void> {
  await expect.poll(() => at.context.tools.heldCalls(), { interval: 2 }).toBe(count);
}

/** A warm agent that works on a person's message, and its client. */
async function working(kind = CLIENT_KINDS[0], at: RunningServer = server) {
  const { services } = world;
  const membership = await services.agentInProject();
  const { ticket, runId } = await services.warmAgent(membership);
  await services.chat.post(services.owner, { ...membership, content: 'Please decide' });
  const client = await world.connect(at, ticket, kind);
  await client.call('get_pending_messages');
  return { membership, ticket, runId, client };
}

const ask = (client: TestClient, args: Record<string, unknown> = {}) =>
  client.call('ask_user_question', { questions: QUESTIONS, ...args });

async function shown(projectId: string): Promise<string> {
  const { services } = world;
  return vi.waitFor(
    async () => {
      const [card] = await services.questions.pendingOf(projectId);
      if (!card) throw new Error('nothing is asked yet');
      return card.toolUseId;
    },
    { interval: 5, timeout: LONG_TIMEOUT_MS },
  );
}

const answer = (toolUseId: string, answers: unknown) =>
  world.services.questions.answer(world.services.owner, toolUseId, answers);

describe.each(CLIENT_KINDS)('a question, %s', (kind) => {
  test('trap 17: it is held until a person has chosen, and answered by text and label', async () => {
    const { membership, client } = await working(kind);
    const call = ask(client);
    const toolUseId = await shown(membership.projectId);
    await held(1);
    await answer(toolUseId, { 0: '0', 1: { selected: ['0', '2'], other: 'Tests' } });
    expect((await call).structured).toMatchObject({
      status: 'answered',
      tool_use_id: toolUseId,
      answers: {
        'どのライブラリを使用しますか？': 'React Query (推奨)',
        'Which features?': 'Cache, Offline, Tests',
      },
    });
    // The result is given once: the next action does not repeat it, but the message is still unanswered.
    expect((await client.call('get_next_action')).structured).toMatchObject({
      action: 'get_pending_messages',
      repeat: true,
    });
  });

  test('a question without an answer in the time of the call continues by its id, or by the next action', async () => {
    const { client } = await working(kind);
    const first = (await ask(client, { hold_seconds: 0 })).structured;
    expect(first).toMatchObject({ status: 'pending', instruction: expect.stringContaining('tool_use_id') });
    const toolUseId = String(first?.tool_use_id);
    const again = client.call('ask_user_question', { tool_use_id: toolUseId, hold_seconds: 0 });
    expect((await again).structured).toMatchObject({ status: 'pending', tool_use_id: toolUseId });
    const next = client.call('get_next_action', { hold_seconds: 25 });
    await held(1);
    await answer(toolUseId, { 0: 'other:Apollo', 1: '1' });
    expect((await next).structured).toMatchObject({
      action: 'question_resolved',
      tool_use_id: toolUseId,
      status: 'answered',
      answers: { 'どのライブラリを使用しますか？': 'Apollo', 'Which features?': 'Retry' },
    });
    expect((await client.call('get_next_action')).structured).toMatchObject({
      action: 'get_pending_messages',
      repeat: true,
    });
  });
});

describe('a question and its faults', () => {
  test('trap 14: a call whose client has left takes no answer with it', async () => {
    const { membership, ticket, client } = await working();
    const call = await openHeldCall(server.port, {
      bearer: ticket,
      holdSeconds: 25,
      tool: 'ask_user_question',
      args: { questions: QUESTIONS },
    });
    const toolUseId = await shown(membership.projectId);
    await held(1);
    call.close();
    await held(0);
    await answer(toolUseId, { 0: '1', 1: '1' });
    expect((await ask(client)).structured).toMatchObject({ status: 'answered', tool_use_id: toolUseId });
  });

  test('a held call of a session that has ended gets no answer: its successor has it', async () => {
    const { services } = world;
    const { membership, runId, client } = await working();
    const call = ask(client);
    const toolUseId = await shown(membership.projectId);
    await held(1);
    await services.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGKILL' });
    services.clock.advance(2_000);
    await services.coordinator();
    const next = await services.warmAgent(membership);
    const successor = await world.connect(server, next.ticket);
    await successor.call('get_pending_messages');
    await answer(toolUseId, { 0: '1', 1: '1' });
    const refused = await call;
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('This session is over') });
    const heard = (await successor.call('get_next_action')).structured;
    expect(heard).toMatchObject({ action: 'question_resolved', tool_use_id: toolUseId, status: 'answered' });
    expect(heard).not.toHaveProperty('repeat');
  });

  test('the server restarts while a person thinks: the same questions find the same card', async () => {
    const first = await world.startServer();
    const { membership, ticket, client } = await working(CLIENT_KINDS[0], first);
    const call = ask(client);
    const toolUseId = await shown(membership.projectId);
    await held(1, first);
    await first.stop();
    // The call was answered before the end or cut off: in both cases the card remains.
    await call.catch(() => undefined);
    const again = await world.connect(server, ticket);
    const held2 = ask(again);
    await held(1);
    await answer(toolUseId, { 0: '1', 1: '2' });
    expect((await held2).structured).toMatchObject({
      status: 'answered',
      tool_use_id: toolUseId,
      answers: { 'Which features?': 'Offline' },
    });
  });

  test('an interrupt cancels the card, and the agent learns that nobody answered', async () => {
    const { services } = world;
    const { membership, client } = await working();
    const call = ask(client);
    await shown(membership.projectId);
    await held(1);
    await services.chat.interrupt(services.owner, membership);
    const { structured } = await call;
    expect(structured).toMatchObject({ status: 'cancelled' });
    expect(structured).not.toHaveProperty('answers');
  });

  test.each([
    ['no questions', { questions: [] }],
    [
      'five questions',
      { questions: Array.from({ length: 5 }, (_, n) => ({ ...QUESTIONS[0], question: `${n}?` })) },
    ],
    ['the same question twice', { questions: [QUESTIONS[0], QUESTIONS[0]] }],
    ['a header of 13 characters', { questions: [{ ...QUESTIONS[0], header: 'a'.repeat(13) }] }],
    ['one option', { questions: [{ ...QUESTIONS[0], options: [{ label: 'A' }] }] }],
    [
      'five options',
      { questions: [{ ...QUESTIONS[0], options: ['A', 'B', 'C', 'D', 'E'].map((label) => ({ label })) }] },
    ],
    ['a label twice', { questions: [{ ...QUESTIONS[0], options: [{ label: 'A' }, { label: 'A' }] }] }],
    ['an id that is none', { tool_use_id: 'a b' }],
    ['neither questions nor an id', { questions: undefined }],
    ['a hold that is too long', { hold_seconds: 26 }],
  ])('%s is refused with a sentence', async (_name, args) => {
    const { membership, client } = await working();
    const reply = await ask(client, args);
    expect(reply.isError).toBe(true);
    expect(JSON.parse(reply.text).error).toMatchObject({
      code: 'invalid_input',
      message: expect.any(String),
    });
    expect(await world.services.questions.pendingOf(membership.projectId)).toEqual([]);
  });
});

test('trap 18: for a schedule the tool is not offered, and a call of it shows no card to anybody', async () => {
  const { services } = world;
  const membership = await services.agentInProject();
  const { id } = await services.schedules.create(services.owner, membership.projectId, {
    agentId: membership.agentId,
    cron: '0 9 * * *',
    prompt: 'Write the report',
    enabled: true,
    onMissed: 'skip',
  });
  await services.schedules.run(services.owner, id);
  await services.coordinator();
  const start = await services.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (start.action !== 'start' || start.ticket === null) throw new Error('no start');
  const client = await world.connect(server, start.ticket);
  const names = async () => (await client.listTools()).map(({ name }) => name);
  // Before it signs in too: its driver requests the tools first.
  expect(await names()).not.toContain('ask_user_question');
  await client.call('authenticate');
  expect(await names()).not.toContain('ask_user_question');
  await client.call('get_pending_messages');
  const { structured } = await ask(client);
  expect(structured).toMatchObject({ status: 'unavailable' });
  expect(structured?.instruction).toMatch(/自分で判断し/);
  expect(structured).not.toHaveProperty('answers');
  expect(await services.questions.pendingOf(membership.projectId)).toEqual([]);
  const interactive = await working();
  expect((await interactive.client.listTools()).map(({ name }) => name)).toContain('ask_user_question');
});
