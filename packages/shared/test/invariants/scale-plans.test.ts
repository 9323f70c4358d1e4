import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { SignInDelay } from '../../src/core/auth/sign-in-delay.ts';
import { ChatHistory } from '../../src/core/chat/chat-history.ts';
import { DeliveryService } from '../../src/core/chat/delivery/delivery-service.ts';
import { PresenceService } from '../../src/core/chat/presence-service.ts';
import { StepService } from '../../src/core/chat/steps/step-service.ts';
import type { ServiceDeps } from '../../src/core/deps.ts';
import { InboxService } from '../../src/core/inbox/inbox-service.ts';
import { crashesInARow } from '../../src/core/runs/run-exit-queries.ts';
import { SessionService } from '../../src/core/sessions/session-service.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { openPlanRecorder, type PlanRecorder, type RecordedPlan } from '../../src/testing/recorded-plans.ts';
import { fillToScale, SMALL_SCALE } from '../../src/testing/scale-fill.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';

/*
 * What the page reads costs what it shows: the plans that Postgres really used, on a house large enough that it plans
 * as at full size. How long they take says `npm run bench -- scale`.
 */

/** These grow without end, or with the house: none is ever read from its beginning to its end. */
const GROWING = [
  'chat_messages',
  'chat_threads',
  'read_marks',
  'agent_runs',
  'agent_sessions',
  'conversations',
].concat(
  'tasks',
  'user_questions',
  'approvals',
  'sign_in_failures',
  'message_steps',
  'growing_answers',
  'usage_days',
);
const { projects, perProject } = SMALL_SCALE;
const chats = projects * perProject;
const SHOWN = 200;
const AWAKE = 200;
/** Its first chats are long ones. */
const PROJECT = 'prj_scale_1';
const MEMBER: Person = { id: 'hum_scale_1', name: 'Member', accessLevel: 'member' };
/** Viewers of every project, for whom only words wait: one has read nothing, one everything. */
const NEWCOMER: Person = { id: 'newcomer', name: 'Newcomer', accessLevel: 'viewer' };
const DILIGENT: Person = { id: 'diligent', name: 'Diligent', accessLevel: 'viewer' };

let world: ServiceWorld;
let recorder: PlanRecorder;
let deps: ServiceDeps;
beforeAll(async () => {
  world = await ServiceWorld.create();
  await fillToScale(world.database.url, SMALL_SCALE, world.root);
  await fill(
    world.database.url,
    `
    insert into agents (id, type, name, access_level) select id, 'human', id, 'viewer' from unnest(array['newcomer', 'diligent']) id;
    insert into project_agents (project_id, agent_id)
      select p.id, h.id from projects p, agents h where h.id in ('newcomer', 'diligent');
    insert into read_marks (human_id, thread_id, last_seq, news_count)
      select 'diligent', id, last_seq, news_count from chat_threads where conversation_id is null;
    insert into sign_in_failures (account, source, failures, last_failed_at)
      select 'acc_' || n, 'rest 10.0.0.1', 1, now() - interval '1 minute' * n from generate_series(1, 20000) n;
    insert into message_steps (message_id, step_id, place, kind, title, status, title_cut, detail_cut, diff_cut)
      select 'msg_old_' || n, 's' || k, k, 'read', 'Read', 'done', false, false, false
      from generate_series(1, 5000) n, generate_series(1, 5) k;
    insert into growing_answers (message_id, session_id, project_id, agent_id, step_count, began_at, discarded_at)
      select 'msg_void_' || n, 'ses_' || n, 'prj_scale_1', 'agt_scale_1', 5, now(), now() from generate_series(1, 5000) n;
    insert into usage_days
      select p.id, current_date - n, a.agent_id, '', now() - interval '1 day' * n, 1, 1, 1, 0, null, 1
      from projects p join project_agents a on a.project_id = p.id, generate_series(1, 40) n;
    analyze`,
  );
  recorder = await openPlanRecorder(world.database.url, world.clock);
  deps = { ...world.deps, database: recorder.database };
}, 120_000);
afterAll(async () => {
  await recorder.close();
  await world.close();
});

/** Without a time limit: a busy machine may need longer for the rows than a transaction of the product is given. */
async function fill(url: string, statements: string): Promise<void> {
  const database = openDatabase({ url, maxConnections: 1, transactionTimeoutMs: 0 });
  try {
    await database.pool.query(statements);
  } finally {
    await database.close();
  }
}

/** How many rows all statements have read of each table; every one by an index. */
function rowsRead(plans: readonly RecordedPlan[]): Record<string, number> {
  expect(plans.length).toBeGreaterThan(0);
  const total: Record<string, number> = {};
  for (const { query, reads } of plans)
    for (const { table, index, rows } of reads) {
      if (GROWING.includes(table)) expect(index, `${table} is read whole by ${query}`).not.toBeNull();
      total[table] = (total[table] ?? 0) + rows;
    }
  return total;
}

