import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expireIdleSession } from '../../src/core/sessions/expire-idle-session.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  givenIds,
  messageOf,
  nextAction,
  rowOf,
  runOf,
  sessionOf,
  statusOf,
} from '../chat/chat-support.ts';

/* What a session's end meets on its way; closing, viewers and force stand in trap-20-close, idleness in sweep. */

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const post = async (membership: WorldAgent, content = 'hi') =>
  (await world.chat.post(world.owner, { ...membership, content })).message;
const start = (membership: WorldAgent) =>
  world.chat.start(world.owner, { ...membership, viewerId: 'viewer-1' });
const close = (membership: WorldAgent) =>
  world.chat.end(world.owner, { ...membership, viewerId: 'viewer-1' });
const stateOf = async (sessionId: string) => (await sessionOf(world, sessionId)).state;

async function warm(membership?: WorldAgent) {
  const chosen = membership ?? (await world.agentInProject());
  return { membership: chosen, ...(await world.warmAgent(chosen)) };
}

describe('a start that meets a session which is ending', () => {
  it('takes the end back as long as nobody was told of it', async () => {
    const { membership, caller } = await warm();
    expect(await close(membership)).toMatchObject({ ended: 1 });
    expect(await start(membership)).toEqual({ status: 'already_active' });
    expect(await stateOf(caller.sessionId)).toBe('active');
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    expect(await rowOf(world, membership)).toBeUndefined();
  });

  it('starts it again when it leaves all the same: the end was on its way', async () => {
    const { membership, caller } = await warm();
    await close(membership);
    await world.sessions.offerEnd(caller.sessionId);
    expect(await start(membership)).toEqual({ status: 'already_active' });
    await world.sessions.logout(caller);
    expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
    expect(await statusOf(world, membership)).toMatchObject({ chatStatus: 'queued' });
  });

  it('starts it again also when its process ends without a logout', async () => {
    const { membership, caller, runId } = await warm();
    await close(membership);
    await world.sessions.offerEnd(caller.sessionId);
    await start(membership);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
  });

  it('starts it again after a second close that was taken back before the agent left', async () => {
    const { membership, caller } = await warm();
    await close(membership);
    await world.sessions.offerEnd(caller.sessionId);
    await start(membership);
    world.clock.advance(1_000);
    await close(membership);
    await start(membership);
    await world.sessions.logout(caller);
    expect(await rowOf(world, membership)).toMatchObject({ startedAt: null });
  });

  it.each(['with a logout', 'without a logout'])(
    'is no crash when a message took the end back and the process ends %s',
    async (how) => {
      const { membership, caller, runId } = await warm();
      await close(membership);
      await world.sessions.offerEnd(caller.sessionId);
      await post(membership);
      if (how === 'with a logout') await world.sessions.logout(caller);
      await world.coordination.reportProcessExit({ runId, exitCode: 0 });
      expect(await runOf(world, runId)).toMatchObject({ exitCause: 'finished' });
      expect(await rowOf(world, membership)).toMatchObject({ startedAt: null, notBefore: null });
    },
  );

  it('starts nothing when nobody looks any more, or when it leaves by itself later', async () => {
    const [unseen, later] = [await warm(), await warm()];
    for (const { membership, caller } of [unseen, later]) {
      await close(membership);
      await world.sessions.offerEnd(caller.sessionId);
      await start(membership);
    }
    await sql`delete from session_viewers where agent_id = ${unseen.membership.agentId}`.execute(
      world.database.db,
    );
    await world.sessions.logout(unseen.caller);
    world.clock.advance(61_000);
    // Somebody still looks.
    await start(later.membership);
    await world.sessions.logout(later.caller);
    for (const { membership } of [unseen, later]) expect(await rowOf(world, membership)).toBeUndefined();
  });

  it('offers a later end without the mark of a repetition', async () => {
    const { membership, caller } = await warm();
    await close(membership);
    await world.sessions.offerEnd(caller.sessionId);
    await start(membership);
    expect(await world.sessions.offerEnd(caller.sessionId)).toBeNull();
    world.clock.advance(1_000);
    await close(membership);
    expect(await world.sessions.offerEnd(caller.sessionId)).toEqual({ repeat: false });
    expect(await world.sessions.offerEnd(caller.sessionId)).toEqual({ repeat: true });
  });

  it('waits for its end once it was told, and then starts anew', async () => {
    const { membership, caller, runId } = await warm();
    await close(membership);
    await world.sessions.acknowledged([caller.sessionId]);
    expect(await start(membership)).toEqual({ status: 'started' });
    expect(await start(membership)).toEqual({ status: 'pending' });
    expect(await statusOf(world, membership)).toMatchObject({
      chatStatus: 'queued',
      reason: 'session_ending',
    });
    const ask = () => world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    expect(await ask()).toEqual({ action: 'hold', reason: 'session_ending' });
    await world.sessions.logout(caller);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    const next = await world.signIn(membership);
    expect(await stateOf(caller.sessionId)).toBe('ended');
    expect(await stateOf(next.caller.sessionId)).toBe('active');
  });
});

