import { mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { ProjectService } from '../../src/core/projects/project-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { keys } from '../../src/platform/change-log/keys.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { addPerson, outcomes } from '../auth/people-support.ts';

let world: ServiceWorld;
let owner: Person;
let otherDatabase: Database;
let otherProjects: ProjectService;

beforeAll(async () => {
  world = await ServiceWorld.create();
  owner = world.owner;
  otherDatabase = openDatabase({
    clock: world.clock,
    url: world.database.url,
    maxConnections: 4,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  otherProjects = new ProjectService({ ...world.deps, database: otherDatabase });
});

afterAll(async () => {
  await otherDatabase.close();
  await world.close();
});

const freshId = () => `x_${newId('prj').slice(4)}`;
const folder = () => join(world.root, freshId());

test('the folders to choose from: why one cannot be used is said before, the own folder is no obstacle', async () => {
  const place = folder();
  const used = join(place, 'used');
  for (const name of ['used/inner', 'free']) await mkdir(join(place, name), { recursive: true });
  const { id } = await world.projects.create(owner, { name: 'P', workingDirectory: used });
  const refusalOf = async (path: string, projectId?: string) =>
    (await world.projects.listFolders(owner, { path, projectId })).refusal;
  expect(await refusalOf(join(place, 'free'))).toBeUndefined();
  expect(await refusalOf(used)).toEqual({ code: 'working_directory_in_use' });
  const notAllowed = (reason: string) => ({ code: 'working_directory_not_allowed', reason });
  expect(await refusalOf(join(used, 'inner'))).toEqual(notAllowed('inside_used'));
  expect(await refusalOf(place)).toEqual(notAllowed('around_used'));
  for (const path of [used, join(used, 'inner'), place]) expect(await refusalOf(path, id)).toBeUndefined();
  expect((await world.projects.listFolders(owner, {})).folders.map(({ path }) => path)).toEqual([world.root]);
  const member: Person = { ...owner, accessLevel: 'member' };
  await expect(world.projects.listFolders(member, {})).rejects.toMatchObject({ code: 'forbidden' });
});

describe('creating', () => {
  test('without a folder gets its own in the first root', async () => {
    const project = await world.projects.create(owner, { name: 'P' });
    expect(project).toMatchObject({ name: 'P', status: 'active', permissionPolicy: 'ask' });
    expect(project.id).toMatch(/^prj_[0-9a-z]{20}$/);
    expect(project.workingDirectory).toBe(join(world.root, 'Aizuchi', project.id));
    expect((await stat(project.workingDirectory)).isDirectory()).toBe(true);
    expect(await world.projects.get(owner, project.id)).toEqual(project);
  });

  test('the real path is kept: by another name the folder is in use', async () => {
    const real = folder();
    await mkdir(real);
    const link = folder();
    await symlink(real, link);
    expect((await world.projects.create(owner, { name: 'P', workingDirectory: link })).workingDirectory).toBe(
      real,
    );
    await expect(world.projects.create(owner, { name: 'Q', workingDirectory: real })).rejects.toMatchObject({
      code: 'working_directory_in_use',
    });
  });

  test('of two in one folder at the same time one is made', async () => {
    for (let round = 0; round < 5; round += 1) {
      const workingDirectory = folder();
      expect(
        await outcomes([
          world.projects.create(owner, { name: 'P', workingDirectory }),
          otherProjects.create(owner, { name: 'Q', workingDirectory }),
        ]),
      ).toEqual(['ok', 'working_directory_in_use']);
      expect((await stat(workingDirectory)).isDirectory()).toBe(true);
    }
  });

  test('of two with one id at the same time one is made, and its folder stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = freshId();
      const calls = [world.projects, otherProjects].map((service) =>
        service.create(owner, { id, name: 'P' }),
      );
      expect(await outcomes(calls)).toEqual(['id_taken', 'ok']);
      expect((await stat(join(world.root, 'Aizuchi', id))).isDirectory()).toBe(true);
    }
  });

  test('what is refused leaves no folder behind', async () => {
    const { id } = await world.projects.create(owner, { id: freshId(), name: 'P' });
    const before = await readdir(world.root);
    await expect(
      world.projects.create(owner, { id, name: 'Q', workingDirectory: folder() }),
    ).rejects.toMatchObject({ code: 'id_taken' });
    await world.projects.remove(owner, id);
    await expect(
      world.projects.create(owner, { id, name: 'Q', workingDirectory: folder() }),
    ).rejects.toMatchObject({ code: 'id_taken' });
    expect(await readdir(world.root)).toEqual(before);
  });

  test.each([
    ['outside the roots', () => '/var'],
    ['the home', () => join(world.root, 'home')],
    ['around the home', () => world.root],
    ['relative', () => 'work'],
  ])('%s is not allowed', async (_name, workingDirectory) => {
    await expect(
      world.projects.create(owner, { name: 'P', workingDirectory: workingDirectory() }),
    ).rejects.toMatchObject({ code: 'working_directory_not_allowed' });
  });
});

describe('a folder in or around that of another project', () => {
  const refused = (reason: RegExp) => ({
    code: 'working_directory_not_allowed',
    message: expect.stringMatching(reason),
  });

  test('is refused, and nothing is made in it', async () => {
    const outer = folder();
    await world.projects.create(owner, { name: 'P', workingDirectory: outer });
    await expect(
      world.projects.create(owner, { name: 'Q', workingDirectory: join(outer, 'inner') }),
    ).rejects.toMatchObject(refused(/inside another project/));
    expect(await readdir(outer)).toEqual([]);
    // A name that only begins like it is another folder.
    await world.projects.create(owner, { name: 'Q', workingDirectory: `${outer}-2` });
    const { id } = await world.projects.create(owner, { name: 'R' });
    await mkdir(join(outer, 'inner'));
    const link = folder();
    await symlink(join(outer, 'inner'), link);
    await expect(world.projects.update(owner, id, { workingDirectory: link })).rejects.toMatchObject(
      refused(/inside another project/),
    );
    // The one that it has itself is not another's.
    await world.projects.update(owner, id, { workingDirectory: join(world.root, 'Aizuchi', id) });
  });

  test('the folder of all default folders is refused while one of them is used', async () => {
    await world.projects.create(owner, { name: 'P' });
    await expect(
      world.projects.create(owner, { name: 'Q', workingDirectory: join(world.root, 'Aizuchi') }),
    ).rejects.toMatchObject(refused(/folder lies inside it/));
  });

  test('is free when that project is archived, which then comes back only when it is alone again', async () => {
    const outer = folder();
    const { id } = await world.projects.create(owner, { name: 'P', workingDirectory: outer });
    await world.projects.update(owner, id, { status: 'archived' });
    const { id: second } = await world.projects.create(owner, {
      name: 'Q',
      workingDirectory: join(outer, 'inner'),
    });
    await expect(world.projects.update(owner, id, { status: 'active' })).rejects.toMatchObject(
      refused(/folder lies inside it/),
    );
    await world.projects.remove(owner, second);
    expect((await world.projects.update(owner, id, { status: 'active' })).status).toBe('active');
  });

  test('of two at the same time, one in the other, one is made', async () => {
    for (let round = 0; round < 5; round += 1) {
      const outer = folder();
      const inner = join(outer, 'inner');
      await mkdir(inner, { recursive: true });
      // Both have asked, and found it free; only then is either stored.
      const holder = await otherDatabase.pool.connect();
      await holder.query('begin; lock table projects in share mode');
      const calls = outcomes([
        world.projects.create(owner, { name: 'P', workingDirectory: outer }),
        otherProjects.create(owner, { name: 'Q', workingDirectory: inner }),
      ]);
      await expect.poll(() => waitingForLocks()).toBe(2);
      await holder.query('commit');
      holder.release();
      expect(await calls).toEqual(['ok', 'working_directory_not_allowed']);
    }
  });

  test('as an older version let it: who starts an agent there is told', async () => {
    const [membership, other] = [await world.agentInProject(), await world.agentInProject()];
    const { workingDirectory = '' } = await world.projects.get(owner, other.projectId);
    await world.database.db
      .updateTable('projects')
      .set({ workingDirectory: join(workingDirectory, 'inner') })
      .where('id', '=', membership.projectId)
      .execute();
    await world.coordinator();
    for (const one of [membership, other]) {
      await world.chat.start(owner, { ...one, viewerId: 'viewer-1' });
      const action = await world.coordination.getAgentAction({ ...one, coordinatorId: 'host-a' });
      expect(action).toMatchObject({ action: 'start', workingDirectoryOverlaps: true });
    }
    const alone = await world.agentInProject();
    await world.chat.start(owner, { ...alone, viewerId: 'viewer-1' });
    const action = await world.coordination.getAgentAction({ ...alone, coordinatorId: 'host-a' });
    expect(action).toMatchObject({ action: 'start', workingDirectoryOverlaps: false });
  });
});

describe('who may', () => {
  test('owners see all, others their own, the rest does not exist for them', async () => {
    const [mine, other] = [await world.agentInProject(), await world.agentInProject()];
    const viewer = await addPerson(world, freshId(), { accessLevel: 'viewer', projects: [mine.projectId] });
    expect((await world.projects.list(viewer, { limit: 50 })).projects.map((project) => project.id)).toEqual([
      mine.projectId,
    ]);
    const all = (await world.projects.list(owner, { limit: 200 })).projects.map((project) => project.id);
    expect(all).toEqual(expect.arrayContaining([mine.projectId, other.projectId]));
    const missing = { code: 'project_not_found' };
    await expect(world.projects.get(viewer, other.projectId)).rejects.toMatchObject(missing);
    await expect(world.projects.update(viewer, other.projectId, { name: 'X' })).rejects.toMatchObject(
      missing,
    );
    await expect(world.projects.remove(viewer, other.projectId)).rejects.toMatchObject(missing);
    await expect(world.projects.putAgent(viewer, other)).rejects.toMatchObject(missing);
    await expect(world.projects.listAgents(viewer, other.projectId, { limit: 50 })).rejects.toMatchObject(
      missing,
    );
    await expect(world.projects.get(owner, 'no_project')).rejects.toMatchObject(missing);
    expect((await world.projects.listAgents(viewer, mine.projectId, { limit: 50 })).agents).toHaveLength(2);
  });

  test('members name and describe their projects, viewers do not, folders and members are the owners’', async () => {
    const { projectId, agentId } = await world.agentInProject();
    const member = await addPerson(world, freshId(), { projects: [projectId] });
    const viewer = await addPerson(world, freshId(), { accessLevel: 'viewer', projects: [projectId] });
    expect((await world.projects.update(member, projectId, { name: 'Renamed' })).name).toBe('Renamed');
    const forbidden = [
      world.projects.update(viewer, projectId, { name: 'X' }),
      ...[member, viewer].flatMap((person) => [
        world.projects.create(person, { name: 'P' }),
        world.projects.update(person, projectId, { workingDirectory: folder() }),
        world.projects.update(person, projectId, { status: 'archived' }),
        world.projects.update(person, projectId, { permissionPolicy: 'allow_edits' }),
        world.projects.update(person, projectId, { isolation: 'worktree' }),
        world.projects.update(person, projectId, { egress: null }),
        world.projects.remove(person, projectId),
        world.projects.putAgent(person, { projectId, agentId }),
        world.projects.removeAgent(person, { projectId, agentId }),
      ]),
    ];
    expect(new Set(await outcomes(forbidden))).toEqual(new Set(['forbidden']));
  });
});

test('the isolation changes while no run lives; the same value is no change', async () => {
  const membership = await world.agentInProject();
  const change = (isolation: 'shared' | 'worktree') =>
    world.projects.update(owner, membership.projectId, { isolation });
  expect((await world.projects.get(owner, membership.projectId)).isolation).toBe('shared');
  expect((await change('worktree')).isolation).toBe('worktree');
  await world.warmAgent(membership);
  await expect(change('shared')).rejects.toMatchObject({ code: 'project_has_running_agents' });
  expect((await change('worktree')).isolation).toBe('worktree');
});

describe('the folder changes', () => {
  test('to a free one, not to one in use, not while a run lives', async () => {
    const membership = await world.agentInProject();
    const { workingDirectory = '' } = await world.projects.get(
      owner,
      (await world.agentInProject()).projectId,
    );
    const change = (to: string) =>
      world.projects.update(owner, membership.projectId, { workingDirectory: to });
    await expect(change(workingDirectory)).rejects.toMatchObject({ code: 'working_directory_in_use' });
    const free = folder();
    expect((await change(free)).workingDirectory).toBe(free);
    await world.warmAgent(membership);
    const next = folder();
    await expect(change(next)).rejects.toMatchObject({ code: 'project_has_running_agents' });
    await expect(stat(next)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await change(free)).workingDirectory).toBe(free);
  });

  test('of an archived project is free again, and the project comes back only when it still is', async () => {
    const { id, workingDirectory } = await world.projects.create(owner, { name: 'P' });
    await world.projects.update(owner, id, { status: 'archived' });
    const { id: second } = await world.projects.create(owner, { name: 'Q', workingDirectory });
    await expect(world.projects.update(owner, id, { status: 'active' })).rejects.toMatchObject({
      code: 'working_directory_in_use',
    });
    await world.projects.remove(owner, second);
    expect((await world.projects.update(owner, id, { status: 'active' })).status).toBe('active');
  });
});

