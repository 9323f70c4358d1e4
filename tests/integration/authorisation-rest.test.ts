import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROUTES, type RouteDefinition, type RouteName } from '@aizuchi/shared/contract/routes';
import { storeEvents, storeState } from '@aizuchi/shared/core/memory/memory-store';
import { openCard } from '@aizuchi/shared/core/questions/question-lifecycle';
import { insertVisionRequest } from '@aizuchi/shared/core/vision/vision-queries';
import { newId, newSecret } from '@aizuchi/shared/platform/ids';
import { hashToken } from '@aizuchi/shared/platform/token-hash';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, RestWorld } from '../../packages/rest-api/test/rest-world.ts';

/**
 * Calls every route as every kind of caller. The type of the table requires all routes: a new route without a row
 * does not compile, and also fails at run time.
 */
interface Row {
  /** Status for a member of another project, a viewer, a member, an owner. */
  readonly statuses: readonly [number, number, number, number];
  /** Status for a caller without credentials; 401 unless the route is public. */
  readonly nobody?: number;
  readonly setup?: (caller: Caller) => Promise<Request> | Request;
  /** Its answer has no end. */
  readonly isEndless?: true;
}

interface Request {
  readonly params?: Readonly<Record<string, string>>;
  /** With its question mark. */
  readonly query?: string;
  readonly body?: unknown;
}

const PASSKEY = 'correct horse battery';
const PERSONS = ['member of another project', 'viewer', 'member', 'owner'] as const;

let world: RestWorld;
let persons: readonly Caller[];
let projectId: string;
let agentId: string;
let elsewhere: string;

beforeAll(async () => {
  world = await RestWorld.create({ isRemembering: true });
  ({ projectId, agentId } = await world.project());
  elsewhere = (await world.project()).projectId;
  persons = [
    await world.person('member', { projects: [elsewhere], passkey: PASSKEY }),
    await world.person('viewer', { projects: [projectId], passkey: PASSKEY }),
    await world.person('member', { projects: [projectId], passkey: PASSKEY }),
    await world.owner(),
  ];
  await world.context.agents.setPasskey(await world.owner(), 'owner', { passkey: PASSKEY });
});
afterAll(() => world.close());

const EVERYBODY = [200, 200, 200, 200] as const;
const READERS = [404, 200, 200, 200] as const;
const writers = (status: number) => [404, 403, status, status] as const;
const owners = (status: number) => [404, 403, 403, status] as const;
const onlyOwners = (status: number) => [403, 403, 403, status] as const;

const schedule = () => ({ agentId, cron: '0 9 * * *', prompt: 'Good morning' });

const inProject = () => ({ params: { pid: projectId } });
const ofAgent = () => ({ params: { aid: agentId } });
const ofInbox = () => ({ body: { items: [{ kind: 'failed_run', projectId, refId: 'run_1' }] } });
const ofMembership = () => ({ params: { pid: projectId, aid: agentId } });
const ofMemory = () => ({ ...ofAgent(), query: `?projectId=${projectId}` });
const ofRemembered = () => ({ params: { aid: agentId, personId: 'owner' } });
const ofMemoryEvent = async () => {
  const { database } = world.context;
  const event = { projectId, clientId: 'a', threadId: 'a', createdAt: new Date() };
  const { stored } = await database.transaction((tx) =>
    storeEvents(tx, agentId, [{ ...event, source: 'import', assistantState: 'complete' }]),
  );
  return { ...ofMemory(), params: { aid: agentId, id: stored[0] ?? '' } };
};
const ofMemoryState = async () => {
  const said = { bodyText: 'x', at: new Date(), evidence: [], reason: 'said so' };
  const id = await world.context.database.transaction((tx) =>
    storeState(tx, agentId, { ...said, projectId, kind: 'fact', madeBy: 'agent' }),
  );
  return { ...ofMemory(), params: { aid: agentId, id } };
};
const ofRetrieval = async () => {
  const { runId } = await world.context.memorySearch.search(await world.owner(), agentId, {
    query: 'x',
    projectId,
    limit: 1,
    expand: false,
  });
  return { ...ofMemory(), params: { aid: agentId, runId } };
};
const ofChannel = async () => {
  const [kind, name, address] = ['webhook', 'Hook', 'https://[::1]:1/'] as const;
  const id = newId('chn');
  await world.context.database.db
    .insertInto('notificationChannels')
    .values({
      id,
      humanId: 'owner',
      kind,
      name,
      address,
      access: '{}',
      categories: [],
      isOn: true,
      createdAt: new Date(),
    })
    .execute();
  return { params: { channelId: id } };
};
const ofRun = async () => ({ params: { rid: await freshRun() } });
const ofDecidedRun = async () => {
  const rid = await freshRun();
  await world.context.database.db
    .insertInto('worktrees')
    .values({
      runId: rid,
      madeFor: rid,
      coordinatorId: 'host-a',
      state: 'discarded',
      baseCommit: 'b',
      branch: 'aizuchi/b',
      createdAt: new Date(),
    })
    .execute();
  return { params: { rid } };
};

