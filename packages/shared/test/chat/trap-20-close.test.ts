import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  beat,
  expectInvariants,
  messageOf,
  nextAction,
  outcomesOf,
  rowOf,
  runOf,
  sessionOf,
  statusOf,
} from './chat-support.ts';

let world: ServiceWorld;
let hanako: Person;
beforeAll(async () => {
  world = await ServiceWorld.create();
  await world.agents.create(world.owner, {
    id: 'hanako',
    name: 'Hanako',
    type: 'human',
    accessLevel: 'member',
  });
  hanako = { id: 'hanako', name: 'Hanako', accessLevel: 'member' };
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

async function warm() {
  const membership = await world.agentInProject();
  await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: hanako.id });
  const signedIn = await world.warmAgent(membership);
  const state = async () => (await sessionOf(world, signedIn.caller.sessionId)).state;
  const open = (viewerId: string, person = world.owner) =>
    world.chat.start(person, { ...membership, viewerId });
  const close = (viewerId?: string, cause: 'closed' | 'unload' = 'closed', person = world.owner) =>
    world.chat.end(person, { ...membership, ...(viewerId !== undefined && { viewerId }), cause });
  return { membership, ...signedIn, state, open, close };
}

const post = async (membership: WorldAgent) =>
  (await world.chat.post(world.owner, { ...membership, content: 'hi' })).message;

describe('trap 20: closing the panel', () => {
  it('with nothing waiting ends the session, once', async () => {
    const { caller, close, state } = await warm();
    expect(await close('viewer-1')).toEqual({ ended: 1, viewersLeft: 0 });
    expect(await close('viewer-1')).toEqual({ ended: 0, viewersLeft: 0 });
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'exit', reason: 'user_closed_chat' });
    await world.sessions.acknowledged([caller.sessionId]);
    expect(await state()).toBe('terminating');
    await world.sessions.logout(caller);
    expect(await state()).toBe('ended');
  });

  it.each(['stored', 'delivered'])(
    'with a %s message keeps the session until it is answered, then it ends',
    async (progress) => {
      const { membership, caller, close, state } = await warm();
      const message = await post(membership);
      if (progress === 'delivered') await world.delivery.take(caller);
      expect(await close('viewer-1')).toEqual({ ended: 0, viewersLeft: 0 });
      expect((await messageOf(world, message.id)).state).toBe(progress);
      if (progress === 'stored') {
        expect(await nextAction(world, caller.sessionId)).toEqual({
          kind: 'get_pending_messages',
          again: false,
        });
        await world.delivery.take(caller);
      }
      await world.delivery.respond(caller, { content: 'one moment', done: false });
      expect(await state()).toBe('active');
      await world.delivery.respond(caller, { content: 'the answer' });
      expect((await messageOf(world, message.id)).state).toBe('answered');
      expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'exit', reason: 'user_closed_chat' });
    },
  );

  it('a message that comes while the close waits is answered too', async () => {
    const { membership, caller, close, state } = await warm();
    await post(membership);
    await world.delivery.take(caller);
    await close('viewer-1');
    const later = await post(membership);
    await world.delivery.respond(caller, { content: 'first' });
    expect(await state()).toBe('active');
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'second' });
    expect((await messageOf(world, later.id)).state).toBe('answered');
    expect(await state()).toBe('terminating');
  });

  it('opened again before the answer, the close is forgotten', async () => {
    const { membership, caller, open, close, state } = await warm();
    await post(membership);
    await world.delivery.take(caller);
    await close('viewer-1');
    expect(await open('viewer-2')).toEqual({ status: 'already_active' });
    await world.delivery.respond(caller, { content: 'the answer' });
    expect(await state()).toBe('active');
  });

  it('the process that answered died before it could settle the close: the sweeper does', async () => {
    const { membership, caller, close, state } = await warm();
    await post(membership);
    await world.delivery.take(caller);
    await close('viewer-1');
    await world.delivery.respond(caller, { content: 'the answer' });
    await world.database.db
      .updateTable('agentSessions')
      .set({ state: 'active', exitAction: null, exitReason: null, terminatingAt: null })
      .where('id', '=', caller.sessionId)
      .execute();
    expect((await world.sweeper.runOnce()).settled).toBe(1);
    expect(await state()).toBe('terminating');
  });

  it('another panel, another person’s too, keeps the session', async () => {
    const { open, close, state } = await warm();
    await open('viewer-2');
    await open('viewer-3', hanako);
    expect(await close('viewer-1')).toEqual({ ended: 0, viewersLeft: 2 });
    expect(await close('viewer-3')).toEqual({ ended: 0, viewersLeft: 2 });
    expect(await close()).toEqual({ ended: 0, viewersLeft: 1 });
    expect(await state()).toBe('active');
    expect(await close('viewer-3', 'closed', hanako)).toEqual({ ended: 1, viewersLeft: 0 });
  });

  it('a panel whose lease ran out does not count at the next end, and ends nothing by itself', async () => {
    const { open, close, state, caller } = await warm();
    await open('viewer-2');
    world.clock.advance(61_000);
    await world.coordinator('host-a', await runningOf(caller.sessionId));
    await world.sweeper.runOnce();
    expect(await state()).toBe('active');
    await world.presence.renewViewer(world.owner, { ...callerMembership(caller), viewerId: 'viewer-1' });
    expect(await close('viewer-1')).toEqual({ ended: 1, viewersLeft: 0 });
  });

  it('a lease lives on by chat calls and by the socket', async () => {
    const { membership, open, close, caller } = await warm();
    await open('viewer-2');
    await open('viewer-3');
    world.clock.advance(50_000);
    await world.coordinator('host-a', await runningOf(caller.sessionId));
    await world.presence.renewViewer(world.owner, { ...membership, viewerId: 'viewer-2' });
    await world.presence.renewViewers(world.owner, { projectId: membership.projectId, viewerId: 'viewer-3' });
    world.clock.advance(50_000);
    await world.coordinator('host-a', await runningOf(caller.sessionId));
    expect(await close('viewer-1')).toEqual({ ended: 0, viewersLeft: 2 });
  });

  it('naming a viewer that never opened the chat makes none', async () => {
    const { membership, close } = await warm();
    await world.presence.renewViewer(world.owner, { ...membership, viewerId: 'nobody' });
    expect(await close('viewer-1')).toEqual({ ended: 1, viewersLeft: 0 });
  });
});

