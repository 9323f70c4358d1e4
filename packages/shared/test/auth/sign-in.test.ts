import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSecret } from '../../src/platform/ids.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  messageOf,
  nextAction,
  outcomesOf,
  rowOf,
  runOf,
  sessionOf,
  statusOf,
  systemLines,
  takeStart,
} from '../chat/chat-support.ts';
import { ORIGIN } from './people-support.ts';

const HERE = { address: '127.0.0.1' };
const TTL_MS = 300_000;
let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
  await world.coordinator();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

async function started(options: { credential?: boolean } = {}) {
  const membership = await world.agentInProject(options);
  await world.coordinator();
  await world.chat.start(world.owner, { ...membership, viewerId: 'v' });
  const start = await takeStart(world, membership);
  return { membership, start, ticket: start.ticket ?? '' };
}

async function passkeyOf(membership: WorldAgent): Promise<string> {
  const { passkey } = await world.agents.setPasskey(world.owner, membership.agentId, {});
  return passkey;
}

const signIn = (input: Partial<Parameters<typeof world.sessions.authenticate>[0]>) =>
  world.sessions.authenticate({ ...HERE, ...input });

describe('sign-in by ticket', () => {
  it('opens the session of its run and takes the wake-up', async () => {
    const { membership, start, ticket } = await started();
    const result = await signIn({ bearer: ticket });
    expect(result).toMatchObject({ success: true, purpose: 'chat', agentName: 'Worker' });
    expect(result).not.toHaveProperty('sessionToken');
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await outcomesOf(world, membership)).toEqual(['authenticated']);
    expect((await runOf(world, start.runId)).state).toBe('running');
    expect((await world.sessions.resolve(ticket)).live).toBe(true);
  });

  it('again before its first other call gives the same session, later exit', async () => {
    const { ticket } = await started();
    const first = await signIn({ bearer: ticket });
    expect(await signIn({ bearer: ticket })).toEqual(first);
    const caller = await world.sessions.resolve(ticket);
    expect(first).toMatchObject({ sessionId: caller.sessionId });
    expect(await signIn({ bearer: ticket })).toMatchObject({ success: false });
    expect((await world.sessions.resolve(ticket)).live).toBe(true);
  });

  it('a program that has a ticket may name itself as well; what it names must be right', async () => {
    const { membership, ticket } = await started();
    const { agentId, projectId } = membership;
    const other = await world.agentInProject();
    expect(await signIn({ bearer: ticket, agentId: other.agentId, projectId })).toMatchObject({
      success: false,
    });
    expect(await signIn({ bearer: ticket, agentId, passkey: '' })).toMatchObject({ success: false });
    expect(await signIn({ bearer: ticket, agentId, projectId })).toMatchObject({ success: true });
  });

  it('two at once with one ticket are one session', async () => {
    const { ticket } = await started();
    const results = await Promise.all([signIn({ bearer: ticket }), signIn({ bearer: ticket })]);
    expect(results[0]).toMatchObject({ success: true });
    expect(results[1]).toEqual(results[0]);
  });

  it('refuses what is no ticket, a stopped run’s and a finished run’s', async () => {
    expect(await signIn({ bearer: newSecret() })).toMatchObject({ success: false });
    expect(await signIn({})).toMatchObject({ success: false });
    const stopped = await started();
    await world.chat.end(world.owner, { ...stopped.membership, force: true });
    expect(await signIn({ bearer: stopped.ticket })).toMatchObject({ success: false });
    const gone = await started();
    await world.coordination.reportProcessExit({ runId: gone.start.runId, exitCode: 1 });
    expect(await signIn({ bearer: gone.ticket })).toMatchObject({ success: false });
  });

  it('refuses the ticket of an earlier start, and takes the one of the present start', async () => {
    const { membership, start, ticket } = await started();
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 1 });
    world.clock.advance(1_000);
    const again = await takeStart(world, membership);
    expect(await signIn({ bearer: ticket })).toMatchObject({ success: false });
    expect(await signIn({ bearer: again.ticket ?? '' })).toMatchObject({ success: true });
  });

  it('too late it hears exit, and the expiry is told at that moment, swept or not', async () => {
    const { membership, ticket, start } = await started();
    const { message } = await world.chat.post(world.owner, { ...membership, content: 'anyone?' });
    world.clock.advance(TTL_MS);
    expect(await signIn({ bearer: ticket })).toMatchObject({ success: false });
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await messageOf(world, message.id)).toMatchObject({
      state: 'failed',
      failure: { code: 'timeout' },
    });
    expect((await systemLines(world, membership)).map(({ system }) => system?.code)).toEqual([
      'timeout_no_sign_in',
    ]);
    expect((await runOf(world, start.runId)).stopReason).toBe('timeout');
  });

  it('a program that passes its ticket where the seed has the passkey gets a session and its token', async () => {
    const { membership, ticket } = await started();
    const result = await signIn({ ...membership, passkey: ticket });
    expect(result).toMatchObject({ success: true, sessionToken: ticket });
    expect((await world.sessions.resolve(ticket)).agentId).toBe(membership.agentId);
    const other = await started();
    expect(
      await signIn({ agentId: membership.agentId, projectId: membership.projectId, passkey: other.ticket }),
    ).toMatchObject({
      success: false,
    });
    expect(await rowOf(world, other.membership)).toBeDefined();
  });
});

