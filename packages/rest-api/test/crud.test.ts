import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;

beforeAll(async () => {
  world = await RestWorld.create();
  owner = await world.owner();
});
afterAll(() => world.close());

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });

describe('agents', () => {
  test('are created, read, changed, listed page by page and deleted', async () => {
    const made = await world.call(owner, 'POST', '/api/agents', {
      id: 'agt_first',
      name: 'First',
      type: 'ai',
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: 'agt_first',
      provider: 'builtin',
      hasCredential: true,
      maxParallelTasks: 1,
    });
    expect(made.body.passkey.length).toBeGreaterThanOrEqual(8);
    const read = await world.call(owner, 'GET', '/api/agents/agt_first');
    const { passkey: _, ...agent } = made.body;
    expect(read.body).toEqual(agent);
    const changed = await world.call(owner, 'PATCH', '/api/agents/agt_first', {
      name: 'Renamed',
      labels: ['gpu'],
    });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Renamed', labels: ['gpu'] } });

    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await world.call(owner, 'GET', `/api/agents?limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.body.agents.map(({ id }: { id: string }) => id));
      cursor = page.body.nextCursor;
    }
    expect(seen).toContain('agt_first');
    expect(new Set(seen).size).toBe(seen.length);

    expect((await world.call(owner, 'DELETE', '/api/agents/agt_first')).status).toBe(204);
    expect(await world.call(owner, 'GET', '/api/agents/agt_first')).toMatchObject(
      refusal(404, 'agent_not_found'),
    );
    const again = await world.call(owner, 'POST', '/api/agents', {
      id: 'agt_first',
      name: 'Again',
      type: 'ai',
    });
    expect(again).toMatchObject(refusal(409, 'id_taken'));
  });

  test.each(['user', 'system', 'A', '../x', 'a', 'a'.repeat(65), '名前'])(
    'an id like %s is refused',
    async (id) => {
      expect(await world.call(owner, 'POST', '/api/agents', { id, name: 'X', type: 'ai' })).toMatchObject(
        refusal(400, 'invalid_input'),
      );
    },
  );

  test('a passkey is shown once, may be chosen by the caller, may be revoked', async () => {
    const { id } = (
      await world.call(owner, 'POST', '/api/agents', { name: 'Keyed', type: 'ai', credential: false })
    ).body;
    expect((await world.call(owner, 'POST', `/api/agents/${id}/passkey`)).body.passkey).toBeTruthy();
    const given = await world.call(owner, 'POST', `/api/agents/${id}/passkey`, { passkey: 'chosen by me' });
    expect(given.body).toEqual({ passkey: 'chosen by me' });
    expect(await world.call(owner, 'POST', `/api/agents/${id}/passkey`, { passkey: 'short' })).toMatchObject({
      status: 400,
    });
    expect((await world.call(owner, 'DELETE', `/api/agents/${id}/passkey`)).status).toBe(204);
    expect((await world.call(owner, 'GET', `/api/agents/${id}`)).body.hasCredential).toBe(false);
  });

  test('a revoked right is refused at the next call', async () => {
    const other = await world.person('member');
    expect((await world.call(other, 'PUT', '/api/settings', {})).status).toBe(403);
    for (const [accessLevel, status] of [
      ['owner', 200],
      ['viewer', 403],
    ] as const) {
      await world.call(owner, 'PATCH', `/api/agents/${other.id}`, { accessLevel });
      expect((await world.call(other, 'PUT', '/api/settings', {})).status).toBe(status);
    }
  });

  test('the last owner cannot be deleted', async () => {
    expect(await world.call(owner, 'DELETE', '/api/agents/owner')).toMatchObject(refusal(409, 'last_owner'));
    expect(await world.call(owner, 'PATCH', '/api/agents/owner', { accessLevel: 'member' })).toMatchObject(
      refusal(409, 'last_owner'),
    );
  });
});

describe('projects', () => {
  test('are created, changed, archived and deleted', async () => {
    const made = await world.call(owner, 'POST', '/api/projects', { name: 'Project', description: 'First' });
    expect(made).toMatchObject({
      status: 201,
      body: { status: 'active', permissionPolicy: 'ask', isolation: 'shared' },
    });
    const url = `/api/projects/${made.body.id}`;
    expect((await world.call(owner, 'GET', url)).body).toEqual(made.body);
    expect(
      (await world.call(owner, 'PATCH', url, { description: null, status: 'archived' })).body,
    ).not.toHaveProperty('description');
    expect((await world.call(owner, 'GET', '/api/projects?status=archived')).body.projects).toHaveLength(1);
    expect((await world.call(owner, 'DELETE', url)).status).toBe(204);
    expect(await world.call(owner, 'GET', url)).toMatchObject(refusal(404, 'project_not_found'));
  });

  test('their isolation is stored, validated and shown', async () => {
    const body = { name: 'Isolated', isolation: 'worktree' };
    const made = await world.call(owner, 'POST', '/api/projects', body);
    expect(made).toMatchObject({ status: 201, body: { isolation: 'worktree' } });
    const url = `/api/projects/${made.body.id}`;
    expect(await world.call(owner, 'PATCH', url, { isolation: 'container' })).toMatchObject(
      refusal(400, 'invalid_input'),
    );
    expect((await world.call(owner, 'PATCH', url, { isolation: 'shared' })).body.isolation).toBe('shared');
    await world.call(owner, 'DELETE', url);
  });

  test('what their agents may reach is stored, validated, shown and taken back', async () => {
    const body = { name: 'Bounded', egress: ['example.org', '*.example.org:8443'] };
    const made = await world.call(owner, 'POST', '/api/projects', body);
    expect(made).toMatchObject({ status: 201, body: { egress: body.egress } });
    const url = `/api/projects/${made.body.id}`;
    const change = (egress: unknown) => world.call(owner, 'PATCH', url, { egress });
    expect((await change([])).body.egress).toEqual([]);
    for (const wrong of ['https://example.org/', 'Example.org', '*', 'localhost', '2130706433']) {
      const refused = await change(['example.org', wrong]);
      expect(refused).toMatchObject(refusal(400, 'invalid_input'));
      expect(JSON.stringify(refused.body)).toContain(wrong);
    }
    for (const wrong of [
      ['a.example', 'a.example'],
      Array.from({ length: 101 }, (_, at) => `a${at}.example`),
    ])
      expect(await change(wrong)).toMatchObject(refusal(400, 'invalid_input'));
    expect((await world.call(owner, 'GET', url)).body.egress).toEqual([]);
    expect((await change(null)).body).not.toHaveProperty('egress');
    expect((await world.call(owner, 'GET', url)).body).not.toHaveProperty('egress');
    await world.call(owner, 'DELETE', url);
  });

  test.each([
    ['half of a pair of surrogates', 'folder\ud83d'],
    ['a line end', 'a\nb'],
    ['an escape', 'a\u001b[2J'],
    ['a NUL', 'a\u0000b'],
    ['a C1 control character', 'a\u0085b'],
  ])('a folder whose name contains %s is refused', async (_what, name) => {
    const workingDirectory = path.join(world.root, name);
    const before = await readdir(world.root);
    const refused = refusal(400, 'invalid_input');
    expect(await world.call(owner, 'POST', '/api/projects', { name: 'A', workingDirectory })).toMatchObject(
      refused,
    );
    const { id } = (await world.call(owner, 'POST', '/api/projects', { name: 'A' })).body;
    expect(await world.call(owner, 'PATCH', `/api/projects/${id}`, { workingDirectory })).toMatchObject(
      refused,
    );
    expect((await readdir(world.root)).filter((made) => made !== 'Aizuchi')).toEqual(
      before.filter((made) => made !== 'Aizuchi'),
    );
  });

  test('two projects never share a folder, and no folder is outside the roots', async () => {
    const workingDirectory = path.join(world.root, 'shared');
    await mkdir(workingDirectory);
    expect((await world.call(owner, 'POST', '/api/projects', { name: 'A', workingDirectory })).status).toBe(
      201,
    );
    expect(await world.call(owner, 'POST', '/api/projects', { name: 'B', workingDirectory })).toMatchObject(
      refusal(409, 'working_directory_in_use'),
    );
    for (const outside of [
      '/',
      '/etc',
      'relative',
      `${world.root}/../elsewhere`,
      world.root.concat('/home'),
    ]) {
      const response = await world.call(owner, 'POST', '/api/projects', {
        name: 'C',
        workingDirectory: outside,
      });
      expect(response).toMatchObject(refusal(422, 'working_directory_not_allowed'));
    }
  });

  test('members are added and removed', async () => {
    const { projectId, agentId } = await world.project();
    const url = `/api/projects/${projectId}/agents`;
    const person = await world.person('member');
    expect((await world.call(owner, 'PUT', `${url}/${person.id}`)).body).toEqual({
      agentId: person.id,
      projectId,
    });
    const members = await world.call(owner, 'GET', url);
    expect(members.body.agents.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [agentId, person.id].toSorted(),
    );
    expect((await world.call(person, 'GET', `/api/projects/${projectId}`)).status).toBe(200);
    expect((await world.call(owner, 'DELETE', `${url}/${person.id}`)).status).toBe(204);
    expect(await world.call(person, 'GET', `/api/projects/${projectId}`)).toMatchObject(
      refusal(404, 'project_not_found'),
    );
    expect(await world.call(owner, 'PUT', `${url}/nobody`)).toMatchObject(refusal(404, 'agent_not_found'));
  });
});

describe('tasks', () => {
  test('are created, moved along the board, filtered and deleted', async () => {
    const { projectId, agentId } = await world.project();
    const url = `/api/projects/${projectId}/tasks`;
    const made = await world.call(owner, 'POST', url, {
      title: 'Write',
      assigneeId: agentId,
      priority: 'high',
    });
    expect(made).toMatchObject({ status: 201, body: { status: 'backlog', version: 1, dependsOn: [] } });
    const task = `/api/tasks/${made.body.id}`;
    const moved = await world.call(owner, 'PATCH', task, { version: 1, status: 'todo' });
    expect(moved).toMatchObject({ status: 200, body: { status: 'todo', version: 2 } });
    expect(await world.call(owner, 'PATCH', task, { version: 1, title: 'Late' })).toMatchObject(
      refusal(409, 'version_conflict'),
    );
    expect(await world.call(owner, 'PATCH', task, { title: 'No version' })).toMatchObject(
      refusal(409, 'version_conflict'),
    );
    expect(await world.call(owner, 'PATCH', task, { version: 2, status: 'done' })).toMatchObject(
      refusal(422, 'invalid_status_transition'),
    );
    const listed = async (query: string) =>
      (await world.call(owner, 'GET', `${url}?${query}`)).body.tasks.length;
    expect(await listed('status=todo&status=done')).toBe(1);
    expect(await listed('status=backlog')).toBe(0);
    expect(await listed(`assigneeId=${agentId}`)).toBe(1);
    expect((await world.call(owner, 'DELETE', task)).status).toBe(204);
    expect(await world.call(owner, 'GET', task)).toMatchObject(refusal(404, 'task_not_found'));
  });
});

describe('settings', () => {
  test('are merged, name their source, and refuse invalid values', async () => {
    const before = await world.call(owner, 'GET', '/api/settings');
    expect(before.body).toMatchObject({
      pendingPurposeTtlSeconds: 300,
      sources: { pendingPurposeTtlSeconds: 'default' },
    });
    const after = await world.call(owner, 'PUT', '/api/settings', { pendingPurposeTtlSeconds: 60 });
    expect(after.body).toEqual({
      ...before.body,
      pendingPurposeTtlSeconds: 60,
      sources: { ...before.body.sources, pendingPurposeTtlSeconds: 'setting' },
    });
    for (const wrong of [0, 86_401, 1.5, '60']) {
      const response = await world.call(owner, 'PUT', '/api/settings', { pendingPurposeTtlSeconds: wrong });
      expect(response).toMatchObject(refusal(400, 'invalid_input'));
    }
  });

  test('a setting from an environment variable cannot be changed', async () => {
    const fixed = await RestWorld.create({ config: { settings: { chainMaxMessages: 7 } } });
    try {
      const caller = await fixed.owner();
      expect((await fixed.call(caller, 'GET', '/api/settings')).body).toMatchObject({
        chainMaxMessages: 7,
        sources: { chainMaxMessages: 'env' },
      });
      const refused = await fixed.call(caller, 'PUT', '/api/settings', { chainMaxMessages: 8 });
      expect(refused).toMatchObject(refusal(409, 'set_by_environment'));
    } finally {
      await fixed.close();
    }
  });
});
