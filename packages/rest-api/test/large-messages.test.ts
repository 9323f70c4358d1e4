import { newId } from '@aizuchi/shared/platform/ids';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderPages } from '../src/streams/project-frames.ts';
import { type Caller, RestWorld } from './rest-world.ts';
import { SocketClient } from './socket-client.ts';

/* An agent has sent sixty messages of 400 kB each, and ten readers request all of them at once. */

const COUNT = 60;
const BYTES = 400_000;
const PAGE_BYTES = 1_048_576;

let world: RestWorld;
let viewer: Caller;
let membership: { projectId: string; agentId: string };
let ids: string[];
let cursor: string;

beforeAll(async () => {
  world = await RestWorld.create({ isRunning: true, checkResponses: false });
  const owner = await world.owner();
  membership = await world.project();
  viewer = await world.person('viewer', { projects: [membership.projectId] });
  const before = await open(owner);
  cursor = (await before.subscribe(membership.projectId)).cursor ?? '';
  await before.close();
  ids = await say(COUNT);
});
afterAll(() => world.close());

const open = ({ token }: Caller) => SocketClient.open(world.port, { authorization: `Bearer ${token}` });
const messagesUrl = () =>
  `${world.url}/api/projects/${membership.projectId}/agents/${membership.agentId}/chat/messages`;

/** Stores messages as respond_chat does: counted in the thread, each with its change event. */
async function say(count: number): Promise<string[]> {
  const said = Array.from({ length: count }, () => newId('msg'));
  const thread = `${membership.projectId}/${membership.agentId}`;
  await world.context.database.pool.query(
    `with t as (
       update chat_threads set last_seq = last_seq + $2, news_count = news_count + $2 where id = $1
       returning last_seq - $2 as seq, log_bytes
     ), stored as (
       insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, content, created_at, log_offset)
       select n.id, $1, t.seq + n.place, $3, $4, 'agent', $4, repeat('x', $6), clock_timestamp(), t.log_bytes
       from t, unnest($5::text[]) with ordinality as n (id, place)
     )
     insert into change_log (project_id, kind, ref)
     select $3, 'message', jsonb_build_object('messageId', n.id) from unnest($5::text[]) as n (id)`,
    [thread, count, membership.projectId, membership.agentId, said, BYTES],
  );
  return said;
}

async function readPage(query: string): Promise<{ ids: string[]; bytes: number; hasMore: boolean }> {
  const response = await fetch(`${messagesUrl()}?limit=200${query}`, {
    headers: { authorization: `Bearer ${viewer.token}` },
  });
  expect(response.status).toBe(200);
  const { messages, hasMore } = (await response.json()) as {
    messages: { id: string; content: string }[];
    hasMore: boolean;
  };
  return {
    ids: messages.map(({ id }) => id),
    bytes: messages.reduce((sum, { content }) => sum + content.length, 0),
    hasMore,
  };
}

async function readAll(): Promise<string[]> {
  const seen: string[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await readPage(seen[0] === undefined ? '' : `&before=${seen[0]}`);
    expect(page.bytes).toBeLessThanOrEqual(PAGE_BYTES);
    seen.unshift(...page.ids);
    hasMore = page.hasMore;
  }
  return seen;
}

test('ten readers at once get 1 MiB each, and others are served meanwhile', async () => {
  const readers = Promise.all(Array.from({ length: 10 }, () => readPage('')));
  const other = await world.owner();
  const statuses = new Set<number>();
  let isReading = true;
  void readers.finally(() => {
    isReading = false;
  });
  while (isReading) {
    const headers = { authorization: `Bearer ${other.token}` };
    statuses.add((await fetch(`${world.url}/api/auth/me`, { headers })).status);
  }
  for (const page of await readers) {
    expect(page.bytes).toBeLessThanOrEqual(PAGE_BYTES);
    expect(page).toMatchObject({ hasMore: true, ids: ids.slice(-2) });
  }
  expect([...statuses]).toEqual([200]);
});

test('reading page by page gives every message', async () => {
  expect(await readAll()).toEqual(ids);
});

test('a socket that reconnects gets every message once', async () => {
  const client = await open(viewer);
  await client.subscribe(membership.projectId, { cursor });
  const told = client.frames.flatMap(({ type, message }) =>
    type === 'message' ? [(message as { id: string }).id] : [],
  );
  expect(told).toEqual(ids);
  await client.close();
});

test('a live socket gets every message and does not count as slow', async () => {
  const client = await open(viewer);
  await client.subscribe(membership.projectId);
  const said = await say(12);
  ids.push(...said);
  await client.heard(({ message }) => (message as { id?: string } | undefined)?.id === said.at(-1));
  const told = client.frames.flatMap(({ type, message }) =>
    type === 'message' ? [(message as { id: string }).id] : [],
  );
  expect(told).toEqual(said);
  await client.close();
});

test('frames are rendered from 1 MiB of rows at a time; deleted rows are left out', async () => {
  const refs = [newId('msg'), ...ids.slice(0, 3), newId('msg'), ...ids.slice(3, 7), newId('msg')];
  const entries = refs.map((messageId, id) => ({
    id,
    projectId: membership.projectId,
    kind: 'message' as const,
    ref: { messageId },
  }));
  const { history, steps, tasks, conversations, questions, approvals, presence } = world.context;
  const loaded: number[] = [];
  const pages = renderPages(entries, {
    messages: async (wanted) => {
      const found = await history.withAgents(wanted);
      loaded.push([...found.values()].reduce((sum, { message }) => sum + message.content.length, 0));
      return found;
    },
    steps: (wanted) => steps.firstByNames(wanted),
    tasks: (wanted) => tasks.firstByIds(wanted),
    conversations: (wanted) => conversations.firstByIds(wanted),
    questions: (wanted) => questions.byIds(wanted),
    approvals: (wanted) => approvals.byIds(wanted),
    pendingQuestions: (projectId) => questions.pendingOf(projectId),
    pendingApprovals: (projectId) => approvals.pendingOf(projectId),
    sessions: (projectId, agentIds) => presence.agentSessions(null, projectId, agentIds),
  });
  const made: string[] = [];
  for await (const { frames } of pages)
    made.push(...frames.flatMap(({ body }) => (body.type === 'message' ? [body.message.id] : [])));
  expect(made).toEqual(ids.slice(0, 7));
  expect(Math.max(...loaded)).toBeLessThanOrEqual(PAGE_BYTES);
});