describe('an unload beacon', () => {
  it('counts after ten seconds, not before', async () => {
    const { close, state } = await warm();
    await world.clock.frozen(async () => {
      expect(await close('viewer-1', 'unload')).toEqual({ ended: 0, viewersLeft: 1 });
      world.clock.advance(9_000);
      await world.sweeper.runOnce();
      expect(await state()).toBe('active');
      world.clock.advance(2_000);
      expect((await world.sweeper.runOnce()).closed).toBe(1);
      expect(await state()).toBe('terminating');
    });
  });

  it('is forgotten by a reload', async () => {
    const { open, close, state } = await warm();
    await close('viewer-1', 'unload');
    world.clock.advance(5_000);
    expect(await open('viewer-1')).toEqual({ status: 'already_active' });
    world.clock.advance(10_000);
    await world.sweeper.runOnce();
    expect(await state()).toBe('active');
  });

  it('of a panel whose lease ran out waits its ten seconds as well', async () => {
    const { close, state, caller } = await warm();
    world.clock.advance(61_000);
    await world.coordinator('host-a', await runningOf(caller.sessionId));
    expect(await close('viewer-1', 'unload')).toEqual({ ended: 0, viewersLeft: 1 });
    expect(await state()).toBe('active');
    world.clock.advance(10_000);
    await world.sweeper.runOnce();
    expect(await state()).toBe('terminating');
  });

  it('with an unanswered message ends the session after the answer', async () => {
    const { membership, caller, close, state } = await warm();
    await post(membership);
    await world.delivery.take(caller);
    await close('viewer-1', 'unload');
    world.clock.advance(10_000);
    await world.sweeper.runOnce();
    expect(await state()).toBe('active');
    await world.delivery.respond(caller, { content: 'the answer' });
    expect(await state()).toBe('terminating');
  });
});

