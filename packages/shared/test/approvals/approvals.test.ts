import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { APPROVAL_LIMITS, type DecideApprovalBody } from '../../src/contract/approval.ts';
import type { RequestInput } from '../../src/core/approvals/request-approval.ts';
import type { AppError } from '../../src/platform/errors.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  nextAction,
  rawClient,
  sessionOf,
  statusOf,
  untilBlocked,
} from '../chat/chat-support.ts';
import { ask, questionTimeout, workingAgent } from '../questions/question-support.ts';
import { approvalOf, seenApprovals, toRun } from './approval-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

let agent: Awaited<ReturnType<typeof workingAgent>>;
beforeEach(async () => {
  agent = await workingAgent(world);
});

const requests = (command: string, more: Partial<RequestInput> = {}, caller = agent.caller) =>
  world.approvals.request(caller, toRun(command, more));
const decides = (id: string, decision: DecideApprovalBody['decision'] = 'allow_once', note?: string) =>
  world.approvals.decide(world.owner, id, { decision, ...(note !== undefined && { note }) });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: AppError) => error.code,
  );
/** As the tool does before it answers with a decision. */
const offers = (id: string) => world.approvals.offer(agent.caller.sessionId, id);
const hears = (id: string) => world.approvals.acknowledged(agent.caller.sessionId, [id]);

