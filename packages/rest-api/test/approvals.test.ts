import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asker } from './question-asker.ts';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
let membership: { projectId: string; agentId: string };
let agent: Awaited<ReturnType<typeof asker>>;

beforeAll(async () => {
  world = await RestWorld.create();
  owner = await world.owner();
  membership = await world.project();
  agent = await asker(world, membership);
});
afterAll(() => world.close());

const listed = (query = '', projectId = membership.projectId) =>
  world.call(owner, 'GET', `/api/projects/${projectId}/approvals${query}`);
const decide = (id: string, body: unknown, caller = owner) =>
  world.call(caller, 'POST', `/api/approvals/${id}`, body);

describe('approvals by REST', () => {
  test('that a policy has decided can be left out of the list', async () => {
    const { db } = world.context.database;
    const other = await world.project();
    const its = await asker(world, other);
    const [asked, allowed] = [await its.request('Read'), await its.request('Edit')];
    await db
      .updateTable('approvals')
      .set({ state: 'allowed_once', policy: 'allow_edits', kind: 'edit', resolvedAt: world.clock.now() })
      .where('toolUseId', '=', allowed)
      .execute();
    const idsOf = async (query: string) =>
      (await listed(query, other.projectId)).body.approvals.map(({ id }: { id: string }) => id);
    expect(await idsOf('')).toEqual([allowed, asked]);
    expect(await idsOf(`?agentId=${other.agentId}&exceptPolicy=allow_edits`)).toEqual([asked]);
    expect(await idsOf('?exceptPolicy=deny')).toEqual([allowed, asked]);
    expect((await listed('?exceptPolicy=ask', other.projectId)).status).toBe(400);
  });

  test('are listed, decided once, and stored with person, note and time', async () => {
    const id = await agent.request('Run the tests', { input: { command: 'npm test', cwd: null } });
    expect((await listed('?status=pending')).body).toEqual({
      approvals: [
        {
          id,
          ...membership,
          tool: 'Bash',
          kind: 'command',
          summary: 'Run the tests',
          input: { command: 'npm test', cwd: null },
          status: 'pending',
          createdAt: expect.any(String),
          expiresAt: expect.any(String),
        },
      ],
      nextCursor: null,
    });
    expect(await decide(id, { decision: 'deny', note: 'Use the linter.' })).toMatchObject({
      status: 200,
      body: {
        id,
        status: 'denied',
        note: 'Use the linter.',
        decidedBy: 'owner',
        decidedByName: 'Owner',
        resolvedAt: expect.any(String),
      },
    });
    expect(await decide(id, { decision: 'allow_once' })).toMatchObject({
      status: 409,
      body: { error: { code: 'approval_already_decided', details: { status: 'denied' } } },
    });
    expect((await listed('?status=pending')).body.approvals).toEqual([]);
    expect((await listed('?status=denied')).body.approvals).toHaveLength(1);
  });

  test.each([
    [{ decision: 'allow_once' }, 'allowed_once'],
    [{ decision: 'allow_session', note: '' }, 'allowed_session'],
    [{ decision: 'deny', note: '  ' }, 'denied'],
  ])('%j gives %s, without a note', async (body, status) => {
    const decided = await decide(await agent.request(`For ${status}`), body);
    expect(decided).toMatchObject({ status: 200, body: { status } });
    expect(decided.body).not.toHaveProperty('note');
  });

  test.each([
    [{}],
    [{ decision: 'allow' }],
    [{ decision: 'allowed_once' }],
    [{ decision: true }],
    [{ decision: ['allow_once'] }],
    [{ decision: 'allow_once', note: 'x'.repeat(1_001) }],
    [{ decision: 'allow_once', note: 1 }],
    [{ decision: 'allow_once', more: 1 }],
    [null],
  ])('%j is 400 and decides nothing', async (body) => {
    const id = await agent.request(`Not ${JSON.stringify(body)?.slice(0, 40)}`);
    expect(await decide(id, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input' } },
    });
    expect((await decide(id, { decision: 'deny' })).status).toBe(200);
  });

  test('an unknown one is 404, also for who may not see its project; a viewer gets 403', async () => {
    const id = await agent.request('Whose');
    const body = { decision: 'allow_once' };
    const notFound = { status: 404, body: { error: { code: 'approval_not_found' } } };
    expect(await decide('toolu_none', body)).toMatchObject(notFound);
    expect(await decide(id, body, await world.person('member'))).toMatchObject(notFound);
    const projects = [membership.projectId];
    expect(await decide(id, body, await world.person('viewer', { projects }))).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
    expect((await decide(id, body, await world.person('member', { projects }))).status).toBe(200);
    for (const query of ['?status=open', '?limit=0', '?limit=201', '?cursor=x', '?more=1'])
      expect((await listed(query)).status).toBe(400);
  });

  test('pages are newest first, and each continues after the previous one', async () => {
    const project = await world.project();
    const other = await asker(world, project);
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const id = await other.request(`Command ${n}`);
      ids.unshift(id);
      await world.context.approvals.decide(owner, id, { decision: 'deny' });
    }
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await listed(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`, project.projectId);
      seen.push(...body.approvals.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(ids);
  });

  test('a pending one is in the inbox', async () => {
    const id = await agent.request('Inbox');
    expect((await world.call(owner, 'GET', '/api/inbox')).body.items).toContainEqual({
      kind: 'approval',
      ...membership,
      refId: id,
      createdAt: expect.any(String),
      title: 'Inbox',
    });
  });

  test('two people at once: one decision counts', async () => {
    const id = await agent.request('Race');
    const answers = await Promise.all(
      ['allow_once', 'deny', 'allow_session', 'deny'].map((decision) => decide(id, { decision })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200)?.body;
    const { body } = await listed(`?status=${winner.status}`);
    expect(body.approvals.map((one: { id: string }) => one.id)).toContain(id);
  });

  test('the interface is described', async () => {
    const { body } = await world.call(undefined, 'GET', '/api/openapi.json');
    expect(Object.keys(body.paths['/api/approvals/{id}'].post.responses)).toEqual(
      expect.arrayContaining(['200']),
    );
    expect(body.paths['/api/projects/{pid}/approvals'].get.tags).toEqual(['Approvals']);
  });
});