const inboxOf = async (person: Person) => {
  const plans = await recorder.plansOf(() => new InboxService(deps).list(person));
  return rowsRead(plans);
};

it('the inbox of one who has read nothing: as many chats as it shows', async () => {
  const rows = await inboxOf(NEWCOMER);
  expect(rows.chat_threads).toBeLessThanOrEqual(SHOWN * 1.5);
  expect(rows.chat_messages).toBeLessThanOrEqual(SHOWN);
});

it('of one who has read everything: each chat and each mark once, no message', async () => {
  const rows = await inboxOf(DILIGENT);
  expect(rows.chat_threads).toBeLessThanOrEqual(chats);
  expect(rows.read_marks).toBeLessThanOrEqual(chats);
  expect(rows.chat_messages ?? 0).toBe(0);
});

it('of the owner and of a member: no more than is shown of each kind in each project, and his failed messages', async () => {
  for (const person of [world.owner, MEMBER]) {
    const rows = await inboxOf(person);
    const { items } = await world.inbox.list(person);
    expect(items).toHaveLength(SHOWN);
    expect(rows.tasks).toBeLessThanOrEqual(projects * SHOWN);
    expect(rows.agent_runs).toBeLessThanOrEqual(projects * SHOWN);
    expect(rows.user_questions).toBeLessThanOrEqual(projects * SHOWN);
    expect(rows.approvals).toBeLessThanOrEqual(projects * SHOWN);
    // Failed ones and what was said after them, the first unread of each chat: the house has forty thousand.
    expect(rows.chat_messages).toBeLessThanOrEqual(3 * SHOWN);
  }
});

it('mentions in comments: the newest of the person, and their comments and tasks by key', async () => {
  await fill(
    world.database.url,
    `
    insert into task_comments (id, task_id, body, created_at)
      select 'cmt_scale_' || n, t.id, 'cc', now() - interval '1 second' * n
      from (select id from tasks where project_id = 'prj_scale_1' and deleted_at is null limit 1) t, generate_series(1, 5000) n;
    insert into comment_mentions (comment_id, human_id, created_at)
      select c.id, h.id, c.created_at from task_comments c, unnest(array['newcomer', 'diligent']) h (id);
    analyze task_comments, comment_mentions`,
  );
  const plans = await recorder.plansOf(() => new InboxService(deps).list(NEWCOMER));
  const rows = rowsRead(plans);
  for (const { table, index } of plans.flatMap(({ reads }) => reads))
    if (table === 'comment_mentions' || table === 'task_comments') expect(index, table).not.toBeNull();
  const { items } = await world.inbox.list(NEWCOMER);
  expect(items.filter(({ kind }) => kind === 'mention')).toHaveLength(50);
  // As many as are shown.
  expect(rows.comment_mentions).toBeLessThanOrEqual(60);
  expect(rows.task_comments).toBeLessThanOrEqual(60);
  expect(rows.tasks).toBeLessThanOrEqual(60);
  await fill(world.database.url, 'delete from comment_mentions; analyze comment_mentions');
});

it('what was put away: the marks of the person, each looked up by its key, 2,000 at most', async () => {
  await fill(
    world.database.url,
    `
    insert into inbox_marks (human_id, kind, ref_id, marked_at, put_away_at)
      select h.id, 'blocked_task', t.id, now(), now() - interval '1 second' * t.n
      from (select id, row_number() over (order by (status = 'blocked'), id) n from tasks where deleted_at is null) t,
        unnest(array['owner', 'hum_scale_1', 'newcomer', 'diligent']) h (id)
      where t.n <= 2000;
    analyze inbox_marks`,
  );
  const { rows: marks } = await world.database.pool.query<{ n: number }>(
    `select count(*)::int as n from inbox_marks where human_id = 'owner'`,
  );
  const most = marks[0]?.n ?? 0;
  expect(most).toBeGreaterThan(1_000);
  for (const person of [world.owner, MEMBER]) {
    const plans = await recorder.plansOf(() => new InboxService(deps).listPutAway(person, { limit: 50 }));
    expect(plans).toHaveLength(1);
    const rows = rowsRead(plans);
    expect(rows.inbox_marks).toBeLessThanOrEqual(most);
    expect(rows.tasks ?? 0).toBeLessThanOrEqual(most);
    expect(rows.chat_messages ?? 0).toBe(0);
    expect(rows.agent_runs ?? 0).toBe(0);
    for (const { table, index } of plans.flatMap(({ reads }) => reads))
      if (table === 'inbox_marks') expect(index).toBe('inbox_marks_of_person_idx');
  }
  await fill(world.database.url, 'delete from inbox_marks; analyze inbox_marks');
});

