import { afterAll, beforeAll, expect, test } from 'vitest';
import { InboxFeed, type InboxNews, type InboxSubscriber } from '../src/streams/inbox-feed.ts';
import { type Caller, RestWorld } from './rest-world.ts';

let world: RestWorld;
let owner: Caller;
let membership: { projectId: string; agentId: string };
beforeAll(async () => {
  world = await RestWorld.create();
  owner = await world.owner();
  membership = await world.project();
});
afterAll(() => world.close());

const listening: InboxSubscriber = {
  sink: {
    person: { id: 'owner', name: 'Owner', accessLevel: 'owner' },
    isOpen: true,
    send: () => undefined,
    sendUntilAccepted: async () => undefined,
    lose: () => undefined,
    close: () => undefined,
  },
  follows: () => false,
  isOver: false,
};

/** The inbox changes that result from all change events that `work` appended to the log. */
async function newsOf(work: () => Promise<unknown>): Promise<readonly InboxNews[]> {
  const { database } = world.context;
  const last = await database.pool.query<{ id: number }>(
    'select coalesce(max(id), 0)::int as id from change_log',
  );
  await work();
  const { rows } = await database.pool.query(
    `select id::int, project_id as "projectId", kind, ref from change_log where id > $1 order by id`,
    [last.rows[0]?.id],
  );
  const feed = new InboxFeed(database.db);
  feed.join(listening);
  const news = await feed.news(rows);
  feed.leave(listening);
  return news;
}

let said = 0;
/** A message of the agent, with its change event. */
async function say({
  visible,
  conversationId,
}: {
  visible: boolean;
  conversationId?: string;
}): Promise<void> {
  said += 1;
  await world.context.database.pool.query(
    `with line as (
      insert into chat_messages (id, thread_id, conversation_id, seq, project_id, agent_id, sender, sender_id, content,
        created_at, visible, log_offset)
      values ('msg_said_' || $4::int, 'thread_1', $3, $4, $1, $2, 'agent', $2, 'Hi', now(), $5, 0) returning id)
    insert into change_log (project_id, kind, ref)
    select $1, 'message', jsonb_build_object('messageId', id) from line`,
    [membership.projectId, membership.agentId, conversationId ?? null, said, visible],
  );
}

test('a person’s message concerns the inbox of that person in every state; a visible answer concerns all inboxes', async () => {
  const { chat, database } = world.context;
  const { projectId } = membership;
  let id = '';
  const posted = await newsOf(async () => {
    id = (await chat.post(owner, { ...membership, content: 'Hello' })).message.id;
  });
  expect(posted).toEqual([{ projectId, humanId: 'owner' }]);
  const answered = await newsOf(async () => {
    await database.pool.query(
      `update chat_messages set state = 'answered', answered_at = now() where id = $1`,
      [id],
    );
    await database.pool.query(
      `insert into change_log (project_id, kind, ref) values ($1, 'message', jsonb_build_object('messageId', $2::text))`,
      [projectId, id],
    );
  });
  expect(answered).toEqual([{ projectId, humanId: 'owner' }]);
  expect(await newsOf(() => say({ visible: true }))).toEqual([{ projectId, humanId: undefined }]);
  expect(await newsOf(() => say({ visible: false }))).toEqual([]);
});

test('what agents say to each other concerns no inbox', async () => {
  expect(await newsOf(() => say({ visible: true, conversationId: 'conv_1' }))).toEqual([]);
});

test('a task concerns all inboxes; a read mark concerns its reader only', async () => {
  const { tasks, database } = world.context;
  const { projectId } = membership;
  const task = await newsOf(() => tasks.create(owner, projectId, { title: 'Stuck', status: 'blocked' }));
  expect(task).toEqual([{ projectId }]);
  const read = await newsOf(() =>
    database.pool.query(
      `insert into change_log (project_id, kind, ref) values ($1, 'unread', '{"humanId":"hum_1"}'), ($1, 'session', '{}')`,
      [projectId],
    ),
  );
  expect(read).toEqual([{ projectId, humanId: 'hum_1' }]);
});