const TABLE: { readonly [N in RouteName]: Row } = {
  // No model is configured: a turn begins, and its stream says so.
  postTurn: {
    statuses: writers(200),
    setup: ({ id }) => ({ body: { projectId, agentId, text: 'Hello', clientId: `${id}-${newId('msg')}` } }),
  },
  followTurn: { statuses: READERS, setup: ofTurn },
  stopTurn: { statuses: writers(204), setup: ofTurn },

  health: { statuses: EVERYBODY, nobody: 200 },
  readiness: { statuses: EVERYBODY, nobody: 200 },
  metrics: { statuses: EVERYBODY, nobody: 200 },
  openApi: { statuses: EVERYBODY, nobody: 200 },
  docs: { statuses: EVERYBODY, nobody: 200 },

  login: {
    statuses: EVERYBODY,
    nobody: 200,
    setup: () => ({ body: { agentId: 'owner', passkey: PASSKEY } }),
  },
  logout: { statuses: [204, 204, 204, 204] },
  me: { statuses: EVERYBODY },
  changePasskey: {
    statuses: [204, 204, 204, 204],
    setup: () => ({ body: { current: PASSKEY, new: PASSKEY } }),
  },
  listTokens: { statuses: EVERYBODY },
  createToken: { statuses: [201, 201, 201, 201], setup: () => ({ body: { name: 'mine' } }) },
  deleteToken: {
    statuses: [404, 404, 404, 204],
    setup: async () => ({ params: { tokenId: await tokenOfOwner() } }),
  },

  listAgents: { statuses: EVERYBODY },
  createAgent: {
    statuses: onlyOwners(201),
    setup: () => ({ body: { name: 'New', type: 'ai', credential: false } }),
  },
  getAgent: { statuses: READERS, setup: ofAgent },
  updateAgent: { statuses: owners(200), setup: () => ({ ...ofAgent(), body: { name: 'Renamed' } }) },
  deleteAgent: { statuses: owners(204), setup: async () => ({ params: { aid: await freshAgent() } }) },
  setPasskey: { statuses: owners(200), setup: async () => ({ params: { aid: await freshAgent() } }) },
  // Of no project of theirs.
  inviteAgent: { statuses: [404, 404, 404, 201], setup: ({ id }) => ({ params: { aid: id } }) },
  hostPrograms: { statuses: onlyOwners(200) },
  lookForPrograms: { statuses: onlyOwners(200) },
  knownModels: { statuses: onlyOwners(200), setup: () => ({ query: '?provider=claude' }) },
  // Nobody listens there: the answer is that it cannot be reached.
  offeredModels: { statuses: onlyOwners(200), setup: () => ({ body: { baseUrl: 'http://127.0.0.1:9/v1' } }) },
  agentUsage: { statuses: READERS, setup: ofAgent },
  deletePasskey: { statuses: owners(204), setup: async () => ({ params: { aid: await freshAgent() } }) },

  listFolders: { statuses: onlyOwners(200) },
  listProjects: { statuses: EVERYBODY },
  createProject: { statuses: onlyOwners(201), setup: () => ({ body: { name: 'New' } }) },
  getProject: { statuses: READERS, setup: inProject },
  updateProject: { statuses: writers(200), setup: () => ({ ...inProject(), body: { name: 'Renamed' } }) },
  deleteProject: { statuses: owners(204), setup: async () => ({ params: { pid: await freshProject() } }) },
  listMembers: { statuses: READERS, setup: inProject },
  addMember: { statuses: owners(200), setup: ofMembership },
  exportProject: { statuses: READERS, setup: inProject },
  importChats: { statuses: owners(200), setup: inProject },
  importProject: {
    statuses: onlyOwners(201),
    setup: async () => ({
      body: await world.app.server
        .inject({
          url: `/api/projects/${projectId}/export`,
          headers: {
            host: `127.0.0.1:${world.port}`,
            authorization: `Bearer ${(await world.owner()).token}`,
          },
        })
        .then((answer) => answer.body),
    }),
  },
  removeMember: {
    statuses: owners(204),
    setup: async () => ({ params: { pid: projectId, aid: await freshAgent() } }),
  },

  listTasks: { statuses: READERS, setup: inProject },
  createTask: { statuses: writers(201), setup: () => ({ ...inProject(), body: { title: 'New' } }) },
  getTask: { statuses: READERS, setup: ofTask },
  updateTask: {
    statuses: writers(200),
    setup: async () => {
      const { id, version } = await freshTask();
      return { params: { tid: id }, body: { version, title: 'Renamed' } };
    },
  },
  deleteTask: { statuses: writers(204), setup: ofTask },
  listTaskProposals: { statuses: READERS, setup: ofTask },
  decideTaskProposal: {
    statuses: writers(200),
    setup: async () => ({ params: { proposalId: await freshProposal() }, body: { decision: 'decline' } }),
  },
  listTaskComments: { statuses: READERS, setup: ofTask },
  createTaskComment: {
    statuses: writers(201),
    setup: async () => ({ ...(await ofTask()), body: { body: 'Seen' } }),
  },
  markTaskCommentsRead: {
    statuses: [404, 204, 204, 204],
    setup: async () => {
      const { tid, commentId } = await freshComment();
      return { params: { tid }, body: { upToCommentId: commentId } };
    },
  },
  deleteTaskComment: {
    statuses: [404, 403, 403, 204],
    setup: async () => ({ params: await freshComment() }),
  },
  listTaskHistory: { statuses: READERS, setup: ofTask },
  listTaskAttempts: { statuses: READERS, setup: ofTask },
  listAttemptSteps: {
    statuses: READERS,
    setup: async () => ({ params: { ...(await ofTask()).params, n: '1' } }),
  },

  startChat: { statuses: writers(200), setup: ofMembership },
  warmChat: { statuses: writers(200), setup: ofMembership },
  startProjectChat: { statuses: writers(200), setup: () => ({ ...inProject(), body: { agentId } }) },
  endChat: { statuses: writers(200), setup: ofMembership },
  listMessages: { statuses: READERS, setup: ofMembership },
  postMessage: { statuses: writers(201), setup: () => ({ ...ofMembership(), body: { content: 'Hello' } }) },
  uploadAttachment: { statuses: writers(201), setup: () => ({ ...inProject(), body: 'a file' }) },
  getAttachment: { statuses: READERS, setup: async () => ({ params: { id: await freshFile() } }) },
  listSteps: {
    statuses: READERS,
    setup: async () => ({ params: { ...ofMembership().params, mid: await freshMessage() } }),
  },
  // The message has not failed, so an allowed caller gets an error about its state.
  retryMessage: {
    statuses: writers(409),
    setup: async () => ({ params: { ...ofMembership().params, mid: await freshMessage() } }),
  },
  interruptChat: { statuses: writers(202), setup: ofMembership },
  newChat: { statuses: writers(202), setup: ofMembership },
  markRead: {
    statuses: READERS,
    setup: async () => ({ ...ofMembership(), body: { upToMessageId: await freshMessage() } }),
  },
  unreadCounts: { statuses: READERS, setup: inProject },
  agentSessions: { statuses: READERS, setup: inProject },
  overview: { statuses: EVERYBODY },
  pendingPurposes: { statuses: READERS, setup: inProject },
  coordinators: { statuses: EVERYBODY },

  listMemoryEvents: { statuses: READERS, setup: ofMemory },
  getMemoryEvent: { statuses: READERS, setup: ofMemoryEvent },
  deleteMemoryEvent: { statuses: writers(204), setup: ofMemoryEvent },
  listMemoryStates: { statuses: READERS, setup: ofMemory },
  updateMemoryState: {
    statuses: writers(200),
    setup: async () => ({ ...(await ofMemoryState()), body: { confidence: 0.5 } }),
  },
  deleteMemoryState: { statuses: writers(204), setup: ofMemoryState },
  listMemoryRevisions: { statuses: READERS, setup: ofMemoryState },
  getMemoryMood: { statuses: READERS, setup: ofMemory },
  listMemoryThreads: { statuses: READERS, setup: ofMemory },
  searchMemory: {
    statuses: READERS,
    setup: () => ({ ...ofAgent(), body: { query: 'x', projectId } }),
  },
  getRetrievalRun: { statuses: READERS, setup: ofRetrieval },
  importMemory: { statuses: writers(200), setup: ofMemory },
  eraseMemory: { statuses: writers(204), setup: ofMemory },
  exportMemoryOfPerson: { statuses: onlyOwners(200), setup: ofRemembered },
  eraseMemoryOfPerson: { statuses: onlyOwners(204), setup: ofRemembered },
  getMemoryIndexing: { statuses: READERS, setup: ofMemory },
  retryMemoryGrowth: { statuses: writers(200), setup: ofMemoryEvent },

  followAgentEvents: {
    statuses: READERS,
    isEndless: true,
    setup: () => ({ query: `?agentId=${agentId}&projectId=${projectId}` }),
  },
  // No model is configured: an allowed caller is told so.
  requestCapture: {
    statuses: writers(503),
    setup: () => ({ body: { projectId, agentId, clientId: newId('msg'), source: 'screenshot' } }),
  },
  // Nobody but the person who is asked learns that there is a request.
  answerCapture: { statuses: [404, 404, 404, 204], setup: ofCapture },

  projectUsage: { statuses: READERS, setup: inProject },
  listRuns: { statuses: READERS, setup: inProject },
  getRun: { statuses: READERS, setup: ofRun },
  getRunLog: { statuses: READERS, setup: ofRun },
  stopRun: { statuses: writers(202), setup: ofRun },
  getRunChanges: { statuses: READERS, setup: ofDecidedRun },
  // It was discarded already: the same decision again changes nothing.
  decideRunChanges: {
    statuses: writers(200),
    setup: async () => ({ ...(await ofDecidedRun()), body: { decision: 'discard' } }),
  },
  listConversations: { statuses: READERS, setup: inProject },
  getConversation: { statuses: READERS, setup: ofConversation },
  listConversationMessages: { statuses: READERS, setup: ofConversation },
  endConversation: { statuses: writers(200), setup: ofConversation },
  listQuestions: { statuses: READERS, setup: inProject },
  // The first right answer succeeds; later ones get an error about the card's state.
  answerQuestion: {
    statuses: writers(200),
    setup: async () => ({ params: { toolUseId: await freshQuestion() }, body: { answers: { 0: '0' } } }),
  },
  listApprovals: { statuses: READERS, setup: inProject },
  decideApproval: {
    statuses: writers(200),
    setup: async () => ({ params: { id: await freshApproval() }, body: { decision: 'deny' } }),
  },
  getNotifications: { statuses: EVERYBODY },
  updateNotificationSettings: { statuses: EVERYBODY, setup: () => ({ body: { hidesText: false } }) },
  createNotificationChannel: {
    statuses: [201, 201, 201, 201],
    setup: () => ({ body: { kind: 'webhook', name: 'Hook', url: 'https://example.org/' } }),
  },
  // Of another person.
  updateNotificationChannel: {
    statuses: [404, 404, 404, 200],
    setup: async () => ({ ...(await ofChannel()), body: { isOn: false } }),
  },
  deleteNotificationChannel: { statuses: [404, 404, 404, 204], setup: ofChannel },
  testNotificationChannel: { statuses: [404, 404, 404, 200], setup: ofChannel },
  noteAttention: {
    statuses: [404, 204, 204, 204],
    setup: () => ({ body: { viewerId: 'tab', place: { projectId } } }),
  },
  // Who has a link needs no sign-in; it is the link that is checked.
  lookAtAnswerLink: { statuses: [404, 404, 404, 404], nobody: 404, setup: () => ({ body: { token: 'x' } }) },
  giveLinkedAnswer: {
    statuses: [404, 404, 404, 404],
    nobody: 404,
    setup: () => ({ body: { token: 'x', option: 0 } }),
  },
  inbox: { statuses: EVERYBODY },
  dismissInbox: { statuses: [404, 204, 204, 204], setup: ofInbox },
  listPutAway: { statuses: EVERYBODY },
  restoreInbox: { statuses: [404, 204, 204, 204], setup: ofInbox },
  listSchedules: { statuses: READERS, setup: inProject },
  createSchedule: { statuses: writers(201), setup: () => ({ ...inProject(), body: schedule() }) },
  updateSchedule: {
    statuses: writers(200),
    setup: async () => ({ params: { sid: await freshSchedule() }, body: { prompt: 'Again' } }),
  },
  deleteSchedule: { statuses: writers(204), setup: async () => ({ params: { sid: await freshSchedule() } }) },
  runSchedule: { statuses: writers(202), setup: async () => ({ params: { sid: await freshSchedule() } }) },

  searchProject: { statuses: READERS, setup: () => ({ ...inProject(), body: { query: 'x' } }) },

  getSettings: { statuses: onlyOwners(200) },
  updateSettings: { statuses: onlyOwners(200), setup: () => ({ body: { chainMaxMessages: 61 } }) },
};

