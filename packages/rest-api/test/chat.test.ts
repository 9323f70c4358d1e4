import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
let projectId: string;
let agentId: string;
let chat: string;

beforeAll(async () => {
  world = await RestWorld.create();
  owner = await world.owner();
  ({ projectId, agentId } = await world.project());
  chat = `/api/projects/${projectId}/agents/${agentId}/chat`;
});
afterAll(() => world.close());

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });
const post = (body: unknown, url = chat) => world.call(owner, 'POST', `${url}/messages`, body);

describe('messages', () => {
  test('a message is stored, listed and written to the transcript when the call returns', async () => {
    const posted = await post({ content: '  タスクの進捗を教えてください  ', clientMessageId: 'one' });
    expect(posted.status).toBe(201);
    expect(posted.body).toMatchObject({
      projectId,
      senderId: 'user',
      humanId: 'owner',
      sender: 'user',
      content: 'タスクの進捗を教えてください',
      state: 'stored',
      visible: true,
    });
    const listed = await world.call(owner, 'GET', `${chat}/messages`);
    expect(listed.body.messages.at(-1)).toEqual(posted.body);
    const { workingDirectory } = (await world.call(owner, 'GET', `/api/projects/${projectId}`)).body;
    const file = await readFile(path.join(workingDirectory, '.ai-pm/agents', agentId, 'chat.jsonl'), 'utf8');
    expect(
      file
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toContain(posted.body.id);
  });

  test('the same clientMessageId gives the first message, with another content a refusal', async () => {
    const first = await post({ content: 'once', clientMessageId: 'twice' });
    const second = await post({ content: 'once', clientMessageId: 'twice' });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toEqual(first.body);
    expect(await post({ content: 'else', clientMessageId: 'twice' })).toMatchObject(
      refusal(409, 'client_message_id_reused'),
    );
  });

  test.each([
    ['nothing', ''],
    ['only space', ' \n\u3000'],
    ['4,001 characters', '字'.repeat(4_001)],
    ['U+0000', 'a\u0000b'],
  ])('%s is refused and stores nothing', async (_what, content) => {
    const before = (await world.call(owner, 'GET', `${chat}/messages?limit=1`)).body.totalCount;
    expect(await post({ content })).toMatchObject(refusal(400, 'invalid_input'));
    expect((await world.call(owner, 'GET', `${chat}/messages?limit=1`)).body.totalCount).toBe(before);
  });

  test('4,000 characters are fine, counted as people count them', async () => {
    expect((await post({ content: '𠮷'.repeat(4_000) })).status).toBe(201);
  });

  test('pages go back and forth without a gap', async () => {
    const own = await world.project();
    const url = `/api/projects/${own.projectId}/agents/${own.agentId}/chat`;
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await post({ content: `m${count}` }, url)).body.id);
    const page = async (query: string) => {
      const { body } = await world.call(owner, 'GET', `${url}/messages?${query}`);
      return [body.messages.map(({ id }: { id: string }) => id), body.hasMore];
    };
    expect(await page('limit=2')).toEqual([ids.slice(3), true]);
    expect(await page(`limit=2&before=${ids[3]}`)).toEqual([ids.slice(1, 3), true]);
    expect(await page(`limit=2&before=${ids[1]}`)).toEqual([ids.slice(0, 1), false]);
    expect(await page(`limit=2&after=${ids[0]}`)).toEqual([ids.slice(1, 3), true]);
    expect((await world.call(owner, 'GET', `${url}/messages?after=${ids[0]}&before=${ids[1]}`)).status).toBe(
      400,
    );
  });

  test('read marks count for their own person only', async () => {
    const { body } = await post({ content: 'read this' });
    expect((await world.call(owner, 'POST', `${chat}/mark-read`, { upToMessageId: body.id })).body).toEqual({
      unread: 0,
    });
    expect(
      (await world.call(owner, 'GET', `/api/projects/${projectId}/unread-counts`)).body.counts,
    ).toBeTypeOf('object');
    expect(await world.call(owner, 'POST', `${chat}/mark-read`, { upToMessageId: 'msg_none' })).toMatchObject(
      refusal(404, 'message_not_found'),
    );
  });

  test('only a failed message can be retried', async () => {
    const { body } = await post({ content: 'not failed' });
    expect(await world.call(owner, 'POST', `${chat}/messages/${body.id}/retry`)).toMatchObject(
      refusal(409, 'message_not_failed'),
    );
    expect(await world.call(owner, 'POST', `${chat}/messages/msg_none/retry`)).toMatchObject(
      refusal(404, 'message_not_found'),
    );
  });
});

