import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { keys } from '../../src/platform/change-log/keys.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { addPerson, factsOf, outcomes } from '../auth/people-support.ts';
import { rawClient, untilBlocked } from '../chat/chat-support.ts';

let world: ServiceWorld;
let owner: Person;
let otherDatabase: Database;
let tasks: TaskService;
let otherTasks: TaskService;
let projectId: string;
let agentId: string;

beforeAll(async () => {
  world = await ServiceWorld.create();
  owner = world.owner;
  otherDatabase = openDatabase({
    clock: world.clock,
    url: world.database.url,
    maxConnections: 4,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  tasks = new TaskService(world.deps);
  otherTasks = new TaskService({ ...world.deps, database: otherDatabase });
});

afterAll(async () => {
  await otherDatabase.close();
  await world.close();
});

beforeEach(async () => {
  ({ projectId, agentId } = await world.agentInProject({ credential: false }));
});

const freshId = () => `x_${newId('tsk').slice(4)}`;
const add = (title: string, rest: { dependsOn?: string[]; parentId?: string } = {}) =>
  tasks.create(owner, projectId, { title, ...rest });

describe('creating', () => {
  test('has the defaults, and tells readers of the log', async () => {
    const id = freshId();
    const facts = await factsOf(world, () => tasks.create(owner, projectId, { id, title: 'Write it' }));
    expect(facts).toEqual([{ kind: 'task', projectId, ref: { taskId: id } }]);
    const task = await tasks.get(owner, id);
    expect(task).toMatchObject({
      id,
      projectId,
      title: 'Write it',
      description: '',
      status: 'backlog',
      priority: 'medium',
      dependsOn: [],
      version: 1,
      createdBy: owner.id,
    });
    expect(task.assigneeId).toBeUndefined();
    await expect(tasks.create(owner, projectId, { id, title: 'Again' })).rejects.toMatchObject({
      code: 'id_taken',
    });
    await tasks.remove(owner, id);
    await expect(tasks.create(owner, projectId, { id, title: 'Again' })).rejects.toMatchObject({
      code: 'id_taken',
    });
  });

  test('names only tasks and people of the project', async () => {
    const other = await world.agentInProject({ credential: false });
    const foreign = await tasks.create(owner, other.projectId, { title: 'F' });
    const stranger = await addPerson(world, freshId());
    expect(
      await outcomes([
        tasks.create(owner, projectId, { title: 'T', parentId: foreign.id }),
        tasks.create(owner, projectId, { title: 'T', dependsOn: ['no_task'] }),
        tasks.create(owner, projectId, { title: 'T', assigneeId: other.agentId }),
        tasks.create(owner, projectId, { title: 'T', assigneeId: stranger.id }),
        tasks.create(owner, projectId, { title: 'T', assigneeId: 'nobody_here' }),
        tasks.create(owner, projectId, { title: 'T', assigneeId: agentId }),
        tasks.create(owner, projectId, { title: 'T', assigneeId: owner.id }),
      ]),
    ).toEqual([
      'agent_not_in_project',
      'agent_not_in_project',
      'agent_not_in_project',
      'ok',
      'ok',
      'task_not_found',
      'task_not_found',
    ]);
    const id = freshId();
    await expect(tasks.create(owner, projectId, { id, title: 'T', dependsOn: [id] })).rejects.toMatchObject({
      code: 'task_not_found',
    });
  });
});

describe('who may', () => {
  test('members work, viewers read, strangers see nothing', async () => {
    const member = await addPerson(world, freshId(), { projects: [projectId] });
    const viewer = await addPerson(world, freshId(), { accessLevel: 'viewer', projects: [projectId] });
    const stranger = await addPerson(world, freshId());
    const { id, version } = await tasks.create(member, projectId, { title: 'T' });
    expect((await tasks.get(viewer, id)).title).toBe('T');
    expect(
      await outcomes([
        tasks.create(viewer, projectId, { title: 'X' }),
        tasks.update(viewer, id, { version, title: 'X' }),
        tasks.remove(viewer, id),
      ]),
    ).toEqual(['forbidden', 'forbidden', 'forbidden']);
    expect(
      await outcomes([
        tasks.get(stranger, id),
        tasks.update(stranger, id, { version, title: 'X' }),
        tasks.remove(stranger, id),
        tasks.list(stranger, projectId, { limit: 50 }),
        tasks.create(stranger, projectId, { title: 'X' }),
      ]),
    ).toEqual([
      'project_not_found',
      'project_not_found',
      'task_not_found',
      'task_not_found',
      'task_not_found',
    ]);
    await tasks.update(member, id, { version, title: 'Y' });
    await tasks.remove(member, id);
    await expect(tasks.get(member, id)).rejects.toMatchObject({ code: 'task_not_found' });
  });

  test('an archived project’s board is closed', async () => {
    const { id, version } = await add('T');
    await world.projects.update(owner, projectId, { status: 'archived' });
    expect(
      await outcomes([
        tasks.create(owner, projectId, { title: 'X' }),
        tasks.update(owner, id, { version, title: 'X' }),
      ]),
    ).toEqual(['project_archived', 'project_archived']);
    expect((await tasks.get(owner, id)).title).toBe('T');
  });

  test('also to who has waited for its lock meanwhile', async () => {
    const { id, version } = await add('T');
    const raw = await rawClient(world);
    await raw.query('begin');
    await raw.query('select from projects where id = $1 for no key update', [projectId]);
    const late = outcomes([
      tasks.create(owner, projectId, { title: 'X' }),
      tasks.update(owner, id, { version, title: 'X' }),
    ]);
    await untilBlocked(world, 2);
    await raw.query("update projects set status = 'archived' where id = $1", [projectId]);
    await raw.query('commit');
    expect(await late).toEqual(['project_archived', 'project_archived']);
    await raw.end();
  });

  test('not who has lost the right while it waited', async () => {
    const member = await addPerson(world, `hum_l${Date.now()}`, { projects: [projectId] });
    const { id, version } = await add('T');
    const raw = await rawClient(world);
    await raw.query('begin');
    await raw.query('select from projects where id = $1 for no key update', [projectId]);
    const late = outcomes([tasks.update(member, id, { version, title: 'X' }), tasks.remove(member, id)]);
    await untilBlocked(world, 2);
    await raw.query("update agents set access_level = 'viewer' where id = $1", [member.id]);
    await raw.query('commit');
    expect(await late).toEqual(['forbidden', 'forbidden']);
    await raw.end();
  });
});

describe('changing', () => {
  test('only with the version that stands there; of two at the same time one', async () => {
    const { id } = await add('T');
    const conflict = { code: 'version_conflict', details: { version: 1 } };
    await expect(tasks.update(owner, id, { title: 'X' })).rejects.toMatchObject(conflict);
    await expect(tasks.update(owner, id, { version: 2, title: 'X' })).rejects.toMatchObject(conflict);
    expect(
      await outcomes([
        tasks.update(owner, id, { version: 1, title: 'A' }),
        otherTasks.update(owner, id, { version: 1, title: 'B' }),
      ]),
    ).toEqual(['ok', 'version_conflict']);
    expect((await tasks.get(owner, id)).version).toBe(2);
  });

  test('a move that the table does not know is refused with those it knows, and nothing of the body is stored', async () => {
    const { id } = await add('T');
    await expect(tasks.update(owner, id, { version: 1, title: 'X', status: 'done' })).rejects.toMatchObject({
      code: 'invalid_status_transition',
      details: { from: 'backlog', to: 'done', allowed: ['todo', 'cancelled'] },
    });
    expect(await tasks.get(owner, id)).toMatchObject({ title: 'T', status: 'backlog', version: 1 });
  });

  test('null empties, what is not named stays', async () => {
    const parent = await add('P');
    const { id } = await tasks.create(owner, projectId, {
      title: 'T',
      description: 'D',
      assigneeId: agentId,
      parentId: parent.id,
      priority: 'urgent',
    });
    const task = await tasks.update(owner, id, { version: 1, assigneeId: null, parentId: null });
    expect(task).toMatchObject({ title: 'T', description: 'D', priority: 'urgent', version: 2 });
    expect([task.assigneeId, task.parentId]).toEqual([undefined, undefined]);
  });

  test('work that begins, passes on or stops wakes the Coordinator, nothing else does', async () => {
    const { id } = await tasks.create(owner, projectId, { title: 'T', status: 'todo', assigneeId: agentId });
    const wakes = async (body: Parameters<TaskService['update']>[2]) => {
      world.dirtyKeys.length = 0;
      const { version } = await tasks.get(owner, id);
      const facts = await factsOf(world, () => tasks.update(owner, id, { version, ...body }));
      const ofTask = facts.filter(({ kind }) => kind === 'task');
      expect(ofTask).toEqual([{ kind: 'task', projectId, ref: { taskId: id } }]);
      expect(world.dirtyKeys).toContain(keys.log(projectId));
      return world.dirtyKeys.includes(keys.work);
    };
    expect(await wakes({ title: 'U' })).toBe(false);
    expect(await wakes({ status: 'in_progress' })).toBe(true);
    expect(await wakes({ priority: 'low' })).toBe(false);
    expect(await wakes({ assigneeId: null })).toBe(true);
    expect(await wakes({ assigneeId: agentId })).toBe(true);
    expect(await wakes({ status: 'done' })).toBe(true);
  });
});

describe('dependencies', () => {
  test('a circle is refused, over any number of steps, of parents too', async () => {
    const a = await add('A');
    const b = await add('B', { dependsOn: [a.id], parentId: a.id });
    const c = await add('C', { dependsOn: [b.id], parentId: b.id });
    expect(c.dependsOn).toEqual([b.id]);
    const cycle = { code: 'dependency_cycle' };
    for (const to of [a.id, b.id, c.id]) {
      await expect(tasks.update(owner, a.id, { version: 1, dependsOn: [to] })).rejects.toMatchObject(cycle);
      await expect(tasks.update(owner, a.id, { version: 1, parentId: to })).rejects.toMatchObject(cycle);
    }
    const free = await tasks.update(owner, c.id, { version: 1, dependsOn: [] });
    expect(free.dependsOn).toEqual([]);
    expect((await tasks.update(owner, a.id, { version: 1, dependsOn: [c.id] })).dependsOn).toEqual([c.id]);
  });

  test('of two that each close half a circle at the same time one is refused', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = [await add('A'), await add('B')];
      expect(
        await outcomes([
          tasks.update(owner, a.id, { version: 1, dependsOn: [b.id] }),
          otherTasks.update(owner, b.id, { version: 1, dependsOn: [a.id] }),
        ]),
      ).toEqual(['dependency_cycle', 'ok']);
    }
  });

  test('a task that goes takes its links with it, and those it touched are told', async () => {
    const gone = await add('gone');
    const waiting = await add('waiting', { dependsOn: [gone.id] });
    const part = await add('part', { parentId: gone.id });
    const facts = await factsOf(world, () => tasks.remove(owner, gone.id));
    expect(facts.map((fact) => fact.ref)).toEqual(
      expect.arrayContaining([{ taskId: gone.id }, { taskId: waiting.id }, { taskId: part.id }]),
    );
    expect(await tasks.get(owner, waiting.id)).toMatchObject({ dependsOn: [], version: 2 });
    const orphan = await tasks.get(owner, part.id);
    expect([orphan.parentId, orphan.version]).toEqual([undefined, 2]);
  });
});