describe('a request', () => {
  it('says what it would allow for the session', async () => {
    const { toolUseId } = await requests('npm test', { sessionScope: 'commands that begin with npm' });
    await requests('ls');
    const { approvals } = await world.approvals.list(world.owner, agent.membership.projectId, { limit: 9 });
    expect(approvals.map(({ id, sessionScope }) => [id === toolUseId, sessionScope])).toEqual([
      [false, undefined],
      [true, 'commands that begin with npm'],
    ]);
  });

  it('waits for a person, whose decision and note reach the agent', async () => {
    const { toolUseId, status } = await requests('npm test');
    expect(status).toBe('pending');
    expect(await statusOf(world, agent.membership)).toMatchObject({ chatStatus: 'waiting_for_person' });
    expect(await decides(toolUseId, 'deny', ' Run the linter instead. ')).toMatchObject({
      id: toolUseId,
      tool: 'Bash',
      kind: 'command',
      summary: 'Run npm test',
      input: { command: 'npm test' },
      status: 'denied',
      note: ' Run the linter instead. ',
      decidedBy: 'owner',
      decidedByName: 'Owner',
    });
    expect(await nextAction(world, agent.caller.sessionId)).toEqual({ kind: 'approval_resolved', toolUseId });
    const told = { toolUseId, status: 'denied', note: ' Run the linter instead. ' };
    expect(await offers(toolUseId)).toEqual({ ...told, repeat: false });
    expect(await offers(toolUseId)).toEqual({ ...told, repeat: true });
    await hears(toolUseId);
    expect(await nextAction(world, agent.caller.sessionId)).toMatchObject({ kind: 'get_pending_messages' });
    expect(await statusOf(world, agent.membership)).toMatchObject({ chatStatus: 'busy' });
  });

  it.each([
    ['allow_once', 'allowed_once'],
    ['allow_session', 'allowed_session'],
  ] as const)('%s shows as %s', async (decision, status) => {
    const { toolUseId } = await requests('ls');
    expect(await decides(toolUseId, decision, '')).toMatchObject({ status });
    expect((await approvalOf(world, toolUseId)).note).toBeNull();
  });

  it('is the same while it is open; several different ones stand side by side', async () => {
    const first = await requests('one');
    expect(await requests('one')).toEqual(first);
    const others = [
      await requests('two'),
      await requests('one', { summary: 'Something else' }),
      await requests('one', { tool: 'Shell' }),
      await requests('one', { kind: 'other' }),
    ];
    expect(new Set([first, ...others].map(({ toolUseId }) => toolUseId)).size).toBe(5);
    expect(await seenApprovals(world, agent.membership)).toHaveLength(5);
    await decides(first.toolUseId);
    expect((await world.approvals.outcomes([others[0]?.toolUseId ?? ''])).values().next().value?.status).toBe(
      'pending',
    );
  });

  it('that names a key of its own is asked by itself, and found again by its key', async () => {
    const first = await requests('twice', { idempotencyKey: 'a' });
    const second = await requests('twice', { idempotencyKey: 'b' });
    expect(second.toolUseId).not.toBe(first.toolUseId);
    await decides(first.toolUseId);
    await offers(first.toolUseId);
    await hears(first.toolUseId);
    expect(await requests('twice', { idempotencyKey: 'a' })).toMatchObject({
      ...first,
      status: 'allowed_once',
    });
    expect(await requests('twice', { idempotencyKey: 'b' })).toEqual(second);
  });

  it('that names the key of an earlier one is given the result of that one, whatever it asks', async () => {
    const first = await requests('first', { idempotencyKey: 'same' });
    expect(await requests('second', { idempotencyKey: 'same' })).toEqual(first);
    expect(await seenApprovals(world, agent.membership)).toEqual(['Run first pending']);
    await decides(first.toolUseId, 'deny');
    expect(await requests('second', { idempotencyKey: 'same' })).toMatchObject({
      toolUseId: first.toolUseId,
      status: 'denied',
    });
  });

  it('keeps the id that the agent gave, which stands for this request alone', async () => {
    await requests('named', { toolUseId: 'toolu_may_1' });
    const { approvals } = world;
    expect(await approvals.request(agent.caller, { toolUseId: 'toolu_may_1' })).toMatchObject({
      status: 'pending',
    });
    expect(await codeOf(requests('another', { toolUseId: 'toolu_may_1' }))).toBe('invalid_input');
    expect(await codeOf(approvals.request(agent.caller, { toolUseId: 'toolu_none' }))).toBe(
      'approval_not_found',
    );
    expect(await codeOf(approvals.request(agent.caller, {}))).toBe('invalid_input');
    expect(await codeOf(approvals.request(agent.caller, { tool: 'Bash', summary: 'No input' }))).toBe(
      'invalid_input',
    );
    const stranger = await workingAgent(world);
    expect(await codeOf(requests('named', { toolUseId: 'toolu_may_1' }, stranger.caller))).toBe(
      'invalid_input',
    );
    // The ids of questions are others.
    expect(
      await world.questions.ask(agent.caller, { questions: ask('Same id?'), toolUseId: 'toolu_may_1' }),
    ).toMatchObject({ status: 'pending' });
  });

  it(`is one of at most ${APPROVAL_LIMITS.open} that are open in a session`, async () => {
    const open = [];
    for (let n = 0; n < APPROVAL_LIMITS.open; n += 1) open.push(await requests(`command ${n}`));
    expect(await codeOf(requests('one too many'))).toBe('invalid_input');
    await decides(open[0]?.toolUseId ?? '');
    expect(await requests('one too many')).toMatchObject({ status: 'pending' });
  });

  it('shows a large input cut, and is compared by the whole of it', async () => {
    const write = (text: string) =>
      requests('write', { tool: 'Write', input: { file_path: 'a.ts', content: text } });
    const long = 'x'.repeat(100_000);
    const { toolUseId } = await write(long);
    expect((await write(long)).toolUseId).toBe(toolUseId);
    expect((await write(`${long.slice(1)}y`)).toolUseId).not.toBe(toolUseId);
    const { approvals } = await world.approvals.list(world.owner, agent.membership.projectId, { limit: 1 });
    expect(approvals).toMatchObject([{ inputCut: true, input: { file_path: 'a.ts' } }]);
    const stored = JSON.stringify(approvals[0]?.input);
    expect(stored.length).toBeLessThanOrEqual(APPROVAL_LIMITS.inputBytes);
    expect(stored).toContain('characters were left out');
    const news = (await world.approvals.byIds([toolUseId])).get(toolUseId);
    expect(news).not.toHaveProperty('input');
  });

  it('takes any JSON, in the order of its keys; what is nested too deep is refused', async () => {
    const inputs = [{ zeta: 1, alpha: { file_path: null } }, ['a', 2], 'text', 7, true, null];
    for (const input of inputs) {
      const { toolUseId } = await requests('any', { input });
      const view = await decides(toolUseId, 'deny');
      expect(JSON.stringify(view.input)).toBe(JSON.stringify(input));
      await offers(toolUseId);
    }
    let deep: unknown = 1;
    for (let n = 0; n < 20_000; n += 1) deep = [deep];
    expect(await codeOf(requests('deep', { input: deep }))).toBe('invalid_input');
  });

  it('counts what it shows towards what an agent may write in an hour', async () => {
    await world.database.pool.query('update app_settings set agent_bytes_per_hour = 100000');
    world.clock.advance(2_000);
    // No hour ends while the test runs.
    const { projectId, agentId } = agent.membership;
    const { rowCount } = await world.database.pool.query(
      `update chat_threads set said_hour = 'infinity' where id = $1`,
      [`${projectId}/${agentId}`],
    );
    expect(rowCount).toBe(1);
    const write = (n: number) => requests(`write ${n}`, { input: { n, content: 'x'.repeat(40_000) } });
    await write(1);
    await write(2);
    expect(await codeOf(write(3))).toBe('quota_reached');
    expect(await seenApprovals(world, agent.membership)).toHaveLength(2);
    await world.database.pool.query('update app_settings set agent_bytes_per_hour = null');
    world.clock.advance(2_000);
  });
});

