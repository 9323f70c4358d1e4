import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { AgentService } from '../../src/core/agents/agent-service.ts';
import { keys } from '../../src/platform/change-log/keys.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { ADDRESS, addPerson, ORIGIN, outcomes } from '../auth/people-support.ts';

let world: ServiceWorld;
let owner: Person;
let otherDatabase: Database;
let otherAgents: AgentService;

beforeAll(async () => {
  world = await ServiceWorld.create();
  owner = world.owner;
  otherDatabase = openDatabase({
    clock: world.clock,
    url: world.database.url,
    maxConnections: 4,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  otherAgents = new AgentService({ ...world.deps, database: otherDatabase });
});

afterAll(async () => {
  await otherDatabase.close();
  await world.close();
});

const freshId = () => `x_${newId('agt').slice(4)}`;
const forbidden = { code: 'forbidden' };

describe('creating', () => {
  test('an AI agent has the defaults, and a passkey that is shown this once and works', async () => {
    const { passkey, ...agent } = await world.agents.create(owner, { name: 'Worker', type: 'ai' });
    expect(agent).toMatchObject({
      name: 'Worker',
      type: 'ai',
      provider: 'builtin',
      labels: [],
      maxParallelTasks: 1,
      executor: 'any',
      hasCredential: true,
    });
    expect(agent.id).toMatch(/^agt_[0-9a-z]{20}$/);
    expect(await world.auth.verifyAgentPasskey(agent.id, passkey ?? '', { address: ADDRESS })).toBe(agent.id);
    expect(await world.agents.get(owner, agent.id)).toEqual(agent);
  });

  test('without a credential, and people, get no passkey', async () => {
    for (const body of [{ type: 'ai', credential: false } as const, { type: 'human' } as const]) {
      const agent = await world.agents.create(owner, { name: 'A', ...body });
      expect(agent.passkey).toBeUndefined();
      expect(agent.hasCredential).toBe(false);
    }
  });

  test('everything that was given comes back', async () => {
    const given = {
      id: freshId(),
      name: 'Tester',
      type: 'ai',
      role: 'tester',
      systemPrompt: 'Test it.',
      provider: 'command',
      model: 'm-1',
      apiKeyEnv: 'AIZUCHI_PROVIDER_KEY',
      command: { file: 'node', args: ['run.mjs', ''], mode: 'per_work' },
      labels: ['gpu', '東京'],
      maxParallelTasks: 3,
      limits: { memoryMb: 4_096, cpus: 2 },
      image: `ghcr.io/me/runner:1@sha256:${'a'.repeat(64)}`,
      executor: 'docker',
    } as const;
    expect(
      await world.agents.create(owner, {
        ...given,
        labels: [...given.labels],
        command: { ...given.command, args: [...given.command.args] },
      }),
    ).toMatchObject(given);
  });

  test('of two with the same id at the same time one is made', async () => {
    const id = freshId();
    const body = { id, name: 'A', type: 'ai', credential: false } as const;
    expect(await outcomes([world.agents.create(owner, body), otherAgents.create(owner, body)])).toEqual([
      'id_taken',
      'ok',
    ]);
  });

  test('the id of a deleted agent is never used again', async () => {
    const { id } = await world.agents.create(owner, { id: freshId(), name: 'A', type: 'ai' });
    await world.agents.remove(owner, id);
    await expect(world.agents.create(owner, { id, name: 'B', type: 'ai' })).rejects.toMatchObject({
      code: 'id_taken',
    });
  });
});

describe('who may', () => {
  test('others see who is in a project with them, without prompts, commands and keys', async () => {
    const { projectId, agentId } = await world.agentInProject();
    const elsewhere = await world.agentInProject();
    const viewer = await addPerson(world, freshId(), { accessLevel: 'viewer', projects: [projectId] });
    const stranger = await addPerson(world, freshId());
    await world.agents.update(owner, agentId, {
      systemPrompt: 'secret prompt',
      baseUrl: 'http://models.internal/',
      apiKeyEnv: 'AIZUCHI_PROVIDER_KEY',
      provider: 'command',
      command: { file: 'secret-program', args: [] },
    });
    const seen = await world.agents.get(viewer, agentId);
    expect(Object.keys(seen).toSorted()).toEqual([
      'createdAt',
      'executor',
      'hasCredential',
      'id',
      'labels',
      'maxParallelTasks',
      'name',
      'provider',
      'type',
      'updatedAt',
    ]);
    const { agents } = await world.agents.list(viewer, { limit: 200 });
    expect(agents.map((agent) => agent.id).toSorted()).toEqual([viewer.id, agentId].toSorted());
    expect(JSON.stringify(agents)).not.toMatch(/secret|internal|PROVIDER_KEY/);
    for (const [person, id] of [
      [viewer, elsewhere.agentId],
      [stranger, agentId],
      [owner, 'nobody_here'],
    ] as const)
      await expect(world.agents.get(person, id)).rejects.toMatchObject({ code: 'agent_not_found' });
    expect((await world.agents.list(stranger, { limit: 200 })).agents.map((agent) => agent.id)).toEqual([
      stranger.id,
    ]);
  });

  test('only owners change; what one may not see is 404 before 403', async () => {
    const { projectId, agentId } = await world.agentInProject();
    const hidden = await world.agentInProject();
    for (const accessLevel of ['member', 'viewer'] as const) {
      const person = await addPerson(world, freshId(), { accessLevel, projects: [projectId] });
      const calls = (id: string) => [
        world.agents.update(person, id, { systemPrompt: 'x' }),
        world.agents.remove(person, id),
        world.agents.setPasskey(person, id, {}),
        world.agents.removePasskey(person, id),
      ];
      expect(new Set(await outcomes(calls(agentId)))).toEqual(new Set(['forbidden']));
      expect(new Set(await outcomes(calls(hidden.agentId)))).toEqual(new Set(['agent_not_found']));
      await expect(world.agents.create(person, { name: 'A', type: 'ai' })).rejects.toMatchObject(forbidden);
      await expect(world.agents.update(person, person.id, { accessLevel: 'owner' })).rejects.toMatchObject(
        forbidden,
      );
      const name = `New ${person.id}`;
      expect((await world.agents.update(person, person.id, { name })).name).toBe(name);
    }
  });
});

describe('changing', () => {
  test('null empties, what is not named stays, and it is written down without texts', async () => {
    const { id } = await world.agents.create(owner, {
      id: freshId(),
      name: 'A',
      type: 'ai',
      role: 'tester',
      systemPrompt: 'a private prompt',
    });
    const agent = await world.agents.update(owner, id, { role: null, labels: ['gpu'] });
    expect(agent.setUpAt).toBeUndefined();
    expect(agent.role).toBeUndefined();
    expect(agent).toMatchObject({ name: 'A', systemPrompt: 'a private prompt', labels: ['gpu'] });
    const entries = await world.database.db
      .selectFrom('auditEntries')
      .select(['action', 'actorId', 'details'])
      .where('targetId', '=', id)
      .orderBy('id')
      .execute();
    expect(entries.map((entry) => entry.action)).toEqual(['agent.created', 'agent.changed']);
    expect(entries[1]?.details).toEqual({ fields: ['role', 'labels'] });
    expect(JSON.stringify(entries)).not.toContain('private');
  });

  test('fields of the other type, and a program for the wrong provider, are refused', async () => {
    const { id } = await world.agents.create(owner, {
      id: freshId(),
      name: 'A',
      type: 'ai',
      credential: false,
    });
    const human = await addPerson(world, freshId());
    const command = { file: 'node', args: [] };
    for (const [target, body] of [
      [id, { accessLevel: 'owner' }],
      [id, { provider: 'command' }],
      [id, { command }],
      [human.id, { provider: 'claude' }],
    ] as const)
      await expect(
        world.agents.update(
          owner,
          target,
          'command' in body ? { command: { file: 'node', args: [] } } : body,
        ),
      ).rejects.toMatchObject({ code: 'invalid_input' });
    const { setUpAt, updatedAt } = await world.agents.update(owner, id, { provider: 'command', command });
    expect(setUpAt).toBe(updatedAt);
    expect((await world.agents.update(owner, id, { command, name: 'Renamed' })).setUpAt).toBe(setUpAt);
    await expect(world.agents.update(owner, id, { command: null })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect((await world.agents.update(owner, id, { provider: 'builtin' })).provider).toBe('builtin');
  });
});

describe('the last owner', () => {
  test('cannot go, step down or lose the passkey', async () => {
    expect(
      await outcomes([
        world.agents.remove(owner, owner.id),
        world.agents.update(owner, owner.id, { accessLevel: 'member' }),
        world.agents.removePasskey(owner, owner.id),
      ]),
    ).toEqual(['last_owner', 'last_owner', 'last_owner']);
  });

  test('of two owners who step down at the same time one stays', async () => {
    const second = await addPerson(world, freshId(), { accessLevel: 'owner' });
    for (let round = 0; round < 5; round += 1) {
      expect(
        await outcomes([
          world.agents.update(owner, owner.id, { accessLevel: 'member' }),
          otherAgents.update(owner, second.id, { accessLevel: 'viewer' }),
        ]),
      ).toEqual(['last_owner', 'ok']);
      await world.database.db
        .updateTable('agents')
        .set({ accessLevel: 'owner' })
        .where('id', 'in', [owner.id, second.id])
        .execute();
    }
    await world.agents.remove(owner, second.id);
  });
});

describe('passkeys', () => {
  test('a new one replaces the old one, ends logins and API tokens of others and tickets that nobody used', async () => {
    const person = await addPerson(world, freshId(), { passkey: 'first passkey' });
    const { token } = await world.auth.login({ agentId: person.id, passkey: 'first passkey' }, ORIGIN);
    const api = await world.auth.createToken(person, { name: 'script' });
    expect((await world.auth.identify(api.token)).id).toBe(person.id);
    world.dirtyKeys.length = 0;
    const { passkey } = await world.agents.setPasskey(owner, person.id, undefined);
    expect(world.dirtyKeys).toContain(keys.caller(person.id));
    world.auth.onKeys(world.dirtyKeys);
    for (const ended of [token, api.token])
      await expect(world.auth.identify(ended)).rejects.toMatchObject({ code: 'unauthenticated' });
    await world.auth.login({ agentId: person.id, passkey }, ORIGIN);
    const second = await world.auth.createToken(person, { name: 'script' });
    await world.agents.removePasskey(owner, person.id);
    await expect(world.auth.identify(second.token)).rejects.toMatchObject({ code: 'unauthenticated' });
    await world.agents.removePasskey(owner, person.id);
    expect((await world.agents.get(owner, person.id)).hasCredential).toBe(false);
    await expect(world.auth.login({ agentId: person.id, passkey }, ORIGIN)).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test('a start that was taken but not yet signed in by ticket dies with the passkey', async () => {
    const membership = await world.agentInProject();
    await world.coordinator();
    await world.chat.start(owner, { ...membership, viewerId: 'viewer-1' });
    const action = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    if (action.action !== 'start' || !action.ticket) throw new Error('no start');
    await world.agents.setPasskey(owner, membership.agentId, undefined);
    expect(await world.sessions.authenticate({ bearer: action.ticket, address: ADDRESS })).toMatchObject({
      success: false,
    });
  });
});

describe('going away', () => {
  test('a deleted agent is gone everywhere, its open tasks are nobody’s, its session hears exit', async () => {
    const membership = await world.agentInProject();
    const { caller } = await world.warmAgent(membership);
    const { passkey } = await world.agents.setPasskey(owner, membership.agentId, undefined);
    await world.database.db
      .insertInto('tasks')
      .values([
        {
          id: freshId(),
          projectId: membership.projectId,
          title: 'open',
          status: 'todo',
          assigneeId: membership.agentId,
        },
        {
          id: freshId(),
          projectId: membership.projectId,
          title: 'done',
          status: 'done',
          assigneeId: membership.agentId,
        },
      ])
      .execute();
    await world.agents.remove(owner, membership.agentId);
    await expect(world.agents.get(owner, membership.agentId)).rejects.toMatchObject({
      code: 'agent_not_found',
    });
    await expect(world.agents.remove(owner, membership.agentId)).rejects.toMatchObject({
      code: 'agent_not_found',
    });
    expect((await world.projects.listAgents(owner, membership.projectId, { limit: 50 })).agents).toEqual([]);
    expect(
      await world.auth.verifyAgentPasskey(membership.agentId, passkey, { address: ADDRESS }),
    ).toBeUndefined();
    const next = await world.sessions.nextActions([caller.sessionId]);
    expect(next.get(caller.sessionId)).toMatchObject({ kind: 'exit', reason: 'agent_deleted' });
    const tasks = await world.database.db
      .selectFrom('tasks')
      .select(['title', 'assigneeId'])
      .where('projectId', '=', membership.projectId)
      .orderBy('title')
      .execute();
    expect(tasks).toEqual([
      { title: 'done', assigneeId: membership.agentId },
      { title: 'open', assigneeId: null },
    ]);
  });
});

test('lists go on where they stopped, also when one of the page is deleted meanwhile', async () => {
  const made = [];
  for (let index = 0; index < 5; index += 1)
    made.push(await world.agents.create(owner, { name: `list ${index}`, type: 'ai', credential: false }));
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await world.agents.list(owner, { limit: 2, type: 'ai', ...(cursor && { cursor }) });
    expect(page.agents.length).toBeLessThanOrEqual(2);
    seen.push(...page.agents.map((agent) => agent.id));
    if (cursor === undefined) await world.agents.remove(owner, seen.at(-1) ?? '');
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(new Set(seen).size).toBe(seen.length);
  for (const agent of made) expect(seen).toContain(agent.id);
});