it('unread counts: each chat of the project and its mark, no message', async () => {
  const plans = await recorder.plansOf(() => new ChatHistory(deps).unreadCounts(world.owner, PROJECT));
  const rows = rowsRead(plans);
  expect(rows.chat_threads).toBe(perProject);
  expect(rows.read_marks ?? 0).toBeLessThanOrEqual(perProject);
  expect(rows.chat_messages ?? 0).toBe(0);
});

it('marking as read: what stays unread after the message', async () => {
  const { rows: found } = await world.database.pool.query<{ agent_id: string; id: string }>(
    `select agent_id, id from chat_messages where project_id = $1 and conversation_id is null
     order by seq desc offset 9 limit 1`,
    [PROJECT],
  );
  const [message] = found;
  const membership = { projectId: PROJECT, agentId: message?.agent_id ?? '' };
  const plans = await recorder.plansOf(() =>
    new ChatHistory(deps).markRead(world.owner, { ...membership, upToMessageId: message?.id ?? '' }),
  );
  expect(rowsRead(plans).chat_messages).toBeLessThanOrEqual(12);
});

it('who is awake: a few rows for each agent of the project, also when many wait for a place', async () => {
  await world.database.pool.query(`insert into pending_agent_purposes (agent_id, project_id, purpose, held_for, held_since)
    select agent_id, project_id, 'chat', 'capacity', now() from project_agents where agent_id like 'agt_scale_%'`);
  const plans = await recorder.plansOf(() => new PresenceService(deps).agentSessions(null, PROJECT));
  await world.database.pool.query('delete from pending_agent_purposes');
  const rows = rowsRead(plans);
  expect(rows.chat_messages).toBeLessThanOrEqual(3 * perProject);
  expect(rows.agent_sessions).toBeLessThanOrEqual(4 * perProject);
  // Each agent's own, and the queue once.
  expect(rows.pending_agent_purposes).toBeLessThanOrEqual(2 * chats);
});

it('crashes in a row: those since the last answer and the last word of the system, not the chat', async () => {
  const { rows: found } = await world.database.pool.query<{ agent_id: string; project_id: string }>(
    'select agent_id, project_id from chat_threads order by last_seq desc limit 1',
  );
  const [membership] = found;
  const run = { projectId: membership?.project_id ?? '', agentId: membership?.agent_id ?? '' };
  const plans = await recorder.plansOf(() => crashesInARow(recorder.database.db, run));
  const rows = rowsRead(plans);
  expect(rows.chat_messages).toBeLessThanOrEqual(2);
  expect(rows.agent_runs).toBeLessThanOrEqual(10);
});

it('a refused sign-in: its own row', async () => {
  const delay = new SignInDelay({
    db: recorder.database.db,
    clock: world.clock,
    sleep: async () => undefined,
  });
  const lane = { account: 'acc_1', source: 'rest 10.0.0.1', maxDelayMs: 3_000, maxWaiting: 1 };
  const plans = await recorder.plansOf(() => delay.attempt(lane, async () => undefined));
  expect(rowsRead(plans).sign_in_failures).toBeLessThanOrEqual(2);
});

it('a page of a chat, and of all that an agent said and heard: as many messages as it shows', async () => {
  const { rows: found } = await world.database.pool.query<{ agent_id: string; id: string }>(
    `select agent_id, id from chat_messages where project_id = $1 and conversation_id is null and seq = 3000`,
    [PROJECT],
  );
  const [message] = found;
  const membership = { projectId: PROJECT, agentId: message?.agent_id ?? '' };
  const history = new ChatHistory(deps);
  for (const edge of [{}, { before: message?.id }, { after: message?.id }]) {
    const page = { ...membership, ...edge, limit: 50 };
    const chat = rowsRead(await recorder.plansOf(() => history.list(world.owner, page)));
    // Some are invisible, and those are counted: one in fifty.
    expect(chat.chat_messages).toBeLessThanOrEqual(60 + SMALL_SCALE.longThreadMessages / 50);
    const all = rowsRead(
      await recorder.plansOf(() => history.list(world.owner, { ...page, includeConversations: true })),
    );
    expect(all.chat_messages).toBeLessThanOrEqual(500 + SMALL_SCALE.longThreadMessages / 50);
  }
});

it('a board: two statements, each reads its tasks once, by keys', async () => {
  const { rows: found } = await world.database.pool.query<{ n: number }>(
    'select count(*)::int as n from tasks where project_id = $1 and deleted_at is null',
    [PROJECT],
  );
  const tasks = found[0]?.n ?? 0;
  const plans = await recorder.plansOf(() =>
    new TaskService(deps).list(world.owner, PROJECT, { limit: 50, board: true }),
  );
  const ofTasks = plans.filter(({ reads }) => reads.some(({ table }) => table === 'tasks'));
  expect(ofTasks).toHaveLength(2);
  // Once to find them, once to read them, and their parts, of which there are none.
  expect(rowsRead(plans).tasks).toBe(2 * tasks);
  expect(tasks).toBeGreaterThan(200);
});