describe('a permission is used once', () => {
  it('after it was offered, the same request is another one', async () => {
    const { toolUseId } = await requests('rm x');
    await decides(toolUseId);
    // The client had gone while it waited: nobody was offered the decision.
    expect(await requests('rm x')).toMatchObject({ toolUseId, status: 'allowed_once' });
    await offers(toolUseId);
    // The answer was written, and not acknowledged.
    const again = await requests('rm x');
    expect(again).toMatchObject({ status: 'pending' });
    expect(again.toolUseId).not.toBe(toolUseId);
    // By its id the decision can be read again.
    expect(await world.approvals.request(agent.caller, { toolUseId })).toMatchObject({
      status: 'allowed_once',
    });
  });

  it('a successor is not given what the session before it may have used', async () => {
    const { toolUseId } = await requests('git push');
    await decides(toolUseId);
    await offers(toolUseId);
    await crash();
    const resumed = await resume();
    const again = await requests('git push', {}, resumed.caller);
    expect(again).toMatchObject({ status: 'pending' });
    expect(again.toolUseId).not.toBe(toolUseId);
  });

  it('a decision is offered to the session that holds the approval, while it lives', async () => {
    const { toolUseId } = await requests('handed over');
    expect(await offers(toolUseId)).toBeNull();
    await crash();
    await decides(toolUseId);
    const resumed = await resume();
    expect(await offers(toolUseId)).toBeNull();
    expect(await approvalOf(world, toolUseId)).toMatchObject({ offeredAt: null });
    expect(await world.approvals.offer(resumed.caller.sessionId, toolUseId)).toEqual({
      toolUseId,
      status: 'allowed_once',
      repeat: false,
    });
  });

  it('an offer that meets the end of its session is none, and the decision goes to the successor', async () => {
    const { toolUseId } = await requests('at once');
    await decides(toolUseId);
    const calls: Promise<unknown>[] = [];
    await world.database.transaction(async (tx) => {
      await sql`select from agent_sessions where id = ${agent.caller.sessionId} for update`.execute(tx.db);
      calls.push(crash());
      await untilBlocked(world, 1);
      calls.push(offers(toolUseId));
      await untilBlocked(world, 2);
    });
    expect(await Promise.all(calls)).toEqual([undefined, null]);
    const resumed = await resume();
    expect(await requests('at once', {}, resumed.caller)).toMatchObject({
      toolUseId,
      status: 'allowed_once',
    });
  });

  it('a decision that waited for a successor longer than a minute is heard by none', async () => {
    const { toolUseId } = await requests('deploy');
    await world.delivery.respond(agent.caller, { content: 'I wait for you.' });
    await crash();
    await decides(toolUseId);
    world.clock.advance(61_000);
    await world.coordinator();
    const resumed = await resume();
    expect(await nextAction(world, resumed.caller.sessionId)).toEqual({ kind: 'wait' });
    expect(await requests('deploy', {}, resumed.caller)).toMatchObject({ status: 'pending' });
    expect(await approvalOf(world, toolUseId)).toMatchObject({ acknowledgedAt: expect.any(Date) });
  });
});

