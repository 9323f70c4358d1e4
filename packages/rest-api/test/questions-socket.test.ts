import { logIsComplete } from '@aizuchi/shared/testing/log-is-complete';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asker } from './question-asker.ts';
import { type Caller, RestWorld } from './rest-world.ts';
import { type Frame, SocketClient } from './socket-client.ts';

let world: RestWorld;
let owner: Caller;
let membership: { projectId: string; agentId: string };
let agent: Awaited<ReturnType<typeof asker>>;
const clients: SocketClient[] = [];

beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true });
  owner = await world.owner();
});
beforeEach(async () => {
  membership = await world.project();
  agent = await asker(world, membership);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.socket.terminate();
});
afterAll(() => world.close());

async function open(caller: { token: string } = owner): Promise<SocketClient> {
  const client = await SocketClient.open(world.port, { authorization: `Bearer ${caller.token}` });
  clients.push(client);
  return client;
}

async function following(caller: { token: string } = owner, cursor?: string): Promise<SocketClient> {
  const client = await open(caller);
  await client.subscribe(membership.projectId, { cursor });
  return client;
}

const ofCard = (toolUseId: string, type: string) => (frame: Frame) =>
  frame.type === type && frame.tool_use_id === toolUseId;
const answer = (client: SocketClient, toolUseId: string, answers: unknown) =>
  client.send({ type: 'question_answer', tool_use_id: toolUseId, answers });
const errorsOf = (client: SocketClient) =>
  client.frames.filter(({ type }) => type === 'error').map(({ code }) => code);

describe('a question over the socket', () => {
  test('has the frame of the seed, is answered, and every socket is told by whom', async () => {
    const [one, other] = [await following(), await following()];
    const before = Math.floor(world.clock.now().getTime() / 1_000);
    const toolUseId = await agent.ask('Which library?');
    const asked = await other.heard(ofCard(toolUseId, 'user_question'));
    expect(asked).toMatchObject({
      agent_id: membership.agentId,
      projectId: membership.projectId,
      cursor: expect.any(String),
      questions: [
        {
          question: 'Which library?',
          header: 'Choice',
          multiSelect: false,
          options: [
            { label: 'A', description: 'about A' },
            { label: 'B', description: 'about B' },
            { label: 'C', description: 'about C' },
          ],
        },
      ],
    });
    const timestamp = Number(asked.timestamp);
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(Number(asked.expires_at) - timestamp).toBe(300);
    answer(one, toolUseId, { 0: 'other:none of them' });
    for (const client of [one, other])
      expect(await client.heard(ofCard(toolUseId, 'question_resolved'))).toMatchObject({
        status: 'answered',
        answers: { 0: 'other:none of them' },
        answered_by: 'owner',
        answered_by_name: 'Owner',
      });
    expect(errorsOf(one)).toEqual([]);
  });

  test('after a reload every pending question is sent once, before `subscribed`', async () => {
    const first = await following();
    const toolUseId = await agent.ask('Still there?');
    const heard = await first.heard(ofCard(toolUseId, 'user_question'));
    for (const cursor of [undefined, heard.cursor]) {
      const again = await following(owner, cursor);
      await again.settled();
      const types = again.frames.filter((frame) => frame.type !== 'session_changed').map(({ type }) => type);
      expect(types).toEqual(['user_question', 'subscribed', 'pong']);
      const cursors = again.frames.flatMap((frame) => frame.cursor ?? []);
      expect(cursors).toEqual(cursors.toSorted());
    }
  });

  test('questions that were resolved while the client was away are replayed from its cursor', async () => {
    const first = await following();
    const toolUseId = await agent.ask('Away?');
    const { cursor } = await first.heard(ofCard(toolUseId, 'user_question'));
    await first.close();
    await world.context.questions.answer(owner, toolUseId, { 0: '0' });
    await logIsComplete(world.context.database);
    const again = await following(owner, cursor);
    expect(again.frames.filter(ofCard(toolUseId, 'question_resolved'))).toHaveLength(1);
    expect(again.frames.filter(ofCard(toolUseId, 'user_question'))).toEqual([]);
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', '0'],
    ['a list', ['0']],
    ['no answer', {}],
    ['an unknown option', { 0: '3' }],
    ['an index that is not a text', { 0: 0 }],
    ['two options where one is allowed', { 0: '0,1' }],
    ['empty free text', { 0: 'other: ' }],
    ['an unknown question', { 0: '0', 1: '0' }],
  ])('%s is refused as an answer: the card stays pending', async (_name, answers) => {
    const client = await following();
    const toolUseId = await agent.ask('Right?');
    answer(client, toolUseId, answers);
    expect(await client.heard(({ type }) => type === 'error')).toMatchObject({
      code: 'invalid_answer',
      tool_use_id: toolUseId,
    });
    answer(client, toolUseId, { 0: '2' });
    await client.heard(ofCard(toolUseId, 'question_resolved'));
  });

  test('of two people one answers; the other is told that no question is pending', async () => {
    const [one, other] = [await following(), await following()];
    const toolUseId = await agent.ask('First?');
    answer(one, toolUseId, { 0: '0' });
    answer(other, toolUseId, { 0: '1' });
    const resolved = await Promise.all(
      [one, other].map((client) => client.heard(ofCard(toolUseId, 'question_resolved'))),
    );
    await Promise.all([one.settled(), other.settled()]);
    expect(resolved[0]?.answers).toEqual(resolved[1]?.answers);
    expect([...errorsOf(one), ...errorsOf(other)]).toEqual(['no_pending_question']);
  });

  test('an unknown id: another question is pending, or none', async () => {
    const member = await world.person('member', { projects: [membership.projectId] });
    const client = await following(member);
    const toolUseId = await agent.ask('This?');
    answer(client, 'toolu_another', { 0: '0' });
    await client.settled();
    answer(client, toolUseId, { 0: '0' });
    await client.settled();
    answer(client, 'toolu_another', { 0: '0' });
    await client.settled();
    expect(errorsOf(client)).toEqual(['tool_use_id_mismatch', 'no_pending_question']);
  });

  test('a viewer reads it and may not answer; for others it does not exist', async () => {
    const viewer = await following(await world.person('viewer', { projects: [membership.projectId] }));
    const stranger = await open(await world.person('member'));
    const toolUseId = await agent.ask('Who?');
    await viewer.heard(ofCard(toolUseId, 'user_question'));
    for (const client of [viewer, stranger]) {
      answer(client, toolUseId, { 0: '0' });
      await client.settled();
    }
    expect(errorsOf(viewer)).toEqual(['forbidden']);
    expect(errorsOf(stranger)).toEqual(['no_pending_question']);
  });

  test.each([
    { type: 'question_answer', answers: { 0: '0' } },
    { type: 'question_answer', tool_use_id: 'toolu_1', answers: {}, more: 1 },
    { type: 'subscribe_inbox', projectId: 'prj_1' },
  ])('%o is not a frame of the contract', async (frame) => {
    const client = await open();
    client.send(frame);
    await client.settled();
    expect(errorsOf(client)).toEqual(['invalid_input']);
  });
});

