import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { TaskRecordService } from '../../src/core/tasks/task-record-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { addPerson, factsOf, outcomes } from '../auth/people-support.ts';

let world: ServiceWorld;
let owner: Person;
let tasks: TaskService;
let records: TaskRecordService;
let projectId: string;
let agentId: string;

beforeAll(async () => {
  world = await ServiceWorld.create();
  owner = world.owner;
  tasks = new TaskService(world.deps);
  records = new TaskRecordService(world.deps);
});
afterAll(() => world.close());
beforeEach(async () => {
  ({ projectId, agentId } = await world.agentInProject({ credential: false }));
});

const ALL = { limit: 200 };
type Changes = Omit<Parameters<TaskService['update']>[2], 'version'>;
const change = async (id: string, body: Changes) =>
  tasks.update(owner, id, { version: (await tasks.get(owner, id)).version, ...body });

/** The ids of a column in its order. */
async function column(status = 'backlog'): Promise<string[]> {
  const { tasks: all } = await tasks.list(owner, projectId, ALL);
  return all
    .filter((task) => task.status === status)
    .toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}

async function three(): Promise<[string, string, string]> {
  const make = async (title: string) => {
    world.clock.advance(1_000);
    return (await tasks.create(owner, projectId, { title })).id;
  };
  return [await make('One'), await make('Two'), await make('Three')];
}

describe('the order within a column', () => {
  test('a new task stands at the end; one that is put elsewhere stays there', async () => {
    const [one, two, three_] = await three();
    expect(await column()).toEqual([one, two, three_]);
    await change(three_, { after: null });
    expect(await column()).toEqual([three_, one, two]);
    await change(three_, { after: one });
    expect(await column()).toEqual([one, three_, two]);
    await change(one, { after: two });
    expect(await column()).toEqual([three_, two, one]);
  });

  test('a move into another column names its place there; without one it goes to the end', async () => {
    const [one, two, three_] = await three();
    for (const id of [one, two]) {
      world.clock.advance(1_000);
      await change(id, { status: 'todo' });
    }
    expect(await column('todo')).toEqual([one, two]);
    await change(three_, { status: 'todo', after: one });
    expect(await column('todo')).toEqual([one, three_, two]);
    await expect(change(two, { after: two })).rejects.toMatchObject({ code: 'task_not_found' });
    const other = await tasks.create(owner, projectId, { title: 'Other column' });
    await expect(change(two, { after: other.id })).rejects.toMatchObject({ code: 'task_not_found' });
  });

  test('a gap that is too small is made wider; the readers hear of each task that got another position', async () => {
    const [one, two, three_] = await three();
    const { db } = world.database;
    await db.updateTable('tasks').set({ position: 5 }).where('id', 'in', [one, two]).execute();
    const [above = '', below] = [one, two].toSorted();
    const facts = await factsOf(world, () => change(three_, { after: above }));
    expect(await column()).toEqual([above, three_, below]);
    expect(facts.map(({ ref }) => ref)).toContainEqual({ taskId: three_ });
    expect(facts.length).toBeGreaterThan(1);
    // Nobody has changed these: who edits one of them meanwhile is in nobody's way.
    for (const id of [above, below ?? ''])
      await tasks.update(owner, id, { version: 1, description: 'written meanwhile' });
  });

  test('two moves into one gap at once: both are stored, in some order', async () => {
    const [one, two, three_] = await three();
    const last = await tasks.create(owner, projectId, { title: 'Last' });
    const otherDatabase = openDatabase({
      clock: world.clock,
      url: world.database.url,
      maxConnections: 2,
      transactionTimeoutMs: LONG_TIMEOUT_MS,
    });
    const other = new TaskService({ ...world.deps, database: otherDatabase });
    const all = await outcomes([
      tasks.update(owner, three_, { version: 1, after: one }),
      other.update(owner, last.id, { version: 1, after: one }),
    ]);
    await otherDatabase.close();
    expect(all).toEqual(['ok', 'ok']);
    const order = await column();
    expect([order[0], order[3]]).toEqual([one, two]);
    expect(new Set(order.slice(1, 3))).toEqual(new Set([three_, last.id]));
  });
});