describe('a decision', () => {
  it('of many at once the first counts, the others are told so', async () => {
    const { toolUseId } = await requests('race');
    const lock = await rawClient(world);
    await lock.query('begin');
    await lock.query('select from approvals where tool_use_id = $1 for update', [toolUseId]);
    const people = (['allow_once', 'deny', 'allow_session'] as const).map((one) => decides(toolUseId, one));
    const outcomes = people.map(codeOf);
    await untilBlocked(world, people.length);
    await lock.query('commit');
    await lock.end();
    expect((await Promise.all(outcomes)).sort()).toEqual([
      'approval_already_decided',
      'approval_already_decided',
      'ok',
    ]);
    const [winner] = (await Promise.allSettled(people)).flatMap((one) =>
      one.status === 'fulfilled' ? [one.value] : [],
    );
    expect(winner?.status).toBe((await approvalOf(world, toolUseId)).state);
  });

  it('comes from whoever may write in the project, and from nobody else', async () => {
    const { toolUseId } = await requests('who');
    const { approvals } = world;
    const member = { id: 'decider', name: 'Member', accessLevel: 'member' } as const;
    await world.agents.create(world.owner, { ...member, type: 'human' });
    const body = { decision: 'allow_once' } as const;
    expect(await codeOf(approvals.decide(member, toolUseId, body))).toBe('approval_not_found');
    await world.projects.putAgent(world.owner, { projectId: agent.membership.projectId, agentId: member.id });
    const viewer = { ...member, accessLevel: 'viewer' } as const;
    expect(await codeOf(approvals.decide(viewer, toolUseId, body))).toBe('forbidden');
    expect(await approvals.decide(member, toolUseId, body)).toMatchObject({ decidedBy: 'decider' });
    expect(await codeOf(approvals.decide(member, 'toolu_nobody', body))).toBe('approval_not_found');
  });

  it('of a person who loses the right while the decision waits is none', async () => {
    const { projectId, agentId } = agent.membership;
    const made = (name: string) =>
      world.agents.create(world.owner, {
        type: 'human',
        name: `${name} of ${projectId}`,
        accessLevel: 'member',
      });
    const people = [await made('Removed'), await made('Demoted')];
    for (const { id } of people) await world.projects.putAgent(world.owner, { projectId, agentId: id });
    const { toolUseId } = await requests('npm publish');
    const gate = await rawClient(world);
    await gate.query('begin');
    await gate.query('select from project_agents where project_id = $1 and agent_id = $2 for update', [
      projectId,
      agentId,
    ]);
    const decided = people.map(({ id, name }) =>
      codeOf(
        world.approvals.decide({ id, name, accessLevel: 'member' }, toolUseId, { decision: 'allow_once' }),
      ),
    );
    await untilBlocked(world, 2);
    await world.projects.removeAgent(world.owner, { projectId, agentId: people[0]?.id ?? '' });
    await world.agents.update(world.owner, people[1]?.id ?? '', { accessLevel: 'viewer' });
    await gate.query('commit');
    await gate.end();
    expect(await Promise.all(decided)).toEqual(['approval_not_found', 'forbidden']);
    expect((await approvalOf(world, toolUseId)).state).toBe('pending');
  });

  it('cannot be made by anything else: the table itself refuses a state without a person', async () => {
    const { toolUseId } = await requests('forged');
    for (const values of [
      `state = 'allowed_once', resolved_at = now()`,
      `state = 'allowed_session', resolved_at = now(), policy = 'allow_edits'`,
      `state = 'allowed_once', resolved_at = now(), policy = 'allow_edits'`,
      `state = 'allowed_once', resolved_at = now(), policy = 'deny'`,
      `state = 'timeout', resolved_at = now(), decided_by = 'owner'`,
      `state = 'allowed_once', decided_by = 'owner'`,
    ])
      await expect(
        world.database.pool.query(`update approvals set ${values} where tool_use_id = '${toolUseId}'`),
      ).rejects.toThrow(/check constraint/);
  });
});

