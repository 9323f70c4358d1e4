import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { appendAudit } from '../../src/core/access/audit-queries.ts';
import { TokenQueries } from '../../src/core/credentials/token-queries.ts';
import { MemoryRetrieval } from '../../src/core/memory/retrieval/memory-retrieval.ts';
import { pruning } from '../../src/core/sweeper/prune.ts';
import { Sweeper } from '../../src/core/sweeper/sweeper.ts';
import { TaskRecordService } from '../../src/core/tasks/task-record-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { retentionFromEnv } from '../../src/platform/config/retention.ts';
import { newId } from '../../src/platform/ids.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import type { ServiceWorld } from '../../src/testing/service-world.ts';
import { toRun } from '../approvals/approval-support.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { ask } from '../questions/question-support.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let talks: TalkWorld;
let world: ServiceWorld;
beforeEach(async () => {
  talks = await TalkWorld.create();
  world = talks.services;
});
afterEach(async () => {
  expect(await checkInvariants(world.database)).toEqual([]);
  await world.close();
});

async function countOf(table: string): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from ${sql.table(table)}`.execute(world.database.db);
  return rows[0]?.count ?? 0;
}

/** What is left of each table after so long a time, with the default retention unless a test names another. */
async function leftAfter(ms: number, tables: readonly string[], env: Record<string, string> = {}) {
  world.clock.advance(ms);
  const config = { ...world.deps.config, retention: retentionFromEnv(env) };
  const sweeper = new Sweeper(
    { ...world.deps, config },
    {
      pruned: () => pruning(Number.POSITIVE_INFINITY),
    },
  );
  while ((await sweeper.runOnce()).pruned > 0);
  expect(sweeper.skipped.get('pruned')).toBe(0);
  const counts: Record<string, number> = {};
  for (const table of tables) counts[table] = await countOf(table);
  return counts;
}

/** An agent that answered with a key and went; the page has seen its run. */
async function finished() {
  const membership = await world.agentInProject();
  const agent = await world.warmAgent(membership);
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  await world.delivery.take(agent.caller);
  await world.delivery.respond(agent.caller, { content: 'ok', idempotencyKey: 'k' });
  await world.sessions.logout(agent.caller);
  await world.coordination.reportProcessExit({ runId: agent.runId, exitCode: 0 });
  return { membership, ...agent };
}

const OF_SESSIONS = ['agent_sessions', 'launch_tickets', 'idempotent_results', 'agent_runs'];

it('an ended session goes after a week with its ticket and its keys, its run stays in the list for a month', async () => {
  const { membership } = await finished();
  const runs = async () =>
    (await world.runs.list(world.owner, membership.projectId, { limit: 10 })).runs.length;
  const all = { agent_sessions: 1, launch_tickets: 1, idempotent_results: 1, agent_runs: 1 };
  expect(await leftAfter(6 * DAY, OF_SESSIONS)).toEqual(all);
  const run = { agent_sessions: 0, launch_tickets: 0, idempotent_results: 0, agent_runs: 1 };
  expect(await leftAfter(1 * DAY + HOUR, OF_SESSIONS)).toEqual(run);
  expect(await runs()).toBe(1);
  expect(await leftAfter(24 * DAY, OF_SESSIONS)).toEqual({ ...run, agent_runs: 0 });
  expect(await runs()).toBe(0);
  // Nothing of it is missed.
  const { messages } = await world.history.list(world.owner, { ...membership, limit: 10 });
  expect(messages.map(({ content }) => content)).toEqual(['hi', 'ok']);
});

it('steps of an answer that never came go after a week; those of a message stay with it', async () => {
  const membership = await world.agentInProject();
  const agent = await world.warmAgent(membership);
  const { caller } = agent;
  const step = { id: 's', kind: 'read', title: 'Read', status: 'done' } as const;
  const [kept, lost] = [newId('msg'), newId('msg')];
  for (const messageId of [kept, lost]) {
    await world.chat.post(world.owner, { ...membership, content: 'hi' });
    await world.delivery.take(caller);
    for (const id of ['s1', 's2']) await world.steps.report(caller, { messageId, step: { ...step, id } });
    if (messageId === kept)
      await world.delivery.respond(caller, {
        messageId,
        content: 'ok',
        usage: { inputTokens: 1, outputTokens: 1, durationMs: 1 },
      });
  }
  await world.chat.end(world.owner, { ...membership, force: true });
  await world.sessions.logout(caller);
  await world.coordination.reportProcessExit({ runId: agent.runId, exitCode: 0 });
  const tables = ['message_steps', 'growing_answers', 'session_usage', 'agent_sessions', 'usage_days'];
  const all = { message_steps: 4, growing_answers: 1, session_usage: 1, agent_sessions: 1, usage_days: 1 };
  expect(await leftAfter(6 * DAY, tables)).toEqual(all);
  const left = { message_steps: 2, growing_answers: 0, session_usage: 0, agent_sessions: 0, usage_days: 1 };
  expect(await leftAfter(1 * DAY + HOUR, tables)).toEqual(left);
  expect(await leftAfter(400 * DAY, tables)).toEqual(left);
  const { steps } = await world.steps.list(world.owner, { ...membership, messageId: kept });
  expect(steps).toHaveLength(2);
});

const CARDS = ['approvals', 'user_questions'];

it('what a person put away of the inbox is forgotten with the cards', async () => {
  const { projectId } = await world.agentInProject();
  // It counts since when it is away, not since when the thing happened.
  const createdAt = new Date(world.clock.now().getTime() - 80 * DAY).toISOString();
  await world.inbox.dismiss(world.owner, {
    items: [{ kind: 'failed_run', projectId, refId: 'run_1', createdAt }],
  });
  expect(await leftAfter(89 * DAY, ['inbox_marks'])).toEqual({ inbox_marks: 1 });
  expect(await leftAfter(2 * DAY, ['inbox_marks'])).toEqual({ inbox_marks: 0 });
});

it('whom a message mentions is forgotten with the cards, the message is not', async () => {
  const membership = await world.agentInProject();
  const { id } = await world.agents.create(world.owner, {
    name: 'Ann',
    type: 'human',
    accessLevel: 'member',
  });
  await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: id });
  await world.chat.post(world.owner, { ...membership, content: 'cc @Ann' });
  const { id: taskId } = await new TaskService(world.deps).create(world.owner, membership.projectId, {
    title: 'Write',
  });
  await new TaskRecordService(world.deps).comment(world.owner, taskId, { body: 'cc @Ann' });
  const both = ['mentions', 'comment_mentions'];
  expect(await leftAfter(89 * DAY, both)).toEqual({ mentions: 1, comment_mentions: 1 });
  const messages = (await leftAfter(0, ['chat_messages'])).chat_messages;
  expect(await leftAfter(2 * DAY, both)).toEqual({ mentions: 0, comment_mentions: 0 });
  expect((await leftAfter(0, ['chat_messages'])).chat_messages).toBe(messages);
});

it('cards go three months after they were resolved', async () => {
  const membership = await world.agentInProject();
  const { caller, runId } = await world.warmAgent(membership);
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  await world.delivery.take(caller);
  const approval = await world.approvals.request(caller, toRun('ls'));
  await world.approvals.decide(world.owner, approval.toolUseId, { decision: 'deny' });
  const question = await world.questions.ask(caller, { questions: ask('Which?') });
  await world.questions.answer(world.owner, question.toolUseId, { 0: '0' });
  await world.delivery.respond(caller, { content: 'ok' });
  // Its session may still read them.
  expect(await leftAfter(100 * DAY, CARDS)).toEqual({ approvals: 1, user_questions: 1 });
  await world.sessions.logout(caller);
  await world.coordination.reportProcessExit({ runId, exitCode: 0 });
  expect(await leftAfter(0, CARDS, { RETENTION_CARDS_DAYS: '120' })).toEqual({
    approvals: 1,
    user_questions: 1,
  });
  expect(await leftAfter(0, CARDS)).toEqual({ approvals: 0, user_questions: 0 });
});

it('what people said about a chain stays as long as the chain, then goes with the cards that follow it', async () => {
  const { a, b, id } = await talks.talking();
  const { chainId } = await talks.view(id);
  const { projectId, agentId } = a;
  await sql`insert into user_questions (tool_use_id, project_id, agent_id, about, follows, questions, fingerprint, state,
      resolved_at, answers, answered_by, acknowledged_at)
    values ('led', ${projectId}, ${agentId}, ${`chain:${chainId}`}, null, '[]', '', 'answered', now(), '{}', 'owner', now()),
      ('following', ${projectId}, ${agentId}, null, 'led', '[]', '', 'answered', now(), '{}', 'owner', now())`.execute(
    world.database.db,
  );
  await world.talks.end(a.caller, { conversationId: id });
  await talks.hear(b);
  for (const talker of [a, b]) {
    await world.sessions.logout(talker.caller);
    await world.coordination.reportProcessExit({ runId: talker.runId, exitCode: 0 });
  }
  const tables = ['conversation_chains', 'user_questions'];
  const env = { RETENTION_CARDS_DAYS: '7' };
  expect(await leftAfter(20 * DAY, tables, env)).toEqual({ conversation_chains: 1, user_questions: 1 });
  expect(await leftAfter(20 * DAY, tables, env)).toEqual({ conversation_chains: 0, user_questions: 0 });
});

it('how long is a matter of the variables', async () => {
  await finished();
  const env = { RETENTION_SESSIONS_DAYS: '2', RETENTION_RUNS_DAYS: '7' };
  expect((await leftAfter(3 * DAY, OF_SESSIONS, env)).agent_sessions).toBe(0);
  expect((await leftAfter(5 * DAY, OF_SESSIONS, env)).agent_runs).toBe(0);
  expect(() => retentionFromEnv({ RETENTION_SESSIONS_DAYS: '0' })).toThrow('RETENTION_SESSIONS_DAYS');
  expect(() => retentionFromEnv({ RETENTION_RUNS_DAYS: '6' })).toThrow('RETENTION_RUNS_DAYS');
});

it('a key answers as long as its session may call, however old it is', async () => {
  const membership = await world.agentInProject();
  const { caller, ticket } = await world.warmAgent(membership);
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  await world.delivery.take(caller);
  const respond = () => world.delivery.respond(caller, { content: 'ok', idempotencyKey: 'k' });
  const first = await respond();
  const all = { agent_sessions: 1, launch_tickets: 1, idempotent_results: 1, agent_runs: 1 };
  expect(await leftAfter(400 * DAY, OF_SESSIONS)).toEqual(all);
  expect(await respond()).toEqual(first);
  expect((await world.sessions.resolve(ticket)).live).toBe(true);
});

it('a run that was given up and lives on is not forgotten while its host lists it', async () => {
  const membership = await world.agentInProject();
  const { runId } = await world.warmAgent(membership);
  world.clock.advance(46_000);
  await world.sweeper.runOnce();
  world.clock.advance(40 * DAY);
  await world.clock.frozen(async () => {
    await world.coordinator('host-a', [runId]);
    expect((await world.coordination.work('host-a')).stop).toEqual([{ runId, reason: 'lost' }]);
  });
  expect((await leftAfter(0, ['agent_runs'])).agent_runs).toBe(1);
  await world.coordinator('host-a', []);
  expect((await leftAfter(31 * DAY, ['agent_runs'])).agent_runs).toBe(0);
});

it('a ticket with which nobody came goes too', async () => {
  const membership = await world.agentInProject();
  await world.coordinator();
  await world.chat.start(world.owner, membership);
  const start = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  if (start.action !== 'start') throw new Error('no start');
  await world.chat.end(world.owner, { ...membership, force: true });
  await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 0 });
  expect(await leftAfter(8 * DAY, ['launch_tickets'])).toEqual({ launch_tickets: 0 });
});

it('of a conversation that is over only what agents were told goes; the list shows it for ever', async () => {
  const { a, b, id } = await talks.talking();
  await talks.say(a, b, 'りんご');
  await talks.read(b);
  await world.talks.end(a.caller, { conversationId: id });
  await talks.hear(b);
  const tables = ['conversation_notices', 'conversation_chains', 'conversations'];
  for (const talker of [a, b]) {
    await world.sessions.logout(talker.caller);
    await world.coordination.reportProcessExit({ runId: talker.runId, exitCode: 0 });
  }
  const before = await talks.view(id);
  const all = { conversation_notices: 3, conversation_chains: 1, conversations: 1 };
  expect(await leftAfter(29 * DAY, tables)).toEqual(all);
  expect(await leftAfter(2 * DAY, tables)).toEqual({
    conversation_notices: 0,
    conversation_chains: 0,
    conversations: 1,
  });
  expect(await talks.view(id)).toEqual(before);
  const { conversations } = await world.conversations.list(world.owner, a.projectId, { limit: 10 });
  expect(conversations).toEqual([before]);
});

it('a chain in which agents still talk, or a session still is, keeps its count', async () => {
  const { a, b, id } = await talks.talking();
  await world.talks.end(a.caller, { conversationId: id });
  await talks.hear(b);
  expect(await leftAfter(60 * DAY, ['conversation_chains'])).toEqual({ conversation_chains: 1 });
  const { conversation } = await world.talks.start(a.caller, { targetAgentId: b.agentId });
  expect(conversation.chainId).toBe((await talks.view(id)).chainId);
});

it('a request that was told is remembered while its conversation lives', async () => {
  await talks.talking();
  expect(await leftAfter(60 * DAY, ['conversation_notices'])).toEqual({ conversation_notices: 1 });
});

it('sign-ins, tokens and codes go a month after they ended', async () => {
  const now = world.clock.now();
  const tokens = new TokenQueries(world.database.db);
  const token = (id: string, expiresAt: Date | null) =>
    tokens.insert(
      { id, agentId: 'owner', kind: 'api', name: id, tokenHash: id, csrfHash: null, expiresAt },
      now,
    );
  await token('for-ever', null);
  await token('short', new Date(now.getTime() + HOUR));
  await token('long', new Date(now.getTime() + 90 * DAY));
  await token('revoked', new Date(now.getTime() + 90 * DAY));
  await tokens.revokeApiToken('owner', 'revoked', now);
  await tokens.insertCode({ codeHash: 'code', agentId: 'owner', expiresAt: new Date(now.getTime() + HOUR) });
  const tables = ['access_tokens', 'sign_in_codes'];
  expect(await leftAfter(29 * DAY, tables)).toEqual({ access_tokens: 4, sign_in_codes: 1 });
  expect(await leftAfter(2 * DAY, tables)).toEqual({ access_tokens: 2, sign_in_codes: 0 });
  expect(await leftAfter(90 * DAY, tables)).toEqual({ access_tokens: 1, sign_in_codes: 0 });
});

it('the short-lived go within hours or a day', async () => {
  const membership = await world.agentInProject();
  await world.warmAgent(membership);
  await world.auth.verifyAgentPasskey(membership.agentId, 'wrong', { address: '203.0.113.7' });
  const tables = ['pending_purpose_outcomes', 'session_viewers', 'sign_in_failures'];
  const all = { pending_purpose_outcomes: 1, session_viewers: 1, sign_in_failures: 1 };
  expect(await leftAfter(HOUR / 2, tables)).toEqual(all);
  expect(await leftAfter(HOUR, tables)).toEqual({ ...all, pending_purpose_outcomes: 0 });
  const none = { pending_purpose_outcomes: 0, session_viewers: 0, sign_in_failures: 0 };
  expect(await leftAfter(DAY, tables)).toEqual(none);
});

it('who did what is kept for a year, or for ever', async () => {
  await appendAudit(world.database.db, { actorId: 'owner', action: 'settings.changed' });
  const tables = ['audit_entries'];
  expect(await leftAfter(400 * DAY, tables, { RETENTION_AUDIT_DAYS: '0' })).toEqual({ audit_entries: 1 });
  expect(await leftAfter(0, tables)).toEqual({ audit_entries: 0 });
});

it('what a search looked for is kept for a month', async () => {
  const { projectId, agentId } = await world.agentInProject();
  const memory = new MemoryRetrieval(world.deps);
  await memory.search({ agentId, projectId }, { query: 'tea', limit: 1, expand: true });
  const tables = ['retrieval_runs'];
  expect(await leftAfter(29 * DAY, tables)).toEqual({ retrieval_runs: 1 });
  expect(await leftAfter(1 * DAY + HOUR, tables)).toEqual({ retrieval_runs: 0 });
});

it('files that nothing has used go after a day, and those of a deleted project', async () => {
  const { attachments, projects, owner, chat } = world;
  const [membership, gone] = [await world.agentInProject(), await world.agentInProject()];
  const upload = async (projectId: string) =>
    (await attachments.upload(owner, { projectId, name: 'a', bytes: Buffer.from('x') })).id;
  await upload(membership.projectId);
  await upload(gone.projectId);
  const used = await upload(membership.projectId);
  const usedElsewhere = await upload(gone.projectId);
  await chat.post(owner, { ...membership, content: 'Kept', attachments: [used] });
  await chat.post(owner, { ...gone, content: 'Gone', attachments: [usedElsewhere] });
  await projects.remove(owner, gone.projectId);
  const tables = ['attachments', 'attachment_bytes'];
  expect(await leftAfter(23 * HOUR, tables)).toEqual({ attachments: 4, attachment_bytes: 4 });
  expect(await leftAfter(2 * HOUR, tables)).toEqual({ attachments: 1, attachment_bytes: 1 });
  expect((await attachments.read(owner, used)).bytes.toString()).toBe('x');
});
