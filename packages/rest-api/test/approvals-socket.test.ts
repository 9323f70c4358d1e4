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

const of = (id: string, type: string) => (frame: Frame) => frame.type === type && frame.tool_use_id === id;
const decide = (id: string, decision: 'allow_once' | 'allow_session' | 'deny', note?: string) =>
  world.context.approvals.decide(owner, id, { decision, note });

describe('a request for permission over the socket', () => {
  test('is shown to every socket, and so is by whom it was decided', async () => {
    const [one, other] = [await following(), await following()];
    const id = await agent.request('Run the tests', { input: { command: 'npm test' } });
    const asked = await other.heard(of(id, 'approval_request'));
    expect(asked).toMatchObject({
      id,
      agent_id: membership.agentId,
      projectId: membership.projectId,
      cursor: expect.any(String),
      tool: 'Bash',
      kind: 'command',
      summary: 'Run the tests',
      input: { command: 'npm test' },
    });
    expect(Number(asked.expires_at) - Number(asked.timestamp)).toBe(300);
    await decide(id, 'deny', 'Not now.');
    for (const client of [one, other]) {
      const resolved = await client.heard(of(id, 'approval_resolved'));
      expect(resolved).toMatchObject({
        id,
        agent_id: membership.agentId,
        status: 'denied',
        note: 'Not now.',
        decided_by: 'owner',
        decided_by_name: 'Owner',
      });
      expect(resolved).not.toHaveProperty('input');
    }
  });

  test('several are open at once; a subscriber gets all that are pending, once, before `subscribed`', async () => {
    const first = await following();
    const ids = [await agent.request('one'), await agent.request('two')];
    const question = await agent.ask('And this?');
    const heard = await first.heard(of(ids[1] ?? '', 'approval_request'));
    await first.heard(of(question, 'user_question'));
    for (const cursor of [undefined, heard.cursor]) {
      const again = await following(owner, cursor);
      await again.settled();
      const frames = again.frames.filter((frame) => frame.type !== 'session_changed');
      expect(frames.map(({ type, tool_use_id }) => `${type} ${tool_use_id ?? ''}`.trim())).toEqual([
        `user_question ${question}`,
        ...ids.map((id) => `approval_request ${id}`),
        'subscribed',
        'pong',
      ]);
      const cursors = again.frames.flatMap((frame) => frame.cursor ?? []);
      expect(cursors).toEqual(cursors.toSorted());
    }
  });

  test('one that was decided while the client was away is replayed from its cursor', async () => {
    const first = await following();
    const id = await agent.request('Away');
    const { cursor } = await first.heard(of(id, 'approval_request'));
    await first.close();
    await decide(id, 'allow_session');
    await logIsComplete(world.context.database);
    const again = await following(owner, cursor);
    expect(again.frames.filter(of(id, 'approval_resolved'))).toMatchObject([{ status: 'allowed_session' }]);
    expect(again.frames.filter(of(id, 'approval_request'))).toEqual([]);
  });

  test('an input that is too large for a frame is left to REST', async () => {
    const client = await following();
    const input = { file_path: 'a.ts', content: 'x'.repeat(20_000) };
    const id = await agent.request('Write a.ts', { tool: 'Write', kind: 'edit', input });
    expect(await client.heard(of(id, 'approval_request'))).not.toHaveProperty('input');
    const { body } = await world.call(owner, 'GET', `/api/projects/${membership.projectId}/approvals`);
    expect(body.approvals[0].input).toEqual(input);
  });

  test('what the policy decides is not announced', async () => {
    await world.context.projects.update(owner, membership.projectId, { permissionPolicy: 'deny' });
    const client = await following();
    const refused = await agent.request('ls');
    await world.context.projects.update(owner, membership.projectId, { permissionPolicy: 'ask' });
    const asked = await agent.request('pwd');
    await client.heard(of(asked, 'approval_request'));
    expect(client.frames.filter(({ tool_use_id }) => tool_use_id === refused)).toEqual([]);
  });

  test('the inbox tells of it, also in projects that the socket does not follow, and no stranger hears it', async () => {
    const own = await world.project();
    const [client, stranger] = [
      await open(),
      await open(await world.person('member', { projects: [own.projectId] })),
    ];
    for (const one of [client, stranger]) {
      one.send({ type: 'subscribe_inbox' });
      await one.heard(({ type }) => type === 'inbox_changed');
    }
    const changes = () => client.frames.filter(({ type }) => type === 'inbox_changed').length;
    const id = await agent.request('Elsewhere');
    const asked = await client.heard(of(id, 'approval_request'));
    expect(asked).toMatchObject({ projectId: membership.projectId });
    expect(asked).not.toHaveProperty('cursor');
    await client.heard(() => changes() >= 2);
    await decide(id, 'allow_once');
    await client.heard(of(id, 'approval_resolved'));
    await client.heard(() => changes() >= 3);
    const visible = await (await asker(world, own)).request('Yours');
    await stranger.heard(of(visible, 'approval_request'));
    expect(JSON.stringify(stranger.frames)).not.toContain('Elsewhere');
  });
});