describe('dependencies', () => {
  test('a task cannot begin before those that it waits for are done; cancelled ones count as finished', async () => {
    const [one, two, three_] = await three();
    await change(three_, { dependsOn: [one, two] });
    await change(three_, { status: 'todo' });
    await expect(change(three_, { status: 'in_progress' })).rejects.toMatchObject({
      code: 'dependencies_unfinished',
      details: { taskIds: [one, two].sort() },
    });
    await change(one, { status: 'cancelled' });
    for (const status of ['todo', 'in_progress', 'done'] as const) await change(two, { status });
    expect((await change(three_, { status: 'in_progress' })).status).toBe('in_progress');
    await expect(
      tasks.create(owner, projectId, { title: 'At once', status: 'in_progress', dependsOn: [three_] }),
    ).rejects.toMatchObject({ code: 'dependencies_unfinished' });
  });

  test.each<[string, (two: string, waiting: Record<'three' | 'alone' | 'one', string>) => Promise<unknown>]>([
    ['cancelled', (two) => change(two, { status: 'cancelled' })],
    ['deleted', (two) => tasks.remove(owner, two)],
    [
      'taken out',
      async (_two, { three: id, alone, one }) => {
        // Only what still waits begins by it.
        await change(one, { title: 'First' });
        await change(id, { dependsOn: [one] });
        await change(alone, { dependsOn: [] });
        await change(alone, { dependsOn: [one] });
      },
    ],
  ])(
    'a task begins by itself, too, when the last that it waits for is %s after another was done',
    async (_, end) => {
      const [one, two, three_] = await three();
      const waiting = { status: 'todo', assigneeId: agentId } as const;
      await change(three_, { ...waiting, dependsOn: [one, two] });
      const { id: alone } = await tasks.create(owner, projectId, {
        title: 'Alone',
        ...waiting,
        dependsOn: [two],
      });
      for (const status of ['todo', 'in_progress', 'done'] as const) await change(one, { status });
      expect((await tasks.get(owner, three_)).status).toBe('todo');
      await end(two, { three: three_, alone, one });
      expect((await tasks.get(owner, three_)).status).toBe('in_progress');
      expect((await tasks.get(owner, alone)).status, 'nothing of what it needs is done').toBe('todo');
      const { entries } = await records.history(owner, three_, ALL);
      expect(entries).toContainEqual(
        expect.objectContaining({ byId: undefined, field: 'status', to: 'in_progress' }),
      );
    },
  );

  test('a task of another project is not there, whatever its status is', async () => {
    const elsewhere = await world.agentInProject({ credential: false });
    const secret = await tasks.create(owner, elsewhere.projectId, { title: 'Secret' });
    const { id } = await tasks.create(owner, projectId, { title: 'Mine', status: 'todo' });
    const person = await addPerson(world, `hum_d${Date.now()}`, { projects: [projectId] });
    for (const status of ['todo', 'in_progress'] as const) {
      const body = { version: 1, status, dependsOn: [secret.id] };
      await expect(tasks.update(person, id, body), status).rejects.toMatchObject({ code: 'task_not_found' });
    }
  });

  test('a parent tells how many of its parts are done', async () => {
    const [one, two, three_] = await three();
    expect((await tasks.get(owner, one)).parts).toBeUndefined();
    const facts = await factsOf(world, () => change(two, { parentId: one }));
    expect(facts.map(({ ref }) => ref)).toContainEqual({ taskId: one });
    await change(three_, { parentId: one });
    for (const status of ['todo', 'in_progress', 'done'] as const) await change(two, { status });
    expect((await tasks.get(owner, one)).parts).toEqual({ total: 2, done: 1 });
    await change(three_, { status: 'cancelled' });
    expect((await tasks.get(owner, one)).parts).toEqual({ total: 1, done: 1 });
    expect((await factsOf(world, () => tasks.remove(owner, two))).map(({ ref }) => ref)).toContainEqual({
      taskId: one,
    });
    expect((await tasks.get(owner, one)).parts).toBeUndefined();
    const { tasks: parts } = await tasks.list(owner, projectId, { ...ALL, parentId: one });
    expect(parts.map(({ id }) => id)).toEqual([three_]);
  });
});

test('labels and a due date are kept, and labels find', async () => {
  const { id } = await tasks.create(owner, projectId, {
    title: 'Ship',
    labels: ['release', 'urgent'],
    dueDate: '2026-12-24',
  });
  await tasks.create(owner, projectId, { title: 'Other' });
  expect(await tasks.get(owner, id)).toMatchObject({ labels: ['release', 'urgent'], dueDate: '2026-12-24' });
  const found = await tasks.list(owner, projectId, { ...ALL, label: 'release' });
  expect(found.tasks.map((task) => task.id)).toEqual([id]);
  expect((await change(id, { dueDate: null, labels: [] })).dueDate).toBeUndefined();
});