test('every route has its row', () => {
  expect(Object.keys(TABLE).toSorted()).toEqual(Object.keys(ROUTES).toSorted());
});

describe.each(Object.keys(TABLE) as RouteName[])('%s', (name) => {
  const { statuses, nobody = 401, setup, isEndless } = TABLE[name];
  const route: RouteDefinition = ROUTES[name];

  test.each(PERSONS.map((who, index) => [who, statuses[index]] as const))('%s: %i', async (who, expected) => {
    const person = persons[PERSONS.indexOf(who)];
    if (!person) throw new Error('no such person');
    // A new token for each call, because some calls revoke it.
    const caller = await world.tokenFor(person);
    const answered = await expectStatus(caller, expected);
    // Only owners may see folders of the server, on every route.
    if (who !== 'owner') expect(answered).not.toContain(world.root);
  });

  test.each(['nobody', 'wrong token', 'expired token', 'revoked token', 'an agent’s session token'] as const)(
    `%s: ${nobody}`,
    async (who) => {
      await expectStatus(await NOBODIES[who](), nobody);
    },
  );

  async function expectStatus(
    caller: { token: string } | undefined,
    expected: number | undefined,
  ): Promise<string> {
    const owner = await world.owner();
    const { params = {}, query = '', body } = (await setup?.(owner)) ?? {};
    const url = route.path.replace(/:(\w+)/g, (_match, key: string) => params[key] ?? '') + query;
    const response = isEndless
      ? await beginningOf(caller, url)
      : await world.call(caller, route.method, url, body);
    expect(`${response.status} ${response.body?.error?.code ?? ''}`).toMatch(new RegExp(`^${expected} `));
    if (expected === 401)
      expect(response.body).toEqual({ error: expect.objectContaining({ code: 'unauthenticated' }) });
    if (expected === 403) expect(response.body.error.code).toBe('forbidden');
    if (expected === 404)
      expect(response.body.error.code).toMatch(
        /^(agent|answer_link|approval|attachment|capture_request|channel|conversation|event|message|project|proposal|question|schedule|run|task|token)_not_found$/,
      );
    return JSON.stringify(response.body ?? null);
  }
});