describe('sign-in by passkey', () => {
  it('takes the waiting row; the run that was started for it is stopped, and its end touches nothing', async () => {
    const { membership, start, ticket } = await started();
    const passkey = await passkeyOf(membership);
    const { message } = await world.chat.post(world.owner, { ...membership, content: 'hi' });
    const result = await signIn({ ...membership, passkey });
    if (!result.success || result.sessionToken === undefined) throw new Error('refused');
    expect(await rowOf(world, membership)).toBeUndefined();
    expect((await world.coordination.work('host-a')).stop).toContainEqual({
      runId: start.runId,
      reason: 'superseded',
    });
    expect(await signIn({ bearer: ticket })).toMatchObject({ success: false });
    const caller = await world.sessions.resolve(result.sessionToken);
    await world.delivery.take(caller);
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: null, signal: 'SIGTERM' });
    expect((await runOf(world, start.runId)).exitCause).toBe('killed');
    expect((await sessionOf(world, caller.sessionId)).state).toBe('active');
    expect((await messageOf(world, message.id)).state).toBe('delivered');
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await systemLines(world, membership)).toEqual([]);
  });

  it('without a waiting row it opens a chat', async () => {
    const membership = await world.agentInProject();
    expect(await signIn({ ...membership, passkey: await passkeyOf(membership) })).toMatchObject({
      success: true,
      purpose: 'chat',
    });
  });

  it('is refused while a session lives, unless it replaces', async () => {
    const membership = await world.agentInProject();
    const { caller: old, runId } = await world.warmAgent(membership);
    const { message } = await world.chat.post(world.owner, { ...membership, content: 'hi' });
    await world.delivery.take(old);
    const passkey = await passkeyOf(membership);
    expect(await signIn({ ...membership, passkey })).toMatchObject({
      success: false,
      code: 'session_exists',
    });
    expect((await sessionOf(world, old.sessionId)).state).toBe('active');
    const result = await signIn({ ...membership, passkey, replace: true });
    if (!result.success || result.sessionToken === undefined) throw new Error('refused');
    expect(await nextAction(world, old.sessionId)).toEqual({ kind: 'exit', reason: 'replaced' });
    expect((await world.coordination.work('host-a')).stop).toContainEqual({ runId, reason: 'replaced' });
    const next = await world.sessions.resolve(result.sessionToken);
    expect((await world.delivery.take(next)).pendingMessages).toMatchObject([
      { id: message.id, redelivered: true },
    ]);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    expect((await sessionOf(world, next.sessionId)).state).toBe('active');
    expect((await messageOf(world, message.id)).state).toBe('delivered');
  });

  it('two at once: one session', async () => {
    const membership = await world.agentInProject();
    const passkey = await passkeyOf(membership);
    const results = await Promise.all([1, 2, 3].map(() => signIn({ ...membership, passkey })));
    expect(results.filter(({ success }) => success)).toHaveLength(1);
    expect(results.filter((result) => !result.success && result.code === 'session_exists')).toHaveLength(2);
  });

  it('is refused with one text for everything that is wrong', async () => {
    const membership = await world.agentInProject();
    const bare = await world.agentInProject({ credential: false });
    const stranger = await world.agentInProject();
    const passkey = await passkeyOf(membership);
    const results = [
      await signIn({ ...membership, passkey: 'wrong-wrong' }),
      await signIn({ ...membership, passkey: '' }),
      await signIn({ ...membership }),
      await signIn({ ...membership, agentId: 'agt_none', passkey }),
      await signIn({ ...membership, projectId: stranger.projectId, passkey }),
      await signIn({ ...membership, projectId: 'prj_none', passkey }),
      await signIn({ agentId: membership.agentId, passkey }),
      await signIn({ ...bare, passkey }),
      await signIn({ ...membership, agentId: 'agt\0', passkey }),
      await signIn({ ...membership, projectId: 'prj\0', passkey }),
      await signIn({ ...membership, agentId: 'owner', passkey }),
    ];
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(results[0]).toMatchObject({ success: false });
    expect(results[0]).not.toHaveProperty('code');
  });

  it('a refused one leaves the row, shows it at once, and is no reason to start again (UC010)', async () => {
    const { membership, start } = await started();
    expect(await signIn({ ...membership, passkey: 'wrong-wrong' })).toMatchObject({ success: false });
    expect(await statusOf(world, membership)).toMatchObject({
      chatStatus: 'failed',
      reason: 'sign_in_refused',
    });
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: 1 });
    expect(await rowOf(world, membership)).toMatchObject({ runId: start.runId });
    expect(await world.coordination.getAgentAction(membership)).toEqual({
      action: 'hold',
      reason: 'spawn_in_progress',
    });
    expect(await signIn({ ...membership, passkey: await passkeyOf(membership) })).toMatchObject({
      success: true,
    });
    expect(await rowOf(world, membership)).toBeUndefined();
  });
});