describe('opening and closing', () => {
  test('the first start creates the session, the second finds it, and presence shows it', async () => {
    const own = await world.project();
    const url = `/api/projects/${own.projectId}`;
    const start = () =>
      world.call(owner, 'POST', `${url}/agents/${own.agentId}/chat/start`, { viewerId: 'tab-1' });
    expect((await start()).body).toMatchObject({ status: 'started', warning: 'no_coordinator' });
    expect((await start()).body.status).toBe('pending');
    const { pendingPurposes } = (await world.call(owner, 'GET', `${url}/pending-purposes?includeRecent=60`))
      .body;
    expect(pendingPurposes).toMatchObject([{ agentId: own.agentId, purpose: 'chat', startedAt: null }]);
    const { agentSessions } = (await world.call(owner, 'GET', `${url}/agent-sessions`)).body;
    expect(agentSessions[own.agentId]).toMatchObject({ chat: 0, task: 0 });
    const ended = await world.call(owner, 'POST', `${url}/agents/${own.agentId}/chat/end`, {
      viewerId: 'tab-1',
    });
    expect(ended).toMatchObject({ status: 200, body: { ended: 0, viewersLeft: 0 } });
    expect((await world.call(owner, 'GET', '/api/coordinators')).body).toEqual({ coordinators: [] });
  });

  test('a viewer that polls stays one: its reads renew the lease, until it leaves', async () => {
    const own = await world.project();
    const url = `/api/projects/${own.projectId}/agents/${own.agentId}/chat`;
    const viewers = ['polls', 'sleeps', 'leaves'];
    for (const viewerId of viewers) await world.call(owner, 'POST', `${url}/start`, { viewerId });
    const left = async (viewerId: string) =>
      (await world.call(owner, 'POST', `${url}/end`, { viewerId })).body.viewersLeft;
    expect(await left('never')).toBe(3);
    world.clock.advance(50_000);
    await world.call(owner, 'GET', `${url}/messages?viewerId=polls`);
    await world.call(owner, 'GET', `${url}/messages?viewerId=never`);
    world.clock.advance(20_000);
    expect(await left('leaves')).toBe(1);
    await world.call(owner, 'GET', `${url}/messages?viewerId=leaves`);
    expect(await left('polls')).toBe(0);
  });

  test('a project with one AI agent needs no agent id', async () => {
    const own = await world.project();
    const url = `/api/projects/${own.projectId}/chat/start`;
    expect((await world.call(owner, 'POST', url)).body.status).toBe('started');
    const second = await world.context.agents.create(owner, { name: 'Second', type: 'ai' });
    await world.context.projects.putAgent(owner, { projectId: own.projectId, agentId: second.id });
    expect(await world.call(owner, 'POST', url)).toMatchObject(refusal(422, 'no_default_agent'));
    expect((await world.call(owner, 'POST', url, { agentId: second.id })).body.status).toBe('started');
  });
});

describe('agents that cannot be addressed', () => {
  test('an unknown agent, an agent of another project, a person, a paused project', async () => {
    const own = await world.project();
    const at = (pid: string, aid: string) => `/api/projects/${pid}/agents/${aid}/chat`;
    expect(await post({ content: 'x' }, at('prj_none', agentId))).toMatchObject(
      refusal(404, 'project_not_found'),
    );
    expect(await post({ content: 'x' }, at(projectId, 'agt_none'))).toMatchObject(
      refusal(404, 'agent_not_found'),
    );
    expect(await post({ content: 'x' }, at(projectId, own.agentId))).toMatchObject(
      refusal(422, 'agent_not_in_project'),
    );
    expect(await post({ content: 'x' }, at(projectId, 'owner'))).toMatchObject({ status: 422 });
    const member = await world.person('member', { projects: [projectId] });
    expect(await post({ content: 'x' }, at(projectId, member.id))).toMatchObject(
      refusal(422, 'agent_is_human'),
    );
    await world.call(owner, 'PATCH', `/api/projects/${own.projectId}`, { status: 'archived' });
    expect(await post({ content: 'x' }, at(own.projectId, own.agentId))).toMatchObject(
      refusal(409, 'project_archived'),
    );
  });
});

describe('the process', () => {
  test('reports its identity, its readiness and its metrics', async () => {
    const health = await world.call(undefined, 'GET', '/healthz');
    expect(health.body).toEqual({
      status: 'ok',
      service: 'rest-api',
      pid: process.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      instanceId: expect.any(String),
    });
    expect((await world.call(undefined, 'GET', '/readyz')).body).toEqual({ status: 'ready' });
    const metrics = await world.call(undefined, 'GET', '/metrics');
    expect(metrics.headers['content-type']).toContain('text/plain');
    expect(metrics.text).toContain('aizuchi_http_request_seconds_count{method="POST"');
    // Every step is there from the start on, so that an alarm sees 0 before it sees 1.
    expect(metrics.text).toContain('aizuchi_sweep_skipped_total{step="idle"} 0');
  });

  test('a request in progress is finished when the server stops', async () => {
    const stopping = await RestWorld.create({ isRunning: true });
    const caller = await stopping.owner();
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const { promise: leave, resolve: release } = Promise.withResolvers<void>();
    const { agents } = stopping.context;
    const list = agents.list.bind(agents);
    agents.list = async (person, query) => {
      enter();
      await leave;
      return list(person, query);
    };
    const headers = { authorization: `Bearer ${caller.token}` };
    const underWay = fetch(`${stopping.url}/api/agents`, { headers });
    await entered;
    const stopped = stopping.app.server.close();
    release();
    expect((await underWay).status).toBe(200);
    await stopped;
    await stopping.close();
  });

  test('without migrations, and on the schema of a newer build, the process is not ready', async () => {
    const other = await RestWorld.create();
    const { database } = other.context;
    await database.pool.query(
      `insert into kysely_migration (name, timestamp) values ('20990101000001_newer', '')`,
    );
    const newer = await other.call(undefined, 'GET', '/readyz');
    expect(newer).toMatchObject(refusal(503, 'unavailable'));
    expect(newer.text).toContain('newer than this process');
    await database.db.schema.dropTable('kysely_migration').execute();
    expect(await other.call(undefined, 'GET', '/readyz')).toMatchObject(refusal(503, 'unavailable'));
    await other.close();
  });
});
