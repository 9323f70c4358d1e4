/**
 * What keeps a session busy is told by SQL in sessions/session-work.ts, for one session, for lists and for sweeps. Here
 * the rows of random histories are read by plain code instead, and every statement is held against that and against
 * the rule.
 */
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readMembersAtCard } from '../../src/core/chat/presence-queries.ts';
import { decideNextStep, type SessionView } from '../../src/core/sessions/rules/next-action.ts';
import { decideSession, isBusy, type SessionWork } from '../../src/core/sessions/rules/session-machine.ts';
import { SessionQueries, WORK_SQL } from '../../src/core/sessions/session-queries.ts';
import { readSessionsWithNews, readSessionViews } from '../../src/core/sessions/session-view-queries.ts';
import { NOT_IDLE_SQL } from '../../src/core/sessions/session-work.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';

const LIVE = ['pending', 'active'];

/** The chat and a task of one agent live side by side; `gone` is an earlier chat of it. */
const SESSIONS = ['chat', 'task'] as const;
const holder = fc.constantFrom(...SESSIONS, 'gone', null);
const message = fc.record({
  state: fc.constantFrom('stored', 'delivered', 'answered', 'failed'),
  isToMe: fc.boolean(),
  holder,
  /** Which conversation it belongs to; undefined: the chat. */
  talk: fc.option(fc.nat(2), { nil: undefined }),
});
const card = <S extends string>(...outcomes: S[]) =>
  fc.record({
    state: fc.constantFrom<'pending' | 'timeout' | 'cancelled' | S>(
      'pending',
      'timeout',
      'cancelled',
      ...outcomes,
    ),
    holder: fc.constantFrom(...SESSIONS, 'gone'),
    isAcknowledged: fc.boolean(),
    /** What was decided before its session began. */
    isInherited: fc.boolean(),
    isOffered: fc.boolean(),
  });