describe('ended by a person', () => {
  it('at once, busy or looked at; what waits is failed, nothing starts by itself, retry works', async () => {
    const { membership, caller, runId, open, state } = await warm();
    await open('viewer-2', hanako);
    const held = await post(membership);
    await world.delivery.take(caller);
    const waiting = await post(membership);
    const end = () => world.chat.end(world.owner, { ...membership, force: true });
    expect(await end()).toEqual({ ended: 1, viewersLeft: 1 });
    expect(await end()).toEqual({ ended: 0, viewersLeft: 1 });
    expect(await state()).toBe('terminating');
    for (const message of [held, waiting])
      expect(await messageOf(world, message.id)).toMatchObject({
        state: 'failed',
        failure: { code: 'stopped_by_person' },
      });
    expect(await beat(world, caller)).toEqual({ control: 'stop', repeat: false });
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'exit', reason: 'force_ended' });
    await world.sessions.acknowledged([caller.sessionId]);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    expect((await runOf(world, runId)).exitCause).toBe('finished');
    await world.sweeper.runOnce();
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await statusOf(world, membership)).toMatchObject({ chat: 0, chatStatus: 'none' });
    await world.chat.retry(world.owner, { ...membership, messageId: held.id });
    expect(await rowOf(world, membership)).toMatchObject({ openedBy: 'owner', startedAt: null });
    const next = await world.signIn(membership);
    expect((await world.delivery.take(next.caller)).pendingMessages.map(({ id }) => id)).toEqual([held.id]);
    expect((await messageOf(world, waiting.id)).state).toBe('failed');
  });

  it('while it is being started: the start is withdrawn and its run stopped', async () => {
    const membership = await world.agentInProject();
    await world.coordinator();
    await world.chat.start(world.owner, { ...membership, viewerId: 'v' });
    const start = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    if (start.action !== 'start') throw new Error('held');
    const { message } = await world.chat.post(world.owner, { ...membership, content: 'hi' });
    await world.chat.end(world.owner, { ...membership, force: true });
    expect((await messageOf(world, message.id)).state).toBe('failed');
    expect((await world.coordination.work('host-a')).stop).toContainEqual({
      runId: start.runId,
      reason: 'stopped_by_person',
    });
    await world.coordination.reportProcessExit({ runId: start.runId, exitCode: null, signal: 'SIGTERM' });
    await world.sweeper.runOnce();
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await outcomesOf(world, membership)).toEqual(['expired']);
  });
});

describe('interrupt and new context', () => {
  it('interrupt reaches the turn that holds a message, and the answer clears it', async () => {
    const { membership, caller } = await warm();
    await world.chat.interrupt(world.owner, membership);
    expect(await beat(world, caller)).toBeNull();
    const message = await post(membership);
    await world.delivery.take(caller);
    await world.chat.interrupt(world.owner, membership);
    expect(await beat(world, caller, 'writing')).toEqual({ control: 'interrupt', repeat: false });
    expect((await messageOf(world, message.id)).state).toBe('delivered');
    // Once in a turn, however often it beats and the person clicks.
    await world.chat.interrupt(world.owner, membership);
    expect(await beat(world, caller, 'writing')).toBeNull();
    await world.delivery.respond(caller, { content: 'as far as I came' });
    expect(await beat(world, caller)).toBeNull();
    // The next turn has an interrupt of its own.
    await post(membership);
    await world.delivery.take(caller);
    await world.chat.interrupt(world.owner, membership);
    expect(await beat(world, caller)).toEqual({ control: 'interrupt', repeat: false });
    await world.delivery.respond(caller, { content: 'again' });
  });

  it('an interrupt that was offered and not seen to arrive comes again, marked', async () => {
    const { membership, caller } = await warm();
    await post(membership);
    await world.delivery.take(caller);
    await world.chat.interrupt(world.owner, membership);
    await world.sessions.offerControl(caller.sessionId, 'interrupt');
    expect(await beat(world, caller)).toEqual({ control: 'interrupt', repeat: true });
    expect(await beat(world, caller)).toBeNull();
    await world.delivery.respond(caller, { content: 'ok' });
  });

  it('a new context ends the session, the next one gets what waited', async () => {
    const { membership, caller, runId } = await warm();
    const message = await post(membership);
    await world.delivery.take(caller);
    await world.chat.newContext(world.owner, membership);
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'exit', reason: 'new_context' });
    expect(await world.coordination.getAgentAction(membership)).toEqual({
      action: 'hold',
      reason: 'already_running',
    });
    await world.sessions.acknowledged([caller.sessionId]);
    expect(await world.coordination.getAgentAction(membership)).toEqual({
      action: 'hold',
      reason: 'session_ending',
    });
    await world.sessions.logout(caller);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
    const next = await world.signIn(membership);
    expect((await world.delivery.take(next.caller)).pendingMessages).toMatchObject([
      { id: message.id, redelivered: true },
    ]);
  });

  it('the sign-in says since when the context is, also when nobody ran as a fresh one was asked for', async () => {
    const membership = await world.agentInProject();
    const live = async () => {
      const { caller, runId, contextSince } = await world.warmAgent(membership);
      await world.sessions.logout(caller);
      await world.coordination.reportProcessExit({ runId, exitCode: 0 });
      return contextSince;
    };
    const first = await live();
    expect(Date.parse(first ?? '')).not.toBeNaN();
    expect(await live()).toBe(first);
    await world.chat.newContext(world.owner, membership);
    const second = await live();
    expect(Date.parse(second ?? '')).toBeGreaterThan(Date.parse(first ?? ''));
    expect(await live()).toBe(second);
  });
});

async function runningOf(sessionId: string): Promise<string[]> {
  const { runId } = await sessionOf(world, sessionId);
  return runId === null ? [] : [runId];
}

function callerMembership(caller: WorldAgent): WorldAgent {
  return { projectId: caller.projectId, agentId: caller.agentId };
}