describe('the policy of the project', () => {
  const setPolicy = (permissionPolicy: 'ask' | 'allow_edits' | 'deny') =>
    world.projects.update(world.owner, agent.membership.projectId, { permissionPolicy });

  it('deny refuses everything at once and says so; the next request under another policy is asked', async () => {
    await setPolicy('deny');
    const denied = await requests('ls', { kind: 'edit' });
    expect(denied).toMatchObject({ status: 'denied', note: expect.stringContaining('deny') });
    const { approvals } = await world.approvals.list(world.owner, agent.membership.projectId, { limit: 9 });
    expect(approvals).toMatchObject([{ status: 'denied', policy: 'deny', note: denied.note }]);
    expect(approvals[0]).not.toHaveProperty('decidedBy');
    expect(await codeOf(decides(denied.toolUseId))).toBe('approval_already_decided');
    expect(await statusOf(world, agent.membership)).toMatchObject({ chatStatus: 'busy' });
    await offers(denied.toolUseId);
    await setPolicy('ask');
    expect(await requests('ls', { kind: 'edit' })).toMatchObject({ status: 'pending' });
  });

  it('allow_edits allows edits once each, and asks about all else', async () => {
    await setPolicy('allow_edits');
    const edit = await requests('write a.ts', { kind: 'edit' });
    expect(edit).toMatchObject({ status: 'allowed_once', note: expect.stringContaining('allow_edits') });
    await offers(edit.toolUseId);
    const again = await requests('write a.ts', { kind: 'edit' });
    expect(again).toMatchObject({ status: 'allowed_once' });
    expect(again.toolUseId).not.toBe(edit.toolUseId);
    expect(await requests('npm test')).toMatchObject({ status: 'pending' });
    expect(await requests('fetch', { kind: undefined })).toMatchObject({ status: 'pending' });
  });

  it('its decisions wait for nobody to hear them: the same request is decided again', async () => {
    await setPolicy('deny');
    const { toolUseId } = await requests('ls', { toolUseId: 'toolu_policy_1' });
    expect(await nextAction(world, agent.caller.sessionId)).not.toMatchObject({ kind: 'approval_resolved' });
    // Its client had gone before the answer.
    const again = await requests('ls');
    expect(again).toMatchObject({ status: 'denied' });
    expect(again.toolUseId).not.toBe(toolUseId);
    expect(await requests('ls', { toolUseId })).toMatchObject({ toolUseId, status: 'denied' });
  });

  it('decides also where nobody is; what it leaves to a person is unavailable there', async () => {
    const membership = await world.agentInProject({ credential: false });
    const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
    const result = await world.sessions.authenticate({ ...membership, passkey, address: '::1' });
    if (!result.success || result.sessionToken === undefined) throw new Error('refused');
    expect(result.permissionPolicy).toBe('ask');
    const caller = await world.sessions.resolve(result.sessionToken);
    expect(await requests('ls', {}, caller)).toMatchObject({ status: 'unavailable' });
    await world.projects.update(world.owner, membership.projectId, { permissionPolicy: 'allow_edits' });
    expect(await requests('ls', {}, caller)).toMatchObject({ status: 'unavailable' });
    expect(await requests('ls', { kind: 'edit' }, caller)).toMatchObject({ status: 'allowed_once' });
    await world.projects.update(world.owner, membership.projectId, { permissionPolicy: 'deny' });
    expect(await requests('ls', {}, caller)).toMatchObject({ status: 'denied' });
    expect(await seenApprovals(world, membership)).toEqual(['Run ls denied', 'Run ls allowed_once']);
    // A person opens the chat.
    await world.projects.update(world.owner, membership.projectId, { permissionPolicy: 'ask' });
    expect((await world.chat.start(world.owner, membership)).status).toBe('already_active');
    expect(await requests('pwd', {}, caller)).toMatchObject({ status: 'pending' });
  });
});

