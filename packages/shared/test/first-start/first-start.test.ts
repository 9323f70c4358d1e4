import { mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgentService } from '../../src/core/agents/agent-service.ts';
import { AuthService } from '../../src/core/auth/auth-service.ts';
import { createSignInCode, seedFirstStart } from '../../src/core/first-start.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { WELCOME_AGENT_IDS } from '../../src/core/welcome/welcome-ids.ts';
import { keys } from '../../src/platform/change-log/keys.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { SIGN_IN_KEYS } from '../../src/testing/sign-in-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../src/testing/test-database.ts';
import { LONG_TIMEOUT_MS } from '../../src/testing/timeouts.ts';
import { ORIGIN } from '../auth/people-support.ts';

const owner = { id: 'owner', name: 'Owner', accessLevel: 'owner' } as const;

let testDatabase: TestDatabase;
let database: Database;
let root: string;
let auth: AuthService;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    url: testDatabase.url,
    maxConnections: 3,
    transactionTimeoutMs: LONG_TIMEOUT_MS,
  });
  auth = new AuthService({ database, clock: systemClock, ...SIGN_IN_KEYS, sleep: async () => undefined });
  root = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-start-')));
});

afterEach(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(root, { recursive: true, force: true });
});

const start = (options: { ownerPasskey?: string; locale?: 'ja' | 'en' } = {}) =>
  seedFirstStart({
    databaseUrl: testDatabase.url,
    locale: 'ja',
    workspaceRoots: [root],
    home: join(root, '.aizuchi'),
    ...options,
  });

const signIn = (passkey: string) => auth.login({ agentId: 'owner', passkey }, ORIGIN);

test('a folder in which an earlier home keeps chats is left to it', async () => {
  const earlier = join(root, 'Aizuchi', 'prj_welcome');
  await mkdir(join(earlier, '.ai-pm'), { recursive: true });
  await start();
  const project = await database.db.selectFrom('projects').select(['id', 'workingDirectory']).execute();
  expect(project).toEqual([{ id: 'prj_welcome', workingDirectory: `${earlier}-2` }]);
});

test('the first start makes owner, project, two agents with credentials and tasks; the second nothing', async () => {
  const { ownerPasskey } = await start();
  expect((await signIn(ownerPasskey ?? '')).agent).toMatchObject({ id: 'owner', accessLevel: 'owner' });
  expect(await start()).toEqual({});
  const project = await database.db
    .selectFrom('projects')
    .select(['id', 'workingDirectory', 'workingDirectoryMade', 'status'])
    .execute();
  const workingDirectory = join(root, 'Aizuchi', 'prj_welcome');
  expect(project).toEqual([
    { id: 'prj_welcome', workingDirectory, workingDirectoryMade: true, status: 'active' },
  ]);
  expect((await stat(workingDirectory)).isDirectory()).toBe(true);
  const members = await database.db
    .selectFrom('projectAgents')
    .innerJoin('agents', 'agents.id', 'projectAgents.agentId')
    .innerJoin('agentCredentials', 'agentCredentials.agentId', 'agents.id')
    .innerJoin('chatThreads', 'chatThreads.agentId', 'agents.id')
    .select(['agents.id', 'agents.provider', 'agents.name'])
    .orderBy('agents.id')
    .execute();
  expect(members).toEqual([
    { id: WELCOME_AGENT_IDS.guide, provider: 'builtin', name: 'しるべ' },
    { id: WELCOME_AGENT_IDS.helper, provider: 'builtin', name: 'こだま' },
  ]);
  const { counts } = await new TaskService({ database }).listForAgent('prj_welcome');
  expect(counts).toMatchObject({ done: 1, todo: 1, backlog: 1, in_progress: 0 });
});

test('a given passkey is set at each start, ends old logins when it is new, and is never told back', async () => {
  expect(await start({ ownerPasskey: 'first passkey', locale: 'en' })).toEqual({});
  const { token } = await signIn('first passkey');
  expect(await start({ ownerPasskey: 'first passkey' })).toEqual({});
  expect((await auth.identify(token)).id).toBe('owner');
  expect(await start({ ownerPasskey: 'second passkey' })).toEqual({});
  await signIn('second passkey');
  await expect(signIn('first passkey')).rejects.toMatchObject({ code: 'unauthenticated' });
  auth.onKeys([keys.caller('owner')]);
  await expect(auth.identify(token)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await start()).toEqual({});
  await signIn('second passkey');
  await expect(start({ ownerPasskey: 'short' })).rejects.toMatchObject({ code: 'invalid_input' });
});

test('of two that start at once one tells the passkey, and it works', async () => {
  const results = await Promise.all([start(), start(), start()]);
  const told = results.flatMap((result) => result.ownerPasskey ?? []);
  expect(told).toHaveLength(1);
  await signIn(told[0] ?? '');
  const { rows } = await database.pool.query<{ count: string }>('select count(*)::text as count from agents');
  expect(rows).toEqual([{ count: '3' }]);
});

test('what a person deleted stays away', async () => {
  await start({ ownerPasskey: 'first passkey' });
  await database.pool.query("update projects set deleted_at = now() where id = 'prj_welcome'");
  const agents = new AgentService({ database, ...SIGN_IN_KEYS });
  await agents.create(owner, { id: 'second', name: 'Second', type: 'human', accessLevel: 'owner' });
  await agents.remove({ ...owner, id: 'second' }, 'owner');
  await start({ ownerPasskey: 'first passkey' });
  await expect(signIn('first passkey')).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(agents.get(owner, 'owner')).rejects.toMatchObject({ code: 'agent_not_found' });
  const code = await createSignInCode({ databaseUrl: testDatabase.url, agentId: 'owner' });
  expect((await auth.login({ code }, ORIGIN)).agent.id).toBe('second');
});

test('a sign-in code is for people only', async () => {
  await start();
  const code = await createSignInCode({ databaseUrl: testDatabase.url, agentId: WELCOME_AGENT_IDS.guide });
  expect((await auth.login({ code }, ORIGIN)).agent.id).toBe('owner');
});