describe('UC010: an agent without credential', () => {
  it('the six checks of the seed', async () => {
    const membership = await world.agentInProject({ credential: false });
    const { message } = await world.chat.post(world.owner, { ...membership, content: '進捗を教えて' });
    // 1 start, without a ticket
    const start = await takeStart(world, membership);
    expect(start.ticket).toBeNull();
    // 2, 3 the sign-in is refused
    expect(await signIn({ ...membership, passkey: 'wrong-wrong' })).toMatchObject({ success: false });
    expect(await world.coordination.getAgentAction(membership)).toEqual({
      action: 'hold',
      reason: 'spawn_in_progress',
    });
    // 4 after the TTL: hold, with the expiry on the way
    world.clock.advance(TTL_MS);
    expect(await world.coordination.getAgentAction(membership)).toEqual({
      action: 'hold',
      reason: 'no_pending_work',
    });
    // 5 the chat says so
    const lines = await systemLines(world, membership);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.id).toMatch(/^sys_/);
    expect(lines[0]?.content).toContain('タイムアウト');
    expect(lines[0]?.content).toContain('認証情報がありません');
    expect(lines[0]?.content).toContain('5分');
    // 6 the row is gone
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await outcomesOf(world, membership)).toEqual(['expired']);
    expect(await messageOf(world, message.id)).toMatchObject({
      state: 'failed',
      failure: { code: 'timeout' },
    });
    expect(await statusOf(world, membership)).toMatchObject({
      chatStatus: 'failed',
      reason: 'timeout_no_credential',
    });
  });
});

describe('trap 9: a person is no agent session', () => {
  it('a login token opens no session, and a person’s passkey signs no agent in', async () => {
    const membership = await world.agentInProject();
    await world.agents.create(world.owner, {
      id: 'hanako',
      name: 'Hanako',
      type: 'human',
      accessLevel: 'owner',
    });
    const { passkey } = await world.agents.setPasskey(world.owner, 'hanako', {});
    const { token } = await world.auth.login({ agentId: 'hanako', passkey }, ORIGIN);
    await expect(world.sessions.resolve(token)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await signIn({ bearer: token })).toMatchObject({ success: false });
    expect(await signIn({ agentId: 'hanako', projectId: membership.projectId, passkey })).toMatchObject({
      success: false,
    });
    await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: 'hanako' });
    expect(await signIn({ agentId: 'hanako', projectId: membership.projectId, passkey })).toMatchObject({
      success: false,
    });
    expect(await world.presence.agentSessions(world.owner, membership.projectId)).toEqual({
      [membership.agentId]: expect.objectContaining({ chat: 0, task: 0 }),
    });
    const { rows } = await sql`select from agent_sessions where agent_id = 'hanako'`.execute(
      world.database.db,
    );
    expect(rows).toHaveLength(0);
  });
});

describe('the bearer of a session that ended', () => {
  it('is answered with the end for ten minutes, then it is nobody’s', async () => {
    const membership = await world.agentInProject();
    const { caller, ticket } = await world.warmAgent(membership);
    await world.sessions.logout(caller);
    await world.sessions.logout(caller);
    expect(await world.sessions.resolve(ticket)).toMatchObject({ sessionId: caller.sessionId, live: false });
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'logout', reason: 'session_timeout' });
    world.clock.advance(9 * 60_000);
    expect((await world.sessions.resolve(ticket)).live).toBe(false);
    world.clock.advance(61_000);
    await expect(world.sessions.resolve(ticket)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await signIn({ bearer: ticket })).toMatchObject({ success: false });
    await expect(world.sessions.resolve('nonsense')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('is told its end once without a mark, then marked', async () => {
    const membership = await world.agentInProject();
    const { caller } = await world.warmAgent(membership);
    expect(await world.sessions.offerEnd(caller.sessionId)).toBeNull();
    await world.chat.end(world.owner, { ...membership, force: true });
    expect(await world.sessions.offerEnd(caller.sessionId)).toEqual({ repeat: false });
    expect(await world.sessions.offerEnd(caller.sessionId)).toEqual({ repeat: true });
    await world.sessions.acknowledged([caller.sessionId, caller.sessionId]);
    expect(await world.sessions.offerEnd(caller.sessionId)).toEqual({ repeat: true });
    expect(await checkInvariants(world.database)).toEqual([]);
  });
});
