import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { expectInvariants, messageOf } from './chat-support.ts';

/** An answer names the retrieval that it has used. */
let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

async function holding(content: string) {
  const membership = await world.agentInProject();
  const { caller } = await world.warmAgent(membership, `host-${membership.agentId}`);
  await world.chat.post(world.owner, { ...membership, content });
  const { batchId } = await world.delivery.take(caller);
  return { membership, caller, batchId: batchId ?? '' };
}

it('the answer to a batch carries what was recalled for it', async () => {
  const { caller, batchId } = await holding('my cat?');
  await world.delivery.noteRetrieval(caller, { runId: 'ret_1', batchId });
  const { message } = await world.delivery.respond(caller, { content: 'Momo', batchId });
  expect(message).toMatchObject({ content: 'Momo', retrievalRunId: 'ret_1' });
  expect(await messageOf(world, message?.id ?? '')).toMatchObject({ retrievalRunId: 'ret_1' });
});

it('also one that grew, and one that cost something', async () => {
  const { caller, batchId } = await holding('my cat?');
  await world.delivery.noteRetrieval(caller, { runId: 'ret_1', batchId });
  const usage = { inputTokens: 1, outputTokens: 1, durationMs: 1 };
  const { message } = await world.delivery.respond(caller, { content: 'Momo', batchId, usage });
  expect(await messageOf(world, message?.id ?? '')).toMatchObject({ retrievalRunId: 'ret_1' });
});

it('an agent that names no batch has recalled for the one that it was given last', async () => {
  const { caller, batchId } = await holding('my cat?');
  await world.delivery.noteRetrieval(caller, { runId: 'ret_1', batchId });
  await world.delivery.noteRetrieval(caller, { runId: 'ret_2' });
  const { message } = await world.delivery.respond(caller, { content: 'Momo' });
  expect(message).toMatchObject({ retrievalRunId: 'ret_2' });
});

it('the next answer carries nothing: what is recalled after an answer is for what comes', async () => {
  const { membership, caller, batchId } = await holding('my cat?');
  await world.delivery.noteRetrieval(caller, { runId: 'ret_1', batchId });
  await world.delivery.respond(caller, { content: 'Momo', batchId });
  await world.delivery.noteRetrieval(caller, { runId: 'ret_2' });
  await world.chat.post(world.owner, { ...membership, content: 'thanks' });
  await world.delivery.take(caller);
  const { message } = await world.delivery.respond(caller, { content: 'You are welcome' });
  expect(message).not.toHaveProperty('retrievalRunId');
});

it('a batch of another session is not touched', async () => {
  const { caller, batchId } = await holding('my cat?');
  const { caller: stranger } = await holding('my dog?');
  await world.delivery.noteRetrieval(stranger, { runId: 'ret_1', batchId });
  const { message } = await world.delivery.respond(caller, { content: 'Momo', batchId });
  expect(message).not.toHaveProperty('retrievalRunId');
});

it('an answer to another agent carries it, too', async () => {
  const talks = TalkWorld.on(world);
  const { a, b } = await talks.talking();
  await talks.say(a, b, 'the deadline?');
  const { batchId } = await world.delivery.take(b.caller);
  await world.delivery.noteRetrieval(b.caller, { runId: 'ret_1', batchId: batchId ?? '' });
  const { message } = await world.delivery.respond(b.caller, { content: 'May', batchId: batchId ?? '' });
  expect(message).toMatchObject({ retrievalRunId: 'ret_1' });
});
