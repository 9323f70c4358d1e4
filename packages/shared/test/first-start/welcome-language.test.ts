import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedFirstStart } from '../../src/core/first-start.ts';
import { WELCOME_AGENT_IDS } from '../../src/core/welcome/welcome-ids.ts';
import { WelcomeLanguage } from '../../src/core/welcome/welcome-language.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { WELCOME_TEXTS } from '../../src/platform/texts/welcome-texts.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';

let testDatabase: TestDatabase;
let database: Database;
let root: string;
let welcome: WelcomeLanguage;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    maxConnections: 3,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  welcome = new WelcomeLanguage({ database });
  root = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-welcome-')));
});

afterEach(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(root, { recursive: true, force: true });
});

const start = (isLocaleGiven = false) =>
  seedFirstStart({
    databaseUrl: testDatabase.url,
    locale: 'ja',
    isLocaleGiven,
    workspaceRoots: [root],
    home: join(root, '.aizuchi'),
  });

const query = (text: string) => database.pool.query(text);

/** The texts as they are stored now, in the form in which they were written. */
async function texts() {
  const { rows: agents } = await query('select id, name, role from agents');
  const { rows: projects } = await query(`select name, description from projects where id = 'prj_welcome'`);
  const { rows: tasks } = await query('select title, description, status from tasks order by position');
  const of = (id: string) => agents.find((agent) => agent.id === id);
  const words = (id: string) => ({ name: of(id)?.name, role: of(id)?.role });
  return {
    ownerName: of('owner')?.name,
    project: projects[0],
    guide: words(WELCOME_AGENT_IDS.guide),
    helper: words(WELCOME_AGENT_IDS.helper),
    tasks: tasks.toSorted((a, b) => PLACES.indexOf(a.status) - PLACES.indexOf(b.status)),
  };
}
const PLACES = ['done', 'todo', 'backlog'];

test('the first sign-in of the owner in another language rewrites all; the next one nothing', async () => {
  await start();
  expect(await texts()).toEqual(WELCOME_TEXTS.ja);
  expect(await welcome.settle('somebody', 'en')).toBe(false);
  expect(await texts()).toEqual(WELCOME_TEXTS.ja);
  expect(await welcome.settle('owner', 'en')).toBe(true);
  expect(await texts()).toEqual(WELCOME_TEXTS.en);
  expect(await welcome.settle('owner', 'ja')).toBe(false);
  await start();
  expect(await welcome.settle('owner', 'ja')).toBe(false);
  expect(await texts()).toEqual(WELCOME_TEXTS.en);
});

test('a first sign-in in the language of the texts settles it, too', async () => {
  await start();
  expect(await welcome.settle('owner', 'ja')).toBe(false);
  expect(await welcome.settle('owner', 'en')).toBe(false);
  expect(await texts()).toEqual(WELCOME_TEXTS.ja);
});

test('what somebody changed, deleted or made stays', async () => {
  await start();
  await query(`update projects set description = 'Mine' where id = 'prj_welcome'`);
  await query(`update tasks set title = 'Mine', version = version + 1 where status = 'backlog'`);
  await query(`update tasks set deleted_at = now() where status = 'done'`);
  await query(`insert into tasks (id, project_id, title, description, status, created_by)
    select 'tsk_copy', project_id, title, description, 'in_progress', created_by from tasks where status = 'todo'`);
  await query(`insert into agents (id, type, name, provider) values ('agt_mine', 'ai', 'Echo', 'builtin')`);
  await query(`insert into project_agents (project_id, agent_id) values ('prj_welcome', 'agt_mine')`);
  expect(await welcome.settle('owner', 'en')).toBe(true);
  const now = await texts();
  expect(now).toMatchObject({
    ownerName: WELCOME_TEXTS.en.ownerName,
    project: { name: WELCOME_TEXTS.ja.project.name, description: 'Mine' },
    guide: WELCOME_TEXTS.en.guide,
    // Its new name is taken.
    helper: WELCOME_TEXTS.ja.helper,
  });
  expect(Object.fromEntries(now.tasks.map(({ status, title }) => [status, title]))).toEqual({
    done: WELCOME_TEXTS.ja.tasks[0]?.title,
    todo: WELCOME_TEXTS.en.tasks[1]?.title,
    backlog: 'Mine',
    in_progress: WELCOME_TEXTS.ja.tasks[1]?.title,
  });
});

test('of sign-ins at the same time one rewrites, and each thing once', async () => {
  await start();
  const settled = await Promise.all([1, 2, 3].map(() => welcome.settle('owner', 'en')));
  expect(settled.filter(Boolean)).toHaveLength(1);
  expect(await texts()).toEqual(WELCOME_TEXTS.en);
  const { rows } = await query('select distinct version from tasks');
  expect(rows).toEqual([{ version: 2 }]);
});

test('with a language that somebody has set nothing is rewritten', async () => {
  await start(true);
  expect(await welcome.settle('owner', 'en')).toBe(false);
  expect(await texts()).toEqual(WELCOME_TEXTS.ja);
});

test('a language that is set before the first sign-in settles it', async () => {
  await start();
  await start(true);
  expect(await welcome.settle('owner', 'en')).toBe(false);
  expect(await texts()).toEqual(WELCOME_TEXTS.ja);
});
