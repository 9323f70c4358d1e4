import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { AgentService } from '../../src/core/agents/agent-service.ts';
import { ProjectService } from '../../src/core/projects/project-service.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { createEmptyDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { outcomes } from '../auth/people-support.ts';

let world: ServiceWorld;
let owner: Person;
let otherDatabase: Database;
let otherAgents: AgentService;
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
  otherAgents = new AgentService({ ...world.deps, database: otherDatabase });
  otherProjects = new ProjectService({ ...world.deps, database: otherDatabase });
});
afterAll(async () => {
  await otherDatabase.close();
  await world.close();
});

const taken = { code: 'name_taken' };
const agent = async (name: string) =>
  (await world.agents.create(owner, { name, type: 'ai', credential: false })).id;
const project = async () => (await world.projects.create(owner, { name: 'P' })).id;
const join = (projectId: string, agentId: string) => world.projects.putAgent(owner, { projectId, agentId });
const joined = async (projectId: string, name: string) => {
  const agentId = await agent(name);
  await join(projectId, agentId);
  return agentId;
};
const membersOf = async (projectId: string) =>
  (await world.projects.listAgents(owner, projectId, { limit: 50 })).agents.map(({ id }) => id);

describe('within a project', () => {
  test('trap 34: a member whose name looks like another one’s is refused, and the answer names it', async () => {
    const pid = await project();
    const first = await joined(pid, 'Worker 1');
    for (const name of ['Worker 1', 'worker l', 'Wоrker 1']) {
      const id = await agent(name);
      await expect(join(pid, id)).rejects.toMatchObject({ ...taken, details: { name, taken: 'Worker 1' } });
      await world.agents.remove(owner, id);
    }
    await joined(pid, 'Worker 2');
    expect(await membersOf(pid)).toContain(first);
    expect(await membersOf(pid)).toHaveLength(2);
  });

  test('people count, and in another project the name is free', async () => {
    const pid = await project();
    const person = await world.agents.create(owner, { name: 'Ｍariko', type: 'human' });
    await join(pid, person.id);
    const double = await agent('Mariko');
    await expect(join(pid, double)).rejects.toMatchObject(taken);
    await join(await project(), double);
  });

  test('nobody renames himself into another', async () => {
    const pid = await project();
    await joined(pid, 'Reviewer');
    const other = await joined(pid, 'Tester');
    await expect(world.agents.update(owner, other, { name: 'Revіewer' })).rejects.toMatchObject(taken);
    expect((await world.agents.get(owner, other)).name).toBe('Tester');
    await world.agents.update(owner, other, { name: 'TESTER' });
    await world.projects.removeAgent(owner, { projectId: pid, agentId: other });
    await world.agents.update(owner, other, { name: 'Reviewer' });
  });

  test('to be put again is idempotent, and who leaves sets his name free', async () => {
    const pid = await project();
    const first = await joined(pid, 'Solo');
    await join(pid, first);
    await world.agents.remove(owner, first);
    await joined(pid, 'Solo');
  });
});

describe('owners write in every project', () => {
  test('nobody else has an owner’s name, with or without a project', async () => {
    await world.agents.create(owner, { name: 'Hanako', type: 'human', accessLevel: 'owner' });
    for (const type of ['ai', 'human'] as const)
      await expect(
        world.agents.create(owner, { name: 'Hаnako', type, credential: false }),
      ).rejects.toMatchObject(taken);
    const id = await agent('Taro');
    await expect(world.agents.update(owner, id, { name: 'HANAKO' })).rejects.toMatchObject(taken);
  });

  test('who becomes one must differ from the members of every project', async () => {
    await joined(await project(), 'Kenji');
    const body = { name: 'Kenji', type: 'human' } as const;
    await expect(world.agents.create(owner, { ...body, accessLevel: 'owner' })).rejects.toMatchObject(taken);
    const person = await world.agents.create(owner, body);
    await expect(world.agents.update(owner, person.id, { accessLevel: 'owner' })).rejects.toMatchObject(
      taken,
    );
    expect((await world.agents.get(owner, person.id)).accessLevel).toBe('member');
    await world.agents.update(owner, person.id, { name: 'Kenji Sato', accessLevel: 'owner' });
  });
});

test('a reserved name is not to be had by a change either', async () => {
  const id = await agent('Ordinary');
  for (const name of ['System', 'システム', 'オーナー', 'Ѕystem'])
    await expect(world.agents.update(owner, id, { name })).rejects.toMatchObject({ code: 'invalid_input' });
  const person = await world.agents.create(owner, { name: 'Boss', type: 'human', accessLevel: 'owner' });
  await world.agents.update(owner, person.id, { name: 'オーナー' });
  await world.agents.update(owner, person.id, { name: 'Boss', accessLevel: 'member' });
});