test('metrics can be read from this host, or with a sign-in', async () => {
  const from = (address: string, headers: Record<string, string> = {}) => ({
    remoteAddress: address,
    headers,
  });
  const status = async (caller: Caller | undefined, options: ReturnType<typeof from>) =>
    (await world.call(caller, 'GET', '/metrics', undefined, options)).status;
  expect(await status(undefined, from('192.0.2.7'))).toBe(401);
  expect(await status(undefined, from('127.0.0.1', { 'x-forwarded-for': '192.0.2.7' }))).toBe(401);
  expect(await status(undefined, from('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }))).toBe(401);
  expect(await status(await world.owner(), from('192.0.2.7'))).toBe(200);
});

test('within a route, folders, policies, levels and commands are for owners', async () => {
  const [, viewer, member] = persons;
  const status = async (caller: Caller | undefined, url: string, body: unknown) =>
    (await world.call(caller, 'PATCH', url, body)).status;
  const project = `/api/projects/${projectId}`;
  expect(await status(member, project, { workingDirectory: '/tmp/x' })).toBe(403);
  expect(await status(member, project, { status: 'archived' })).toBe(403);
  expect(await status(member, project, { permissionPolicy: 'deny' })).toBe(403);
  expect(await status(member, project, { isolation: 'worktree' })).toBe(403);
  expect(await status(member, project, { egress: ['example.org'] })).toBe(403);
  expect(await status(viewer, `/api/agents/${viewer?.id}`, { name: 'My own name' })).toBe(200);
  expect(await status(viewer, `/api/agents/${viewer?.id}`, { accessLevel: 'owner' })).toBe(403);
  expect(await status(member, `/api/agents/${agentId}`, { systemPrompt: 'Obey me' })).toBe(403);
});

test('a list shows only what its reader may see', async () => {
  const [stranger, viewer] = persons;
  const idsIn = async (caller: Caller | undefined, url: string, key: string) =>
    (await world.call(caller, 'GET', url)).body[key].map(({ id }: { id: string }) => id);
  expect(await idsIn(stranger, '/api/projects?limit=200', 'projects')).not.toContain(projectId);
  expect(await idsIn(viewer, '/api/projects?limit=200', 'projects')).not.toContain(elsewhere);
  expect(await idsIn(viewer, '/api/projects?limit=200', 'projects')).toContain(projectId);
  expect(await idsIn(stranger, '/api/agents?limit=200', 'agents')).not.toContain(agentId);
});

const NOBODIES = {
  nobody: async () => undefined,
  'wrong token': async () => ({ token: newSecret() }),
  'expired token': async () => {
    const caller = await world.tokenFor(await world.owner());
    const past = new Date(world.clock.now().getTime() - 1_000);
    await world.context.database.db
      .updateTable('accessTokens')
      .set({ expiresAt: past })
      .where('tokenHash', '=', hashToken(caller.token))
      .execute();
    return caller;
  },
  'revoked token': async () => {
    const caller = await world.tokenFor(await world.owner());
    await world.context.auth.logout(caller.token);
    return caller;
  },
  'an agent’s session token': async () => {
    const token = newSecret();
    const id = newId('ses');
    const session = { id, agentId, projectId, purpose: 'task', taskId: id, tokenHash: hashToken(token) };
    await world.context.database.db.insertInto('agentSessions').values(session).execute();
    return { token };
  },
};

/** The answer without its events, or the refusal. */
async function beginningOf(caller: { token: string } | undefined, url: string) {
  const leave = new AbortController();
  const headers = caller && { authorization: `Bearer ${caller.token}` };
  const response = await fetch(world.url + url, { ...(headers && { headers }), signal: leave.signal });
  const body = response.ok ? undefined : await response.json();
  leave.abort();
  return { status: response.status, body };
}

async function freshAgent(): Promise<string> {
  const owner = await world.owner();
  const { agents, projects } = world.context;
  const id = newId('agt');
  const agent = await agents.create(owner, { id, name: `Fresh ${id}`, type: 'ai', credential: false });
  await projects.putAgent(owner, { projectId, agentId: agent.id });
  return agent.id;
}

async function freshProject(): Promise<string> {
  const owner = await world.owner();
  const project = await world.context.projects.create(owner, { name: 'Fresh' });
  for (const { id } of persons.slice(1, 3))
    await world.context.projects.putAgent(owner, { projectId: project.id, agentId: id });
  return project.id;
}

async function ofTurn() {
  const body = { projectId, agentId, text: 'Hello', images: [], clientId: newId('msg') };
  const { eventId = '' } = await world.context.turns.start(await world.owner(), body);
  return { params: { eventId } };
}

async function ofCapture() {
  const id = newId('vis');
  await world.context.database.transaction((tx) =>
    insertVisionRequest(tx.db, {
      id,
      agentId,
      projectId,
      clientId: 'owner',
      askedBy: null,
      sessionId: null,
      source: 'screenshot',
      timeoutMs: 60_000,
      createdAt: world.clock.now(),
    }),
  );
  return { body: { request_id: id, client_id: 'owner', images: [], error: 'no' } };
}

async function freshTask() {
  return world.context.tasks.create(await world.owner(), projectId, { title: 'Fresh' });
}

async function ofTask() {
  return { params: { tid: (await freshTask()).id } };
}

async function freshComment() {
  const { id: tid } = await freshTask();
  const { id } = await world.context.taskRecords.comment(await world.owner(), tid, { body: 'Seen' });
  return { tid, commentId: id };
}

async function ofConversation() {
  const { db } = world.context.database;
  const cid = newId('conv');
  await db.insertInto('conversationChains').values({ id: cid, projectId }).execute();
  await db
    .insertInto('conversations')
    .values({
      id: cid,
      projectId,
      chainId: cid,
      initiatorAgentId: agentId,
      participantAgentId: await freshAgent(),
      maxMessages: 20,
      lastActivityAt: world.clock.now(),
    })
    .execute();
  return { params: { cid } };
}

/** A card of the system, which needs no session. */
async function freshQuestion(): Promise<string> {
  const { toolUseId } = await world.context.database.transaction((tx) =>
    openCard(
      tx,
      {
        projectId,
        agentId,
        about: newId('conv'),
        questions: [
          {
            question: 'Go on?',
            header: 'Limit',
            options: [
              { label: 'Yes', description: '' },
              { label: 'No', description: '' },
            ],
            multiSelect: false,
          },
        ],
      },
      world.clock.now(),
    ),
  );
  return toolUseId;
}

async function freshApproval(): Promise<string> {
  const toolUseId = newId('toolu');
  const { db } = world.context.database;
  const asked = { tool: 'Bash', kind: 'command', summary: 'Run', input: '{}', inputCut: false };
  await db
    .insertInto('approvals')
    .values({ toolUseId, projectId, agentId, sessionId: newId('ses'), fingerprint: '', ...asked })
    .execute();
  return toolUseId;
}

async function freshProposal(): Promise<string> {
  const { id: taskId } = await freshTask();
  const id = newId('prp');
  const parts = JSON.stringify([{ title: 'First', dependsOn: [] }]);
  await world.context.database.db
    .insertInto('taskProposals')
    .values({ id, projectId, taskId, agentId, parts, createdAt: new Date() })
    .execute();
  return id;
}

async function freshSchedule(): Promise<string> {
  const body = { ...schedule(), enabled: true, onMissed: 'skip' as const };
  return (await world.context.schedules.create(await world.owner(), projectId, body)).id;
}

async function freshFile(): Promise<string> {
  const file = { projectId, name: 'a.txt', bytes: Buffer.from('a file') };
  return (await world.context.attachments.upload(await world.owner(), file)).id;
}

async function freshMessage(): Promise<string> {
  const { message } = await world.context.chat.post(await world.owner(), {
    projectId,
    agentId,
    content: 'Fresh',
  });
  return message.id;
}

/** A run with a log on this host. */
async function freshRun(): Promise<string> {
  const id = newId('run');
  await world.context.database.db
    .insertInto('agentRuns')
    .values({ id, agentId, projectId, purpose: 'chat', provider: 'builtin' })
    .execute();
  const folder = path.join(world.root, 'home', 'logs', 'runs');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${id}.log`), 'alive\n');
  return id;
}

async function tokenOfOwner(): Promise<string> {
  return (await world.context.auth.createToken(await world.owner(), { name: 'of the owner' })).id;
}