describe('very many requests', () => {
  /** Of the agent's session, copies of one request that are as old as it. */
  const copies = (toolUseId: string, count: number) =>
    sql`
    insert into approvals (tool_use_id, project_id, agent_id, session_id, tool, kind, summary, input, input_cut,
      fingerprint, state, created_at, resolved_at, cancel_reason, policy, acknowledged_at)
    select tool_use_id || n, project_id, agent_id, session_id, tool, kind, summary, input, input_cut,
      fingerprint || n, state, created_at, resolved_at, cancel_reason, policy, acknowledged_at
    from approvals, generate_series(1, ${count}::int) n where tool_use_id = ${toolUseId}`.execute(
      world.database.db,
    );

  it('of one hour are refused, also those that a policy would decide, and the next hour takes them', async () => {
    await world.projects.update(world.owner, agent.membership.projectId, { permissionPolicy: 'deny' });
    const { toolUseId } = await requests('loop');
    await copies(toolUseId, APPROVAL_LIMITS.perHour - 2);
    expect(await requests('the last')).toMatchObject({ status: 'denied' });
    const error: AppError = await requests('too many').catch((reason) => reason);
    expect(error).toMatchObject({ code: 'rate_limited' });
    expect(error.retryAfterSeconds).toBeGreaterThan(3_000);
    expect(await requests('loop', { toolUseId })).toMatchObject({ status: 'denied' });
    world.clock.advance(3_601_000);
    expect(await requests('too many')).toMatchObject({ status: 'denied' });
  });

  it.each(['crash', 'removal'] as const)('whose end nobody has heard do not hold up a %s', async (end) => {
    const unheard = await requests('unheard');
    await world.projects.update(world.owner, agent.membership.projectId, { permissionPolicy: 'deny' });
    const denied = await requests('denied');
    await sql`update approvals set state = 'timeout', resolved_at = created_at
        where tool_use_id = ${unheard.toolUseId}`.execute(world.database.db);
    await copies(unheard.toolUseId, 3_000);
    await copies(denied.toolUseId, 3_000);
    if (end === 'crash') await crash();
    else await world.projects.removeAgent(world.owner, agent.membership);
    // No decision of the policy was changed, none waits for a successor.
    const { rows } = await sql`select count(*) filter (where orphaned_at is not null)::int as orphaned,
      count(*) filter (where acknowledged_at is distinct from resolved_at and policy is not null)::int as changed
      from approvals where session_id = ${agent.caller.sessionId}`.execute(world.database.db);
    expect(rows).toEqual([{ orphaned: 0, changed: 0 }]);
  });
});

describe('without a decision', () => {
  it('it times out by the sweeper, and a late decision is refused', async () => {
    const { toolUseId } = await requests('in time');
    world.clock.advance(240_000);
    await world.coordinator('host-a', [agent.runId]);
    await world.sweeper.runOnce();
    expect(await approvalOf(world, toolUseId)).toMatchObject({ state: 'pending' });
    world.clock.advance(60_000);
    await world.coordinator('host-a', [agent.runId]);
    await world.sweeper.runOnce();
    expect(await approvalOf(world, toolUseId)).toMatchObject({ state: 'timeout', decidedBy: null });
    expect(await codeOf(decides(toolUseId))).toBe('approval_already_decided');
    expect(await nextAction(world, agent.caller.sessionId)).toEqual({ kind: 'approval_resolved', toolUseId });
    expect(await requests('in time')).toEqual({ toolUseId, status: 'timeout' });
  });

  it('it times out by whoever looks, and by a late decision, without any sweep', async () => {
    const seen = await requests('seen');
    world.clock.advance(300_000);
    expect(await requests('seen')).toEqual({ ...seen, status: 'timeout' });
    const late = await requests('late');
    world.clock.advance(300_000);
    expect(await codeOf(decides(late.toolUseId))).toBe('approval_already_decided');
    expect(await approvalOf(world, late.toolUseId)).toMatchObject({ state: 'timeout' });
  });

  it('0 means never; meanwhile the turn does not run out and the session is not idle', async () => {
    await questionTimeout(world, 0);
    const { toolUseId } = await requests('patient');
    world.clock.advance(3_700_000);
    await world.coordinator('host-a', [agent.runId]);
    await world.sessions.touch([agent.caller.sessionId]);
    await world.sweeper.runOnce();
    expect(await sessionOf(world, agent.caller.sessionId)).toMatchObject({ state: 'active' });
    expect((await world.approvals.outcomes([toolUseId])).get(toolUseId)?.status).toBe('pending');
    await questionTimeout(world, null);
    world.clock.advance(2_000);
    expect((await world.approvals.outcomes([toolUseId])).get(toolUseId)?.status).toBe('timeout');
  });
});