describe('of two at once one is let in', () => {
  test('two members', async () => {
    for (let round = 0; round < 5; round += 1) {
      const pid = await project();
      const [one, other] = [await agent('Twin'), await agent('Тwin')];
      expect(
        await outcomes([join(pid, one), otherProjects.putAgent(owner, { projectId: pid, agentId: other })]),
      ).toEqual(['name_taken', 'ok']);
      expect(await membersOf(pid)).toHaveLength(1);
    }
  });

  test('a member and a change of name', async () => {
    for (let round = 0; round < 5; round += 1) {
      const pid = await project();
      const there = await joined(pid, 'Somebody');
      const arriving = await agent('Twin');
      expect(
        await outcomes([join(pid, arriving), otherAgents.update(owner, there, { name: 'Twin' })]),
      ).toEqual(['name_taken', 'ok']);
    }
  });

  test('an owner and an agent', async () => {
    for (let round = 0; round < 3; round += 1) {
      const pid = await project();
      const name = `Chief ${'ABC'[round]}`;
      const id = await agent(name);
      expect(
        await outcomes([
          join(pid, id),
          otherAgents.create(owner, { name, type: 'human', accessLevel: 'owner' }),
        ]),
      ).toEqual(['name_taken', 'ok']);
    }
  });
});

/** As older versions left them: everything but a new name goes on. */
test('names that look alike and are there already stay, and can be changed', async () => {
  const pid = await project();
  const ids = [newId('agt'), newId('agt')];
  for (const id of ids) {
    await world.database.db
      .insertInto('agents')
      .values({ id, type: 'ai', name: 'System', provider: 'builtin' })
      .execute();
    await world.database.db.insertInto('projectAgents').values({ projectId: pid, agentId: id }).execute();
  }
  const [one = '', other = ''] = ids;
  await world.agents.update(owner, one, { name: 'System', role: 'old' });
  await join(pid, other);
  await world.agents.update(owner, one, { name: 'Architect' });
  await expect(world.agents.update(owner, one, { name: 'System' })).rejects.toMatchObject({
    code: 'invalid_input',
  });
});

const MIGRATION = '20261124000005_names_of_one_line.sql';

test('the migration leaves one visible line of each name, title, role and label', async () => {
  const testDatabase = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: testDatabase.url });
  await client.connect();
  const folder = new URL('../../migrations/', import.meta.url);
  const apply = async (name: string) => client.query(await readFile(new URL(name, folder), 'utf8'));
  for (const name of (await readdir(folder)).sort()) if (name < MIGRATION) await apply(name);
  await client.query(
    `insert into agents (id, type, name, role, labels, provider) values
       ('agt_bad', 'ai', $1, $2, $3, 'builtin'), ('agt_void', 'ai', $4, $4, $5, 'builtin'),
       ('agt_good', 'ai', $6, $7, $8, 'builtin'), ('agt_same', 'ai', $6, null, '{}', 'builtin')`,
    [
      'Bob\r\n\u202eSystem\u2066',
      'a\u0007b',
      ['gpu\n', 'gpu', 'x\u200by'],
      '\u3164\u202e',
      ['\u00ad'],
      '👩\u200d💻 山田　می\u200cخواهم',
      'Two  spaces',
      ['b', 'a'],
    ],
  );
  await client.query(`insert into projects (id, name, working_directory) values ('prj_1', $1, '/nowhere')`, [
    'P\u2028Q',
  ]);
  await client.query(
    `insert into tasks (id, project_id, title, description, status, priority) values ('tsk_1', 'prj_1', $1, $2, 'todo', 'low')`,
    ['Do\tit\u200f', 'Two\nlines'],
  );
  await apply(MIGRATION);
  const { rows } = await client.query('select id, name, role, labels from agents order by id');
  expect(rows.map((row) => [row.id, row.name, row.role, row.labels.toSorted()])).toEqual([
    ['agt_bad', 'Bob System', 'a b', ['gpu', 'xy']],
    ['agt_good', '👩\u200d💻 山田　می\u200cخواهم', 'Two  spaces', ['a', 'b']],
    ['agt_same', '👩\u200d💻 山田　می\u200cخواهم', null, []],
    ['agt_void', 'agt_void', null, []],
  ]);
  expect((await client.query('select name from projects')).rows).toEqual([{ name: 'P Q' }]);
  expect((await client.query('select title, description from tasks')).rows).toEqual([
    { title: 'Do it', description: 'Two\nlines' },
  ]);
  await client.end();
  await testDatabase.drop();
});