describe('lists', () => {
  test('by status and assignee, page by page, of one project', async () => {
    const made = [];
    for (let index = 0; index < 5; index += 1)
      made.push(
        await tasks.create(owner, projectId, {
          title: `T${index}`,
          status: index < 3 ? 'todo' : 'done',
          ...(index % 2 === 0 && { assigneeId: agentId }),
        }),
      );
    const other = await world.agentInProject({ credential: false });
    await tasks.create(owner, other.projectId, { title: 'F' });
    const titles = async (query: { status?: ('todo' | 'done' | 'blocked')[]; assigneeId?: string }) =>
      (await tasks.list(owner, projectId, { limit: 50, ...query })).tasks
        .map((task) => task.title)
        .toSorted();
    expect(await titles({})).toEqual(['T0', 'T1', 'T2', 'T3', 'T4']);
    expect(await titles({ status: ['todo'] })).toEqual(['T0', 'T1', 'T2']);
    expect(await titles({ status: ['done', 'blocked'] })).toEqual(['T3', 'T4']);
    expect(await titles({ status: ['done'], assigneeId: agentId })).toEqual(['T4']);
    expect(await titles({ assigneeId: 'nobody_here' })).toEqual([]);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await tasks.list(owner, projectId, { limit: 2, ...(cursor && { cursor }) });
      seen.push(...page.tasks.map((task) => task.id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen.toSorted()).toEqual(made.map((task) => task.id).toSorted());
    const board = await tasks.list(owner, projectId, { limit: 2, board: true });
    expect(board.tasks.map((task) => task.id).toSorted()).toEqual(seen.toSorted());
    expect(board.nextCursor).toBeNull();
  });

  test('an agent reads names, and the counts of the whole board whatever it asked', async () => {
    await tasks.create(owner, projectId, { title: 'A', status: 'todo', assigneeId: agentId });
    await tasks.create(owner, projectId, { title: 'B', status: 'done' });
    const { id } = await add('C');
    await tasks.remove(owner, id);
    const page = await tasks.listForAgent(projectId, { status: ['todo'] });
    expect(page.tasks).toMatchObject([{ title: 'A', assigneeId: agentId, assigneeName: 'Worker' }]);
    expect(page.counts).toEqual({ backlog: 0, todo: 1, in_progress: 0, blocked: 0, done: 1, cancelled: 0 });
    expect(page.nextCursor).toBeNull();
  });
});