describe('members', () => {
  test('come and go; who is in is not told twice', async () => {
    const { projectId } = await world.agentInProject();
    const { id: agentId } = await world.agents.create(owner, { name: 'B', type: 'ai', credential: false });
    const membership = { projectId, agentId };
    world.dirtyKeys.length = 0;
    expect(await world.projects.putAgent(owner, membership)).toEqual(membership);
    expect(world.dirtyKeys).toEqual(expect.arrayContaining([keys.caller(agentId), keys.work]));
    expect(await world.projects.putAgent(owner, membership)).toEqual(membership);
    await world.projects.removeAgent(owner, membership);
    await expect(world.projects.removeAgent(owner, membership)).rejects.toMatchObject({
      code: 'agent_not_found',
    });
    await world.projects.putAgent(owner, membership);
    await expect(world.projects.putAgent(owner, { projectId, agentId: 'nobody_here' })).rejects.toMatchObject(
      {
        code: 'agent_not_found',
      },
    );
  });

  test('an agent that goes while it is awake hears exit, its open tasks are nobody’s', async () => {
    const membership = await world.agentInProject();
    const { caller } = await world.warmAgent(membership);
    const tasks = new TaskService(world.deps);
    const task = await tasks.create(owner, membership.projectId, {
      title: 'T',
      assigneeId: membership.agentId,
    });
    await world.projects.removeAgent(owner, membership);
    const next = await world.sessions.nextActions([caller.sessionId]);
    expect(next.get(caller.sessionId)).toMatchObject({ kind: 'exit', reason: 'removed_from_project' });
    expect(await tasks.get(owner, task.id)).toMatchObject({ version: 2 });
    expect((await tasks.get(owner, task.id)).assigneeId).toBeUndefined();
  });

  test('one that is being deleted at this moment does not become a member', async () => {
    const { projectId } = await world.agentInProject({ credential: false });
    const { id: agentId } = await world.agents.create(owner, { name: 'B', type: 'ai', credential: false });
    const deletes = await otherDatabase.pool.connect();
    await deletes.query('begin');
    await deletes.query('update agents set deleted_at = now() where id = $1', [agentId]);
    const joins = outcomes([world.projects.putAgent(owner, { projectId, agentId })]);
    // It has to wait for the row: a mere look would still find the agent alive.
    await expect.poll(() => waitingForLocks()).toBe(1);
    await deletes.query('commit');
    deletes.release();
    expect(await joins).toEqual(['agent_not_found']);
  });
});