describe('the session goes', () => {
  const reasonOf = async (id: string) => {
    const { state, cancelReason } = await approvalOf(world, id);
    return `${state} ${cancelReason}`;
  };

  it('logout, a forced end and a removal cancel what it asked', async () => {
    const left = await requests('left');
    const beside = await requests('beside');
    await world.sessions.logout(agent.caller);
    expect(await reasonOf(left.toolUseId)).toBe('cancelled session_ended');
    expect(await reasonOf(beside.toolUseId)).toBe('cancelled session_ended');
    agent = await workingAgent(world);
    const forced = await requests('forced');
    await world.chat.end(world.owner, { ...agent.membership, force: true });
    expect(await reasonOf(forced.toolUseId)).toBe('cancelled stopped_by_person');
    expect(await requests('too late')).toMatchObject({ status: 'cancelled' });
    expect(await seenApprovals(world, agent.membership)).toHaveLength(1);
    agent = await workingAgent(world);
    const removed = await requests('removed');
    await world.projects.removeAgent(world.owner, agent.membership);
    expect(await reasonOf(removed.toolUseId)).toBe('cancelled went_away');
    agent = await workingAgent(world);
    const archived = await requests('archived');
    await world.projects.update(world.owner, agent.membership.projectId, { status: 'archived' });
    expect(await reasonOf(archived.toolUseId)).toBe('cancelled went_away');
  });

  it('an interrupt cancels all of them, and the session hears each', async () => {
    const ids = [await requests('one'), await requests('two')].map(({ toolUseId }) => toolUseId);
    const { toolUseId: card } = await world.questions.ask(agent.caller, { questions: ask('Beside?') });
    await world.chat.interrupt(world.owner, agent.membership);
    const told: string[] = [];
    for (;;) {
      const action = await nextAction(world, agent.caller.sessionId);
      if (action?.kind !== 'approval_resolved' && action?.kind !== 'question_resolved') break;
      told.push(`${action.kind} ${action.toolUseId}`);
      await hears(action.toolUseId);
      await world.questions.acknowledged(agent.caller.sessionId, [action.toolUseId]);
    }
    expect(told.toSorted()).toEqual(
      [...ids.map((id) => `approval_resolved ${id}`), `question_resolved ${card}`].toSorted(),
    );
  });

  it('a close waits until it is decided and heard', async () => {
    const { toolUseId } = await requests('closing');
    await world.delivery.respond(agent.caller, { content: 'I have asked you.' });
    expect(await world.chat.end(world.owner, { ...agent.membership, viewerId: 'viewer-1' })).toMatchObject({
      ended: 0,
    });
    await decides(toolUseId);
    await world.sweeper.runOnce();
    expect(await nextAction(world, agent.caller.sessionId)).toEqual({ kind: 'approval_resolved', toolUseId });
    await hears(toolUseId);
    await world.sweeper.runOnce();
    expect(await nextAction(world, agent.caller.sessionId)).toMatchObject({ kind: 'exit' });
  });

  it('after a crash the same request finds the same approval, whatever its key is', async () => {
    const { toolUseId } = await requests('crashed', { idempotencyKey: 'before' });
    await crash();
    expect(await seenApprovals(world, agent.membership)).toEqual(['Run crashed pending']);
    const resumed = await resume();
    expect(await requests('crashed', { idempotencyKey: 'after' }, resumed.caller)).toEqual({
      toolUseId,
      status: 'pending',
    });
    // It is the new session's now, and outlives the minute.
    world.clock.advance(61_000);
    await world.coordinator('host-a', [resumed.runId]);
    await world.sessions.touch([resumed.caller.sessionId]);
    await world.sweeper.runOnce();
    await decides(toolUseId);
    expect(await requests('crashed', { idempotencyKey: 'after' }, resumed.caller)).toMatchObject({
      toolUseId,
      status: 'allowed_once',
    });
  });

  it('after a crash nobody takes it over: a minute later it is cancelled', async () => {
    const { toolUseId } = await requests('alone');
    await crash();
    world.clock.advance(30_000);
    await world.coordinator();
    await world.sweeper.runOnce();
    expect(await approvalOf(world, toolUseId)).toMatchObject({ state: 'pending' });
    world.clock.advance(30_000);
    await world.sweeper.runOnce();
    expect(await reasonOf(toolUseId)).toBe('cancelled agent_gone');
  });

  it('what a person decides after the crash wakes the agent, whose next session hears it', async () => {
    const { toolUseId } = await requests('woken');
    await world.delivery.respond(agent.caller, { content: 'I wait for you.' });
    await crash();
    await decides(toolUseId);
    const resumed = await resume();
    expect(await nextAction(world, resumed.caller.sessionId)).toEqual({
      kind: 'approval_resolved',
      toolUseId,
    });
  });

  it('what was decided meanwhile is not told while the successor asks something else: it may ask for it yet', async () => {
    const first = await requests('first', { idempotencyKey: 'before' });
    const second = await requests('second', { idempotencyKey: 'before too' });
    await world.delivery.respond(agent.caller, { content: 'I wait for you.' });
    await crash();
    await decides(first.toolUseId);
    const { caller } = await resume();
    expect(await requests('second', { idempotencyKey: 'after' }, caller)).toEqual(second);
    expect(await nextAction(world, caller.sessionId)).toMatchObject({ kind: 'wait' });
    await decides(second.toolUseId);
    // What it has asked for comes first.
    const { toolUseId } = second;
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'approval_resolved', toolUseId });
    await world.approvals.offer(caller.sessionId, toolUseId);
    await world.approvals.acknowledged(caller.sessionId, [toolUseId]);
    expect(await requests('first', { idempotencyKey: 'after too' }, caller)).toMatchObject({
      toolUseId: first.toolUseId,
      status: 'allowed_once',
    });
  });

  it('what was decided meanwhile counts for 15 minutes, also for a later successor', async () => {
    const asked = ['git push', 'git tag'];
    const [push, tag] = await Promise.all(asked.map((command) => requests(command)));
    await crash();
    for (const one of [push, tag]) await decides(one?.toolUseId ?? '');
    const { caller } = await resume();
    world.clock.advance(14 * 60_000);
    expect(await requests('git tag', { idempotencyKey: 'in time' }, caller)).toMatchObject({
      toolUseId: tag?.toolUseId,
      status: 'allowed_once',
    });
    world.clock.advance(60_000);
    const again = await requests('git push', { idempotencyKey: 'too late' }, caller);
    expect(again).toMatchObject({ status: 'pending' });
    expect(again.toolUseId).not.toBe(push?.toolUseId);
    expect(await approvalOf(world, push?.toolUseId ?? '')).toMatchObject({
      state: 'allowed_once',
      acknowledgedAt: expect.any(Date),
    });
  });

  it('what was decided meanwhile is given to one call of the successor', async () => {
    const { toolUseId } = await requests('once', { idempotencyKey: 'before' });
    await crash();
    await decides(toolUseId);
    const { caller } = await resume();
    const calls = ['a', 'b'].map((idempotencyKey) => requests('once', { idempotencyKey }, caller));
    const [one, other] = await Promise.all(calls);
    const given = [one, other].map((outcome) => outcome?.status).toSorted();
    expect(given).toEqual(['allowed_once', 'pending']);
    // The response was lost: under its key it is read again.
    const again = ['a', 'b'].map((idempotencyKey) => requests('once', { idempotencyKey }, caller));
    expect(await Promise.all(again)).toEqual([one, other]);
  });

  it('a successor takes over no more than a session may have open', async () => {
    for (let n = 0; n < 3; n += 1) await requests(`old ${n}`);
    await crash();
    const resumed = await resume();
    const own = APPROVAL_LIMITS.open - 1;
    for (let n = 0; n < own; n += 1) await requests(`new ${n}`, {}, resumed.caller);
    expect(await requests('old 0', {}, resumed.caller)).toMatchObject({ status: 'pending' });
    expect(await codeOf(requests('old 1', {}, resumed.caller))).toBe('invalid_input');
  });
});

/** The agent's process dies, and its run is reported. */
function crash(): Promise<void> {
  return world.coordination.reportProcessExit({ runId: agent.runId, exitCode: null, signal: 'SIGKILL' });
}

/** Past the backoff after a crash; the Coordinator is still there. */
async function resume() {
  world.clock.advance(2_000);
  await world.coordinator();
  return world.signIn(agent.membership);
}