test('the history tells each field that was changed, by whom, from what to what', async () => {
  const person = await addPerson(world, `hum_${Date.now()}`, { projects: [projectId] });
  const { id } = await tasks.create(owner, projectId, { title: 'First' });
  world.clock.advance(10);
  await tasks.update(person, id, { version: 1, title: 'Second', status: 'todo', assigneeId: agentId });
  world.clock.advance(10);
  await tasks.update(person, id, { version: 2, title: 'Second' });
  // Also whom the reader cannot list.
  const { entries } = await records.history(person, id, ALL);
  const created = { byId: owner.id, byName: owner.name, field: 'status', from: null, to: 'backlog' };
  expect(entries[0]).toMatchObject(created);
  expect(entries.slice(1).toSorted((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
    expect.objectContaining({ byId: person.id, field: 'assigneeId', from: null, to: agentId }),
    expect.objectContaining({ byId: person.id, field: 'status', from: 'backlog', to: 'todo' }),
    expect.objectContaining({ byId: person.id, field: 'title', from: 'First', to: 'Second' }),
  ]);
});

describe('the history of what another change did to a task', () => {
  const entriesOf = async (id: string) => (await records.history(owner, id, ALL)).entries.slice(1);

  test('its parent, or a task that it waits for, is deleted', async () => {
    const [one, two, three_] = await three();
    await change(two, { parentId: one });
    await change(three_, { dependsOn: [one, two] });
    await tasks.remove(owner, one);
    expect((await entriesOf(two)).slice(1)).toEqual([
      expect.objectContaining({ byId: owner.id, field: 'parentId', from: one, to: null }),
    ]);
    expect((await entriesOf(three_)).slice(1)).toEqual([
      expect.objectContaining({
        byId: owner.id,
        field: 'dependsOn',
        from: [one, two].toSorted().join(', '),
        to: two,
      }),
    ]);
  });

  test.each(['leaves the project', 'is deleted'])('its assignee %s', async (how) => {
    const { id } = await tasks.create(owner, projectId, { title: 'Open', assigneeId: agentId });
    const { id: done } = await tasks.create(owner, projectId, {
      title: 'Done',
      status: 'done',
      assigneeId: agentId,
    });
    if (how === 'is deleted') await world.agents.remove(owner, agentId);
    else await world.projects.removeAgent(owner, { projectId, agentId });
    expect(await entriesOf(id)).toEqual([
      expect.objectContaining({ byId: owner.id, field: 'assigneeId', from: agentId, to: null }),
    ]);
    expect(await entriesOf(done)).toEqual([]);
  });
});

test('comments: written, counted, listed in order by pages, deleted by their author or an owner', async () => {
  const person = await addPerson(world, `hum_c${Date.now()}`, { projects: [projectId] });
  const stranger = await addPerson(world, `hum_s${Date.now()}`);
  const { id } = await tasks.create(owner, projectId, { title: 'Talk' });
  const facts = await factsOf(world, () => records.comment(person, id, { body: 'one' }));
  expect(facts).toEqual([{ kind: 'task', projectId, ref: { taskId: id } }]);
  world.clock.advance(10);
  // A call whose response was lost is made again.
  const again = { body: 'two', clientCommentId: 'once' };
  const both = await Promise.all([records.comment(owner, id, again), records.comment(owner, id, again)]);
  expect(both[0]).toEqual(both[1]);
  await expect(records.comment(owner, id, { ...again, body: 'three' })).rejects.toMatchObject({
    code: 'client_message_id_reused',
  });
  const [{ id: second }] = both;
  expect((await tasks.get(owner, id)).comments).toBe(2);
  const first = await records.comments(owner, id, { limit: 1 });
  expect(first.comments.map(({ body }) => body)).toEqual(['one']);
  const rest = await records.comments(owner, id, { limit: 1, cursor: first.nextCursor ?? '' });
  expect(rest.comments).toMatchObject([{ body: 'two', authorName: owner.name }]);
  expect(rest.nextCursor).toBeNull();
  await expect(records.deleteComment(person, id, second)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(records.comments(stranger, id, ALL)).rejects.toMatchObject({ code: 'task_not_found' });
  await records.deleteComment(owner, id, second);
  await expect(records.deleteComment(owner, id, second)).rejects.toMatchObject({ code: 'comment_not_found' });
  expect((await records.comments(owner, id, ALL)).comments).toHaveLength(1);
});
