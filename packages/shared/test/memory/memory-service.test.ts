import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessLevel } from '../../src/contract/agent.ts';
import type { Person } from '../../src/core/access/person.ts';
import { eraseMemory } from '../../src/core/memory/erase-memory.ts';
import { MemoryService } from '../../src/core/memory/memory-service.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { AT, aState, chatEvents, secondsLater } from './stored-memory.ts';

let world: ServiceWorld;
let memory: MemoryService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  memory = new MemoryService(world.deps);
});
afterAll(() => world.close());

async function personIn(projectId: string, accessLevel: AccessLevel = 'member'): Promise<Person> {
  const id = newId('agt').replace('agt_', 'person_');
  await world.agents.create(world.owner, { id, name: id, type: 'human', accessLevel });
  await world.projects.putAgent(world.owner, { projectId, agentId: id });
  return { id, name: id, accessLevel };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('lists', () => {
  it('give events newest first, page by page, those of one instant in the order of storing', async () => {
    const { agentId } = await world.agentInProject();
    const ids = await chatEvents(world, agentId, [
      { createdAt: secondsLater(5) },
      ...Array.from({ length: 6 }, () => ({ createdAt: AT })),
    ]);
    const read: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await memory.listEvents(world.owner, agentId, { limit: 3, cursor });
      read.push(...page.events.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    const [newest = '', ...others] = ids;
    expect(read).toEqual([newest, ...others.toReversed()]);
    const wrong = memory.listEvents(world.owner, agentId, { limit: 3, cursor: 'k3.evt_1' });
    expect(await codeOf(wrong)).toBe('invalid_input');
  });

  it('give also what was before 1970', async () => {
    const { agentId } = await world.agentInProject();
    const dates = ['0001-01-01T00:00:00.000Z', '1965-05-06T00:00:00.000Z', '1969-12-31T23:59:59.999Z'];
    const ids = await chatEvents(
      world,
      agentId,
      dates.map((date) => ({ createdAt: new Date(date) })),
    );
    const read: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await memory.listEvents(world.owner, agentId, { limit: 1, cursor });
      read.push(...page.events.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(read).toEqual(ids.toReversed());
  });

  it('give states of a kind, the last confirmed first', async () => {
    const { agentId } = await world.agentInProject();
    const at = (seconds: number, kind: 'fact' | 'task' = 'fact') =>
      aState(world, agentId, { kind, at: secondsLater(seconds) });
    const ids = [await at(3), await at(2), await at(1)];
    await at(4, 'task');
    const first = await memory.listStates(world.owner, agentId, { limit: 2, kind: 'fact' });
    const cursor = first.nextCursor ?? undefined;
    const second = await memory.listStates(world.owner, agentId, { limit: 2, kind: 'fact', cursor });
    expect([...first.states, ...second.states].map(({ id }) => id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
  });

  it('show an event with its links', async () => {
    const { agentId } = await world.agentInProject();
    const [first = '', second = ''] = await chatEvents(world, agentId, [{}, { createdAt: secondsLater(1) }]);
    const link = { fromEventId: second, toEventId: first, label: 'reply_to', confidence: 1 };
    for (const id of [first, second])
      expect(await memory.getEvent(world.owner, { agentId, id })).toMatchObject({
        event: { id },
        links: [link],
        threads: [],
        affect: null,
      });
  });
});

describe('a correction', () => {
  it('merges the payload, is found by its new words, and keeps what was said before', async () => {
    const { agentId, projectId } = await world.agentInProject();
    const member = await personIn(projectId);
    const id = await aState(world, agentId, { projectId, bodyText: 'likes tea', payload: { a: 1, b: 2 } });
    const item = { agentId, projectId, id };
    const validTo = '2026-05-01T00:00:00.000Z';
    const changed = await memory.updateState(member, item, {
      bodyText: 'likes coffee',
      payload: { b: null, c: 3 },
      confidence: 0.5,
      validTo,
    });
    const after = { bodyText: 'likes coffee', payload: { a: 1, c: 3 }, confidence: 0.5, validTo };
    expect(changed).toMatchObject({ id, ...after });
    expect((await memory.updateState(member, item, { validTo: null })).validTo).toBeNull();
    const { revisions, nextCursor } = await memory.listRevisions(member, item, { projectId, limit: 2 });
    expect(revisions).toMatchObject([
      { op: 'edit', before: after, after: { ...after, validTo: null }, madeBy: 'person', reason: member.id },
      { op: 'edit', before: { bodyText: 'likes tea', payload: { a: 1, b: 2 } }, after },
    ]);
    const rest = await memory.listRevisions(member, item, {
      projectId,
      limit: 2,
      cursor: nextCursor ?? undefined,
    });
    expect(rest).toMatchObject({
      revisions: [{ op: 'upsert', before: null, madeBy: 'rules' }],
      nextCursor: null,
    });
  });
});

it('a payload that grows with each correction is refused before it fills a page', async () => {
  const { agentId } = await world.agentInProject();
  const id = await aState(world, agentId, {});
  const item = { agentId, id };
  const add = (key: string) =>
    memory.updateState(world.owner, item, { payload: { [key]: 'x'.repeat(9_000) } });
  await add('a');
  await add('b');
  await expect(add('c')).rejects.toMatchObject({ code: 'invalid_input' });
  expect((await add('a')).payload).toHaveProperty('b');
});

describe('nobody sees or changes', () => {
  it('what belongs to another project or agent', async () => {
    const { agentId, projectId } = await world.agentInProject();
    const other = await world.agentInProject({ name: 'Colleague' });
    await world.projects.putAgent(world.owner, { projectId: other.projectId, agentId });
    const member = await personIn(projectId);
    const [mine = '', secret = '', general = ''] = await chatEvents(world, agentId, [
      { projectId, clientId: 'a' },
      { projectId: other.projectId, clientId: 'b', createdAt: secondsLater(1) },
      { clientId: 'c', createdAt: secondsLater(2) },
    ]);
    const state = await aState(world, agentId, { projectId: other.projectId });
    const { events } = await memory.listEvents(member, agentId, { projectId, limit: 50 });
    expect(events.map(({ id }) => id)).toEqual([general, mine]);
    expect((await memory.listStates(member, agentId, { projectId, limit: 50 })).states).toEqual([]);
    for (const person of [member, world.owner]) {
      const item = { agentId, projectId, id: secret };
      expect(await codeOf(memory.getEvent(person, item))).toBe('event_not_found');
      expect(await codeOf(memory.deleteEvent(person, item))).toBe('event_not_found');
      const stateItem = { agentId, projectId, id: state };
      expect(await codeOf(memory.updateState(person, stateItem, { confidence: 0 }))).toBe('state_not_found');
      expect(await codeOf(memory.deleteState(person, stateItem))).toBe('state_not_found');
      const revisions = memory.listRevisions(person, stateItem, { projectId, limit: 5 });
      expect(await codeOf(revisions)).toBe('state_not_found');
    }
    const elsewhere = await world.colleague({ agentId, projectId });
    expect(await codeOf(memory.getEvent(world.owner, { ...elsewhere, id: mine }))).toBe('event_not_found');
    expect(await codeOf(memory.deleteEvent(world.owner, { ...elsewhere, id: mine }))).toBe('event_not_found');
    expect(await codeOf(memory.deleteEvent(member, { agentId, projectId, id: general }))).toBe('forbidden');
    expect(await codeOf(memory.deleteEvent(member, { agentId, projectId, id: mine }))).toBe('done');
  });

  it('a memory without the right to it', async () => {
    const { agentId, projectId } = await world.agentInProject();
    const other = await world.agentInProject();
    const member = await personIn(projectId);
    const viewer = await personIn(projectId, 'viewer');
    const read = (person: Person, agent: string, project?: string) =>
      codeOf(memory.listEvents(person, agent, { projectId: project, limit: 5 }));
    expect(await read(member, agentId)).toBe('invalid_input');
    expect(await read(member, agentId, other.projectId)).toBe('project_not_found');
    expect(await read(member, other.agentId, projectId)).toBe('agent_not_found');
    expect(await read(world.owner, other.agentId, projectId)).toBe('agent_not_in_project');
    expect(await read(world.owner, 'agt_unknown')).toBe('agent_not_found');
    expect(await read(member, viewer.id, projectId)).toBe('agent_is_human');
    expect(await read(viewer, agentId, projectId)).toBe('done');
    expect(await codeOf(memory.erase(viewer, agentId, { projectId }))).toBe('forbidden');
    expect(await codeOf(memory.erase(member, agentId, {}))).toBe('invalid_input');
    expect(await memory.indexing(viewer, agentId, { projectId })).toMatchObject({
      pendingJobs: 0,
      failedJobs: 0,
    });
  });
});

it('what is stored while a memory is erased stays', async () => {
  const { agentId } = await world.agentInProject();
  await chatEvents(world, agentId, [{ userText: 'before' }]);
  let during: string[] = [];
  await eraseMemory(world.database, { agentId, projectId: undefined }, async () => {
    if (during.length === 0)
      during = await chatEvents(world, agentId, [{ userText: 'meanwhile', createdAt: secondsLater(1) }]);
  });
  const { events } = await memory.listEvents(world.owner, agentId, { limit: 5 });
  expect(events.map(({ id }) => id)).toEqual(during);
});

describe('of an agent that is gone, an owner can delete what is left', () => {
  it('in a project that it was removed from, and all of it when it was deleted', async () => {
    const { agentId, projectId } = await world.agentInProject();
    const member = await personIn(projectId);
    const [, general = ''] = await chatEvents(world, agentId, [
      { projectId, clientId: 'a' },
      { clientId: 'b', createdAt: secondsLater(1) },
    ]);
    await world.projects.removeAgent(world.owner, { projectId, agentId });
    expect(await codeOf(memory.erase(member, agentId, { projectId }))).toBe('agent_not_found');
    await memory.erase(world.owner, agentId, { projectId });
    const { events } = await memory.listEvents(world.owner, agentId, { limit: 5 });
    expect(events.map(({ id }) => id)).toEqual([general]);
    await world.agents.remove(world.owner, agentId);
    expect(await codeOf(memory.listEvents(world.owner, agentId, { limit: 5 }))).toBe('agent_not_found');
    expect(await codeOf(memory.erase(member, agentId, { projectId }))).toBe('agent_not_found');
    await memory.erase(world.owner, agentId, {});
    const { rows } = await world.database.pool.query('select id from memory_events where agent_id = $1', [
      agentId,
    ]);
    expect(rows).toEqual([]);
  });
});