it('a step, and the answer that keeps it: one statement each, by keys', async () => {
  const membership = await world.agentInProject();
  const { caller } = await world.warmAgent(membership);
  await world.agents.update(world.owner, membership.agentId, { dailyTokenLimit: 1_000_000 });
  const { chat, delivery } = world;
  const usage = { inputTokens: 1, outputTokens: 1, durationMs: 1 };
  await chat.post(world.owner, { ...membership, content: 'hello' });
  const { batchId } = await delivery.take(caller);
  const answer = { batchId: batchId ?? '', messageId: newId('msg') };
  const step = { id: 's1', kind: 'read', title: 'Read', status: 'running' } as const;
  const report = () => new StepService(deps).report(caller, { ...answer, step });
  for (const work of [
    report,
    report,
    () => new DeliveryService(deps).respond(caller, { ...answer, content: 'ok', usage }),
    () => new DeliveryService(deps).respond(caller, { content: 'and this' }),
  ]) {
    const plans = await recorder.plansOf(work);
    expect(plans).toHaveLength(1);
    const rows = rowsRead(plans);
    for (const table of ['message_steps', 'growing_answers', 'usage_days'])
      expect(rows[table] ?? 0).toBeLessThanOrEqual(8);
  }
});

it('whether an agent may go on: its sums of today, not of the past', async () => {
  const membership = await world.agentInProject();
  const { caller } = await world.warmAgent(membership);
  await world.agents.update(world.owner, membership.agentId, { dailyTokenLimit: 1_000_000 });
  await world.database.pool.query(
    `insert into usage_days
     select $1, current_date - n, $2, 'm' || n, now() - interval '1 day' * n, 1, 1, 1, 0, null, 1 from generate_series(-2, 400) n`,
    [membership.projectId, membership.agentId],
  );
  const next = () => new SessionService(deps, world.auth).nextActions([caller.sessionId]);
  const take = () => new DeliveryService(deps).take(caller);
  await world.chat.post(world.owner, { ...membership, content: 'hello' });
  for (const work of [next, take]) {
    const reads = (await recorder.plansOf(work)).flatMap((plan) => plan.reads);
    const ofDays = reads.filter(({ table }) => table === 'usage_days');
    expect(ofDays.length).toBeGreaterThan(0);
    for (const { index, rows } of ofDays) {
      expect(index).toBe('usage_days_agent_idx');
      // Today, and the two days that were made after it.
      expect(rows).toBeLessThanOrEqual(3);
    }
  }
});

it('one agent at a time in a shared folder: no statement for others, and for those in it a few rows by keys', async () => {
  const agent = async (provider: 'builtin' | 'claude', isolation: 'shared' | 'worktree') => {
    const membership = await world.agentInProject();
    await world.agents.update(world.owner, membership.agentId, { provider });
    await world.projects.update(world.owner, membership.projectId, { isolation });
    return { membership, caller: (await world.warmAgent(membership)).caller };
  };
  const plansOf = async ({ membership, caller }: Awaited<ReturnType<typeof agent>>) => {
    await world.chat.post(world.owner, { ...membership, content: 'hello' });
    const next = () => new SessionService(deps, world.auth).nextActions([caller.sessionId]);
    return {
      next: await recorder.plansOf(next),
      take: await recorder.plansOf(() => new DeliveryService(deps).take(caller)),
      respond: await recorder.plansOf(() => new DeliveryService(deps).respond(caller, { content: 'ok' })),
    };
  };
  for (const [provider, isolation] of [
    ['builtin', 'shared'],
    ['claude', 'worktree'],
  ] as const) {
    const { next, take, respond } = await plansOf(await agent(provider, isolation));
    expect([next.length, take.length, respond.length]).toEqual([1, 2, 1]);
    for (const { reads } of [...next, ...take, ...respond])
      expect(reads.map(({ index }) => index)).not.toContain('agent_sessions_folder_idx');
  }
  const { next, take, respond } = await plansOf(await agent('claude', 'shared'));
  expect([next.length, take.length, respond.length]).toEqual([2, 6, 2]);
  const rows = rowsRead([...next, ...take, ...respond]);
  expect(rows.agent_sessions).toBeLessThanOrEqual(20);
  expect(rows.chat_messages).toBeLessThanOrEqual(30);
});

it('a look of the sweeper: what is awake, not what has been', async () => {
  const rows = rowsRead(await recorder.plansOf(() => new Sweeper(deps).runOnce()));
  expect(rows.agent_sessions).toBeLessThanOrEqual(10 * AWAKE);
  expect(rows.chat_messages ?? 0).toBeLessThanOrEqual(10 * AWAKE);
});