describe('the inbox over the socket', () => {
  const changes = (client: SocketClient) =>
    client.frames.filter(({ type }) => type === 'inbox_changed').length;

  test('sends a first frame at once, then one at each change, also for projects that the socket does not follow', async () => {
    const client = await open();
    client.send({ type: 'subscribe_inbox' });
    await client.heard(({ type }) => type === 'inbox_changed');
    const toolUseId = await agent.ask('Elsewhere?');
    const asked = await client.heard(ofCard(toolUseId, 'user_question'));
    expect(asked).toMatchObject({ projectId: membership.projectId });
    expect(asked).not.toHaveProperty('cursor');
    await client.heard(() => changes(client) >= 2);
    await world.context.questions.answer(owner, toolUseId, { 0: '0' });
    await client.heard(ofCard(toolUseId, 'question_resolved'));
    await client.heard(() => changes(client) >= 3);
    const more = changes(client);
    await world.context.tasks.create(owner, membership.projectId, { title: 'Stuck', status: 'blocked' });
    await client.heard(() => changes(client) > more);
  });

  test('sends each question once, with its cursor, for a project that the socket also follows', async () => {
    const client = await following();
    client.send({ type: 'subscribe_inbox' });
    await client.heard(({ type }) => type === 'inbox_changed');
    const toolUseId = await agent.ask('Once?');
    await client.heard(() => changes(client) >= 2);
    const asked = client.frames.filter(ofCard(toolUseId, 'user_question'));
    expect(asked).toMatchObject([{ cursor: expect.any(String) }]);
  });

  test('sends nothing about projects that the person may not see', async () => {
    const own = await world.project();
    const member = await open(await world.person('member', { projects: [own.projectId] }));
    member.send({ type: 'subscribe_inbox' });
    await member.heard(({ type }) => type === 'inbox_changed');
    await agent.ask('Secret?');
    const visible = await (await asker(world, own)).ask('Yours?');
    await member.heard(ofCard(visible, 'user_question'));
    expect(member.frames.filter(({ type }) => type === 'user_question')).toHaveLength(1);
    expect(JSON.stringify(member.frames)).not.toContain('Secret?');
  });
});