async function waitingForLocks(): Promise<number> {
  const { rows } = await otherDatabase.pool.query<{ waiting: number }>(`
    select count(*)::int as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rows[0]?.waiting ?? 0;
}

test('an archived project takes no members; a deleted one is gone, its sessions end, its folder stays', async () => {
  const membership = await world.agentInProject();
  const { caller } = await world.warmAgent(membership);
  const { workingDirectory = '' } = await world.projects.get(owner, membership.projectId);
  world.dirtyKeys.length = 0;
  await world.projects.update(owner, membership.projectId, { status: 'archived' });
  expect(world.dirtyKeys).toContain(keys.work);
  const next = await world.sessions.nextActions([caller.sessionId]);
  expect(next.get(caller.sessionId)).toMatchObject({ kind: 'exit', reason: 'project_archived' });
  const { id: agentId } = await world.agents.create(owner, { name: 'B', type: 'ai', credential: false });
  await expect(
    world.projects.putAgent(owner, { projectId: membership.projectId, agentId }),
  ).rejects.toMatchObject({
    code: 'project_archived',
  });
  await world.projects.remove(owner, membership.projectId);
  await expect(world.projects.get(owner, membership.projectId)).rejects.toMatchObject({
    code: 'project_not_found',
  });
  expect((await stat(workingDirectory)).isDirectory()).toBe(true);
});