const talk = fc.record({
  state: fc.constantFrom('pending', 'active', 'terminating', 'ended', 'expired'),
  isMineToBegin: fc.boolean(),
  holder,
  notice: fc.option(
    fc.record({
      kind: fc.constantFrom('request', 'ended', 'expired'),
      holder,
      isAcknowledged: fc.boolean(),
      isGone: fc.boolean(),
    }),
    { nil: undefined },
  ),
});
const history = fc.record({
  messages: fc.array(message, { maxLength: 4 }),
  cards: fc.array(card('answered'), { maxLength: 3 }),
  approvals: fc.array(card('allowed_once', 'allowed_session', 'denied'), { maxLength: 3 }),
  /** One with each partner: two agents have one live conversation at most. */
  talks: fc.array(talk, { maxLength: 3, minLength: 3 }),
  usesReceipts: fc.boolean(),
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

let world: ServiceWorld;
let membership: WorldAgent;
let partners: string[];
beforeAll(async () => {
  world = await ServiceWorld.create();
  membership = await world.agentInProject();
  partners = await Promise.all([0, 1, 2].map(async () => (await world.agentInProject()).agentId));
  await sql`insert into conversation_chains (id, project_id) values ('chain_1', ${membership.projectId})`.execute(
    world.database.db,
  );
});
afterAll(() => world.close());

/** The definition, in plain words. */
function workOf(me: (typeof SESSIONS)[number], { messages, talks, ...asked }: History): SessionWork {
  const takesUp = (held: string | null) => held === me || (held === null && me === 'chat');
  return {
    unread: messages.some(
      (one) =>
        one.state === 'stored' &&
        one.isToMe &&
        (one.talk === undefined ? me === 'chat' : talks[one.talk]?.holder === me),
    ),
    // A session for a task has its task to do.
    held: me === 'task' || messages.some((one) => one.state === 'delivered' && one.holder === me),
    openCard: [...asked.cards, ...asked.approvals].some(
      ({ holder: by, isAcknowledged, state }) =>
        by === me && !isAcknowledged && state !== 'timeout' && state !== 'cancelled',
    ),
    liveConversation: talks.some((one) => LIVE.includes(one.state) && takesUp(one.holder)),
    unacknowledgedEnd: talks.some(
      ({ notice }) =>
        notice !== undefined &&
        notice.kind !== 'request' &&
        !notice.isAcknowledged &&
        !notice.isGone &&
        takesUp(notice.holder),
    ),
  };
}

/** Whether the session can be told what became of a card: what it was given waits for its turn. */
function hearsOfCard(me: (typeof SESSIONS)[number], rows: History): boolean {
  const own = [...rows.cards, ...rows.approvals].filter((one) => one.holder === me && !one.isAcknowledged);
  const { held, unread } = workOf(me, rows);
  const isHeldBack = me === 'task' || (rows.usesReceipts && held);
  const waits = isHeldBack || unread || own.some(({ state }) => state === 'pending');
  return own.some((one) => one.state !== 'pending' && !(waits && one.isInherited && !one.isOffered));
}

/** The chat has asked a person, and has not heard what became of it; what another session has asked does not count. */
function isAtCard({ cards, approvals }: History): boolean {
  return [...cards, ...approvals].some(
    (one) => one.holder === 'chat' && !one.isAcknowledged && (one.isOffered || !one.isInherited),
  );
}

async function write({ messages, cards, approvals, talks, usesReceipts }: History): Promise<void> {
  const { db } = world.database;
  const { projectId, agentId } = membership;
  await sql`delete from conversation_notices`.execute(db);
  await sql`delete from conversations`.execute(db);
  await sql`delete from user_questions`.execute(db);
  await sql`delete from approvals`.execute(db);
  await sql`delete from chat_messages`.execute(db);
  await sql`delete from agent_sessions`.execute(db);
  await sql`insert into agent_sessions (id, agent_id, project_id, purpose, task_id, state, ended_at, exit_action, exit_reason,
      task_told_at, uses_receipts)
    values ('chat', ${agentId}, ${projectId}, 'chat', '', 'active', null, null, null, null, ${usesReceipts}),
      ('task', ${agentId}, ${projectId}, 'task', 'task_1', 'active', null, null, null, now(), ${usesReceipts}),
      ('gone', ${agentId}, ${projectId}, 'chat', '', 'ended', now(), 'exit', 'force_ended', null, false)`.execute(
    db,
  );
  for (const [index, one] of talks.entries()) {
    const partner = partners[index] ?? '';
    await sql`insert into conversations (id, project_id, initiator_agent_id, participant_agent_id, state, max_messages,
        chain_id, initiator_session_id, participant_session_id, last_activity_at, ended_at, end_reason)
      values (${`conv_${index}`}, ${projectId}, ${one.isMineToBegin ? agentId : partner},
        ${one.isMineToBegin ? partner : agentId}, ${one.state}, 20, 'chain_1',
        ${one.isMineToBegin ? one.holder : null}, ${one.isMineToBegin ? null : one.holder}, now(),
        ${LIVE.includes(one.state) ? null : new Date()}, ${LIVE.includes(one.state) ? null : 'timeout'})`.execute(
      db,
    );
    if (one.notice)
      await sql`insert into conversation_notices (conversation_id, agent_id, kind, project_id, session_id, created_at,
          acknowledged_at, gone_at)
        values (${`conv_${index}`}, ${agentId}, ${one.notice.kind}, ${projectId}, ${one.notice.holder}, now(),
          ${one.notice.isAcknowledged ? new Date() : null}, ${one.notice.isGone ? new Date() : null})`.execute(
        db,
      );
  }
  for (const [index, one] of messages.entries())
    await sql`insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, content, created_at,
        state, deliver_to, delivered_session_id, conversation_id, log_offset)
      values (${`msg_${index}`}, 'thread', ${index + 1}, ${projectId}, ${agentId}, 'user', 'user', 'x', now(), ${one.state},
        ${one.isToMe ? agentId : partners[0]}, ${one.state === 'delivered' ? one.holder : null},
        ${one.talk === undefined ? null : `conv_${one.talk}`}, 0)`.execute(db);
  for (const [index, one] of cards.entries())
    await sql`insert into user_questions (tool_use_id, project_id, agent_id, session_id, questions, fingerprint, state,
        resolved_at, answers, answered_by, acknowledged_at, inherited_at, offered_at)
      values (${`ask_${index}`}, ${projectId}, ${agentId}, ${one.holder}, '[]', ${`f${index}`},
        ${one.state}, ${one.state === 'pending' ? null : new Date()},
        ${one.state === 'answered' ? '[]' : null}::jsonb, ${one.state === 'answered' ? world.owner.id : null},
        ${one.isAcknowledged ? new Date() : null}, ${one.isInherited ? new Date() : null},
        ${one.isOffered ? new Date() : null})`.execute(db);
  for (const [index, one] of approvals.entries())
    await sql`insert into approvals (tool_use_id, project_id, agent_id, session_id, tool, kind, summary, input, input_cut,
        fingerprint, state, resolved_at, decided_by, acknowledged_at, inherited_at, offered_at)
      values (${`may_${index}`}, ${projectId}, ${agentId}, ${one.holder}, 'Bash', 'command', 'x', '{}', false,
        ${`f${index}`}, ${one.state}, ${one.state === 'pending' ? null : new Date()},
        ${/^(allowed|denied)/.test(one.state) ? world.owner.id : null},
        ${one.isAcknowledged ? new Date() : null}, ${one.isInherited ? new Date() : null},
        ${one.isOffered ? new Date() : null})`.execute(db);
}

/** The rule would tell it of a card, were that the only thing to tell; what waits is then held back by the folder. */
function tellsOfCard(view: SessionView, now: Date): boolean {
  const alone = { ...view, conversationDue: false, notice: null, tokenLimit: null, withheldIn: 'project' };
  return decideNextStep(alone, now, 1_000).kind.endsWith('_resolved');
}

/** Every statement and the rule say this of the session. */
async function expectWork(me: string, expected: SessionWork, isTold: boolean): Promise<void> {
  const { db } = world.database;
  const { rows: told } = await sql<{ work: SessionWork; notIdle: boolean }>`
    select ${WORK_SQL} as work, ${sql.raw(NOT_IDLE_SQL)} as not_idle from agent_sessions s
    where s.id = ${me}`.execute(db);
  expect(told[0]?.work).toEqual(expected);
  expect(await new SessionQueries(db).work(me)).toEqual(expected);
  const session = await new SessionQueries(db).findById(me);
  if (!session) throw new Error('the session is missing');
  const now = new Date(session.lastActivityAt.getTime() + 60_000);
  const decision = decideSession(session, { type: 'idle', work: expected, timeoutMs: 1_000 }, now);
  expect(told[0]?.notIdle, 'the sweep takes up exactly what the rule ends').toBe(!decision.ok);
  const times = { now, pendingTimeoutMs: 3_600_000, timeoutMs: 3_600_000, workMs: 0 };
  const [view] = await readSessionViews(world.database, [me], times);
  const { openCard: _, unacknowledgedEnd: __, ...shown } = view?.work ?? {};
  const { openCard, unacknowledgedEnd: ___, ...same } = expected;
  expect(shown).toEqual(same);
  if (!view) throw new Error('the session is missing');
  expect(tellsOfCard(view, now), 'what became of a card is told').toBe(isTold);
  const isIdle = !view.work.unread && !isBusy(view.work) && !isTold;
  expect(isIdle && openCard, 'what is not told yet keeps it from being idle').toBe(false);
  const news = await readSessionsWithNews(world.database, [me], times);
  if (isTold) expect(news, 'the slow poll sees what is to be told').toEqual([me]);
}

test('what keeps a session busy is the same to every statement, to the rule and to a plain reading', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (rows) => {
      await write(rows);
      for (const me of SESSIONS) await expectWork(me, workOf(me, rows), hearsOfCard(me, rows));
      const atCard = await readMembersAtCard(world.database.db, [membership]);
      expect(atCard).toHaveLength(isAtCard(rows) ? 1 : 0);
    }),
    { numRuns: 300 },
  );
});