it('a message that meets a close: before it was told the session goes on, after that the next one answers', async () => {
  const { membership, caller, runId } = await warm();
  await close(membership);
  const early = await post(membership);
  expect(await stateOf(caller.sessionId)).toBe('active');
  expect(await givenIds(world, caller)).toEqual([early.id]);
  await world.delivery.respond(caller, { content: 'still here' });
  await close(membership);
  await world.sessions.acknowledged([caller.sessionId]);
  const late = await post(membership);
  expect(await rowOf(world, membership)).toMatchObject({ startedAt: null, heldFor: 'session_ending' });
  await world.sessions.logout(caller);
  await world.coordination.reportProcessExit({ runId, exitCode: 0 });
  const next = await world.signIn(membership);
  expect(await givenIds(world, next.caller)).toEqual([late.id]);
  await world.delivery.respond(next.caller, { content: 'here again' });
});

it('whoever goes to another agent ends the first and keeps the second; the same agent elsewhere is untouched', async () => {
  const [first, second] = [await warm(), await warm()];
  await world.agents.update(world.owner, second.membership.agentId, { name: 'Second' });
  await world.projects.putAgent(world.owner, {
    projectId: second.membership.projectId,
    agentId: first.membership.agentId,
  });
  const elsewhere = await warm({ projectId: second.membership.projectId, agentId: first.membership.agentId });
  expect(await close(first.membership)).toEqual({ ended: 1, viewersLeft: 0 });
  expect(await stateOf(first.caller.sessionId)).toBe('terminating');
  for (const { caller } of [second, elsewhere]) expect(await stateOf(caller.sessionId)).toBe('active');
});

it('an open question keeps the session: a close and idleness wait for its answer', async () => {
  const { membership, caller, runId } = await warm();
  await post(membership);
  await world.delivery.take(caller);
  await world.delivery.respond(caller, { content: 'one moment' });
  const questions = [
    {
      question: 'Which colour?',
      header: 'Colour',
      options: [
        { label: 'Red', description: '' },
        { label: 'Blue', description: '' },
      ],
      multiSelect: false,
    },
  ];
  const { toolUseId } = await world.questions.ask(caller, { questions });
  expect(await close(membership)).toEqual({ ended: 0, viewersLeft: 0 });
  await world.sweeper.runOnce();
  expect(await stateOf(caller.sessionId)).toBe('active');
  expect(await statusOf(world, membership)).toMatchObject({ chatStatus: 'waiting_for_person' });
  expect(await expireIdleSession(world.deps, caller.sessionId, 0)).toBe(false);
  await world.questions.answer(world.owner, toolUseId, { '0': '1' });
  await world.sweeper.runOnce();
  expect(await nextAction(world, caller.sessionId)).toMatchObject({ kind: 'question_resolved' });
  await world.questions.acknowledged(caller.sessionId, [toolUseId]);
  await world.sweeper.runOnce();
  expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'exit', reason: 'user_closed_chat' });
  await world.sessions.logout(caller);
  await world.coordination.reportProcessExit({ runId, exitCode: 0 });
});

it('stopped by a person, what it asks is asked no more, in the same breath', async () => {
  const { membership, caller, runId } = await warm();
  await post(membership);
  await world.delivery.take(caller);
  const options = [
    { label: 'Yes', description: '' },
    { label: 'No', description: '' },
  ];
  const { toolUseId } = await world.questions.ask(caller, {
    questions: [{ question: 'Go on?', header: 'Go on', options, multiSelect: false }],
  });
  await world.runs.stop(world.owner, runId);
  expect((await world.questions.byIds([toolUseId])).get(toolUseId)).toMatchObject({ status: 'cancelled' });
  await world.coordination.reportProcessExit({ runId, exitCode: null, signal: 'SIGTERM', cause: 'killed' });
  expect(await rowOf(world, membership)).toBeUndefined();
});

it('a turn of a run past TURN_TIMEOUT_SECONDS: the process is ended, the message goes to the next one', async () => {
  const { membership, caller, runId } = await warm();
  const message = await post(membership);
  await world.delivery.take(caller);
  const since = new Date(world.clock.now().getTime() - 3_600_000);
  await world.database.db
    .updateTable('agentSessions')
    .set({ lastActivityAt: since })
    .where('id', '=', caller.sessionId)
    .execute();
  await world.sweeper.runOnce();
  expect(await runOf(world, runId)).toMatchObject({ exitCause: 'stalled' });
  expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
  expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'exit', reason: 'run_stopped' });
  await world.clock.frozen(async () => {
    await world.coordinator('host-a', [runId]);
    expect((await world.coordination.work('host-a')).stop).toContainEqual({ runId, reason: 'stalled' });
  });
  const next = await world.signIn(membership);
  expect(await givenIds(world, next.caller)).toEqual([message.id]);
  await world.delivery.respond(next.caller, { content: 'quicker now' });
});
