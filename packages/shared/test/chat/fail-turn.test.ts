import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { seenApprovals, toRun } from '../approvals/approval-support.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { workingAgent } from '../questions/question-support.ts';
import { COST, post, sumsOf } from '../usage/usage-support.ts';
import { expectInvariants, givenIds, messageOf, nextAction, statusOf, systemLines } from './chat-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const REASON = 'The key was refused. Set another one, and send the message again.';

const batchFor = async (caller: AgentCaller) => (await world.delivery.take(caller)).batchId ?? '';

/** An agent that was given a message, its batch, and what says that it failed. */
async function failing() {
  const membership = await world.agentInProject();
  const { caller } = await world.warmAgent(membership);
  const { id } = await post(world, membership, 'Hello');
  const batchId = await batchFor(caller);
  const fails = (more: object = {}) =>
    world.delivery.respond(caller, { failure: REASON, batchId, idempotencyKey: 'f-1', ...more });
  return { membership, caller, id, batchId, fails };
}

describe('a turn without an answer', () => {
  it('fails its messages with one line, and what is sent again is answered by the same session', async () => {
    const { membership, caller, id, fails } = await failing();
    expect(await fails()).toMatchObject({ message: null, answered: 0 });
    expect(await messageOf(world, id)).toMatchObject({
      state: 'failed',
      failure: { code: 'turn_failed', params: { reason: REASON } },
    });
    expect(await systemLines(world, membership)).toMatchObject([
      { content: REASON, system: { code: 'turn_failed', params: { reason: REASON } } },
    ]);
    expect(await statusOf(world, membership)).toMatchObject({ chatStatus: 'ready' });
    expect((await world.inbox.list(world.owner)).items).toContainEqual(
      expect.objectContaining({ kind: 'failed_message', refId: id }),
    );

    await world.chat.retry(world.owner, { ...membership, messageId: id });
    expect(await nextAction(world, caller.sessionId)).toMatchObject({ kind: 'get_pending_messages' });
    expect(await givenIds(world, caller)).toEqual([id]);
    expect(await world.delivery.respond(caller, { content: 'Hi' })).toMatchObject({ answered: 1 });
    // It was given before, so it is marked, although a person has sent it again.
    expect(await messageOf(world, id)).toMatchObject({ state: 'answered', redelivered: true });
  });

  it('says its line once, however often and at the same time it is reported', async () => {
    const { membership, fails } = await failing();
    await Promise.all([fails(), fails(), fails({ idempotencyKey: 'f-2' }), fails({ usage: COST })]);
    await fails({ idempotencyKey: undefined, usage: COST });
    expect(await systemLines(world, membership)).toHaveLength(1);
  });

  it('keeps what was written before, and counts what it has cost once', async () => {
    const { membership, caller, id, batchId, fails } = await failing();
    await world.delivery.respond(caller, { content: 'The first half', done: false, batchId });
    expect(await messageOf(world, id)).toMatchObject({ state: 'delivered' });
    for (let call = 1; call <= 2; call += 1) await fails({ usage: COST, model: 'm-1' });
    const { messages } = await world.history.list(world.owner, { ...membership, limit: 10 });
    expect(messages.map(({ content }) => content)).toEqual(['Hello', 'The first half', REASON]);
    expect(await sumsOf(world, membership)).toMatchObject([COST]);
  });

  it('leaves what came meanwhile unread', async () => {
    const { membership, caller, fails } = await failing();
    const next = await post(world, membership, 'And this?');
    await fails();
    expect(await messageOf(world, next.id)).toMatchObject({ state: 'stored' });
    expect(await nextAction(world, caller.sessionId)).toMatchObject({ kind: 'get_pending_messages' });
  });

  it('lets a close take effect that waited for it', async () => {
    const { membership, caller, fails } = await failing();
    await world.chat.end(world.owner, { ...membership, viewerId: 'viewer-1' });
    expect(await nextAction(world, caller.sessionId)).not.toMatchObject({ kind: 'exit' });
    await fails();
    expect(await nextAction(world, caller.sessionId)).toMatchObject({ kind: 'exit' });
  });

  it('of an old batch does not fail what was given anew', async () => {
    const { membership, caller, id, fails } = await failing();
    await fails();
    await world.chat.retry(world.owner, { ...membership, messageId: id });
    await batchFor(caller);
    await fails({ idempotencyKey: 'late' });
    expect(await messageOf(world, id)).toMatchObject({ state: 'delivered' });
    expect(await systemLines(world, membership)).toHaveLength(1);
  });

  it('cancels the card that it left open: whoever decided would decide for nobody', async () => {
    const { membership, caller, fails } = await failing();
    await world.approvals.request(caller, toRun('npm test'));
    expect(await statusOf(world, membership)).toMatchObject({ chatStatus: 'waiting_for_person' });
    await fails();
    expect(await seenApprovals(world, membership)).toEqual(['Run npm test cancelled']);
    expect(await statusOf(world, membership)).toMatchObject({ chatStatus: 'ready' });
  });

  it('tells the first result of its key, which counts what failed', async () => {
    const { caller, batchId, fails } = await failing();
    expect(await fails()).toMatchObject({ failed: 1 });
    expect(await fails()).toMatchObject({ failed: 1 });
    const said = await world.delivery.respond(caller, { content: 'Hi', done: false, idempotencyKey: 'a' });
    expect(await world.delivery.respond(caller, { failure: REASON, batchId, idempotencyKey: 'a' })).toEqual({
      ...said,
      failed: 0,
    });
  });

  it('is refused with an answer, for a batch of another session, in a conversation, and after the end', async () => {
    const { caller, batchId, fails } = await failing();
    const other = await workingAgent(world);
    const invalid = { code: 'invalid_input' };
    await expect(fails({ content: 'Hi' })).rejects.toMatchObject(invalid);
    await expect(fails({ done: false })).rejects.toMatchObject(invalid);
    await expect(fails({ messageId: 'mine' })).rejects.toMatchObject(invalid);
    await expect(world.delivery.respond(other.caller, { failure: REASON, batchId })).rejects.toMatchObject({
      code: 'batch_not_found',
    });
    const talks = TalkWorld.on(world);
    const { a, b } = await talks.talking();
    await talks.say(a, b, 'りんご');
    const given = await batchFor(b.caller);
    await expect(world.delivery.respond(b.caller, { failure: REASON, batchId: given })).rejects.toMatchObject(
      invalid,
    );
    // Of the source that was given last, and of one that is named.
    await expect(world.delivery.respond(b.caller, { failure: REASON })).rejects.toMatchObject(invalid);
    const toPartner = { failure: REASON, targetAgentId: a.agentId };
    await expect(world.delivery.respond(b.caller, toPartner)).rejects.toMatchObject(invalid);
    await world.sessions.logout(caller);
    await expect(fails()).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});
