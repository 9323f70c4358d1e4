import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  messageOf,
  rowOf,
  runOf,
  statusOf,
  systemLines,
  takeStart,
} from '../chat/chat-support.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
beforeEach(() => world.coordinator());
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

/** An agent that is started only when there is work. */
async function perWorkAgent(options: { credential?: boolean } = {}): Promise<WorldAgent> {
  const membership = await world.agentInProject(options);
  await setMode(membership, 'per_work');
  return membership;
}
const setMode = ({ agentId }: WorldAgent, mode: 'resident' | 'per_work') =>
  world.agents.update(world.owner, agentId, {
    provider: 'command',
    command: { file: 'agent', args: [], mode },
  });
const post = async (membership: WorldAgent, content = 'hi') =>
  (await world.chat.post(world.owner, { ...membership, content })).message;
const open = (membership: WorldAgent) =>
  world.chat.start(world.owner, { ...membership, viewerId: 'viewer-1' });
const exit = (runId: string, exitCode = 0) => world.coordination.reportProcessExit({ runId, exitCode });
const codesOf = async (membership: WorldAgent) =>
  (await systemLines(world, membership)).map(({ system }) => system?.code);
/** How long after the end of this run the next start has to wait; undefined: there is no wake-up. */
async function backoffOf(membership: WorldAgent, runId: string): Promise<number | undefined> {
  const [row, run] = [await rowOf(world, membership), await runOf(world, runId)];
  return row && (row.notBefore?.getTime() ?? 0) - (run.endedAt?.getTime() ?? 0);
}

describe('opening the chat', () => {
  it('starts nothing and leaves no wake-up while no message waits', async () => {
    const membership = await perWorkAgent();
    expect(await open(membership)).toEqual({ status: 'already_active' });
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await statusOf(world, membership)).toMatchObject({
      chat: 0,
      chatStatus: 'none',
      reason: 'starts_with_message',
    });
    await world.chat.newContext(world.owner, membership);
    expect(await rowOf(world, membership)).toBeUndefined();
    expect((await world.history.list(world.owner, { ...membership, limit: 10 })).totalCount).toBe(0);
    // The viewer is counted all the same.
    expect(await world.chat.end(world.owner, { ...membership, viewerId: 'viewer-2' })).toEqual({
      ended: 0,
      viewersLeft: 1,
    });
  });

  it('says what the first message would lack', async () => {
    const membership = await perWorkAgent({ credential: false });
    expect(await open(membership)).toEqual({ status: 'already_active', warning: 'no_credential' });
  });

  it('does not differ while a message waits, nor for a resident agent', async () => {
    const membership = await perWorkAgent();
    await post(membership);
    expect(await open(membership)).toEqual({ status: 'pending' });
    const { runId, caller } = await world.signIn(membership);
    expect(await open(membership)).toEqual({ status: 'already_active' });
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'ok' });
    await exit(runId);
    await setMode(membership, 'resident');
    expect(await open(membership)).toEqual({ status: 'started' });
  });
});

describe('a process that ends with exit code 0', () => {
  it('after it has answered: no failure, no wake-up, no session', async () => {
    const membership = await perWorkAgent();
    const message = await post(membership);
    const { runId, caller } = await world.signIn(membership);
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'ok' });
    await exit(runId);
    expect((await runOf(world, runId)).exitCause).toBe('finished');
    expect((await messageOf(world, message.id)).state).toBe('answered');
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await codesOf(membership)).toEqual([]);
    expect(await statusOf(world, membership)).toMatchObject({ chat: 0, chatStatus: 'none' });
  });

  it.each(['before', 'after'])(
    '%s its logout: a message that came late starts it again at once',
    async (when) => {
      const membership = await perWorkAgent();
      await post(membership, 'first');
      const { runId, caller } = await world.signIn(membership);
      await world.delivery.take(caller);
      await world.delivery.respond(caller, { content: 'ok' });
      if (when === 'after') await world.sessions.logout(caller);
      const late = await post(membership, 'late');
      if (when === 'before') await world.sessions.logout(caller);
      await exit(runId);
      expect((await runOf(world, runId)).exitCause).toBe('finished');
      expect(await rowOf(world, membership)).toMatchObject({ notBefore: null, startedAt: null });
      const next = await world.signIn(membership);
      await world.delivery.take(next.caller);
      await world.delivery.respond(next.caller, { content: 'ok' });
      await exit(next.runId);
      expect((await messageOf(world, late.id)).state).toBe('answered');
    },
  );

  it('without a logout: what it has not read starts it again at once', async () => {
    const membership = await perWorkAgent();
    await post(membership, 'first');
    const { runId, caller } = await world.signIn(membership);
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'ok' });
    await post(membership, 'late');
    await exit(runId);
    expect((await runOf(world, runId)).exitCause).toBe('finished');
    expect(await rowOf(world, membership)).toMatchObject({ notBefore: null, startedAt: null });
  });

  it('without having read: as a crash, and the third time in a row the chat says what to do', async () => {
    const membership = await perWorkAgent();
    const message = await post(membership);
    for (const waitMs of [1_000, 2_000, undefined]) {
      const { runId } = await world.signIn(membership);
      await exit(runId);
      expect((await runOf(world, runId)).exitCause).toBe('crashed');
      expect(await backoffOf(membership, runId)).toBe(waitMs);
      world.clock.advance(waitMs ?? 0);
    }
    expect(await codesOf(membership)).toEqual(['agent_left_unanswered']);
    expect((await messageOf(world, message.id)).failure?.code).toBe('agent_crashed');
  });

  it('after a logout without having read: not even the time between logout and exit is a loop', async () => {
    await world.clock.frozen(async () => {
      const membership = await perWorkAgent();
      const message = await post(membership);
      for (const waitMs of [1_000, 2_000, undefined]) {
        const { runId, caller } = await world.signIn(membership);
        await world.sessions.logout(caller);
        const action = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
        expect(action).toEqual({ action: 'hold', reason: 'cooling_down' });
        await exit(runId);
        expect((await runOf(world, runId)).exitCause).toBe('crashed');
        expect(await backoffOf(membership, runId)).toBe(waitMs);
        world.clock.advance(waitMs ?? 0);
      }
      expect(await codesOf(membership)).toEqual(['agent_left_unanswered']);
      expect((await messageOf(world, message.id)).state).toBe('failed');
    });
  });

  it('without having signed in (no MCP server): three starts, then the chat says what to do', async () => {
    const membership = await perWorkAgent();
    const message = await post(membership);
    for (let start = 0; start < 3; start += 1) {
      const { runId } = await takeStart(world, membership);
      await exit(runId);
      world.clock.advance(2_000);
    }
    expect(await codesOf(membership)).toEqual(['agent_never_signed_in']);
    expect((await messageOf(world, message.id)).failure?.code).toBe('agent_crashed');
    // Opening the chat again starts nothing: Retry does.
    expect(await open(membership)).toEqual({ status: 'already_active' });
    await world.chat.retry(world.owner, { ...membership, messageId: message.id });
    expect(await rowOf(world, membership)).toBeDefined();
  });

  it('with a message that it fetched and did not answer: as a crash, the message goes to the next', async () => {
    const membership = await perWorkAgent();
    const message = await post(membership);
    const { runId, caller } = await world.signIn(membership);
    await world.delivery.take(caller);
    await exit(runId);
    expect((await runOf(world, runId)).exitCause).toBe('crashed');
    expect(await messageOf(world, message.id)).toMatchObject({ state: 'stored', redelivered: true });
    expect(await backoffOf(membership, runId)).toBe(1_000);
  });
});

it('another exit code is a crash as for a resident agent', async () => {
  const membership = await perWorkAgent();
  await post(membership);
  const { runId, caller } = await world.signIn(membership);
  await world.delivery.take(caller);
  await world.delivery.respond(caller, { content: 'ok' });
  await post(membership, 'late');
  await exit(runId, 3);
  expect((await runOf(world, runId)).exitCause).toBe('crashed');
  expect(await backoffOf(membership, runId)).toBe(1_000);
});

it('a conversation starts it for each message of the partner, and not between them', async () => {
  const talks = TalkWorld.on(world);
  const membership = await perWorkAgent();
  const partner = await talks.warm(await world.colleague(membership));
  const { conversation } = await world.talks.start(partner.caller, {
    targetAgentId: membership.agentId,
    initialMessage: 'hello',
  });
  const conversationId = conversation.id;
  const answer = async () => {
    const { runId, caller } = await world.signIn(membership);
    const given = await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'hello too', conversationId });
    await exit(runId);
    expect((await runOf(world, runId)).exitCause).toBe('finished');
    expect(await rowOf(world, membership)).toBeUndefined();
    return given.pendingMessages.map(({ content }) => content);
  };
  expect(await answer()).toEqual(['hello']);
  await world.delivery.take(partner.caller);
  await world.delivery.respond(partner.caller, { content: 'and?', conversationId });
  expect(await answer()).toEqual(['and?']);
});

it('a schedule starts it', async () => {
  const membership = await perWorkAgent();
  const schedule = await world.schedules.create(world.owner, membership.projectId, {
    agentId: membership.agentId,
    cron: '0 9 * * *',
    timeZone: 'UTC',
    prompt: 'Report.',
    enabled: true,
    onMissed: 'skip',
  });
  await world.schedules.run(world.owner, schedule.id);
  const { runId, caller } = await world.signIn(membership);
  expect((await world.delivery.take(caller)).pendingMessages.map(({ content }) => content)).toEqual([
    'Report.',
  ]);
  await world.delivery.respond(caller, { content: 'done' });
  await exit(runId);
  expect((await runOf(world, runId)).exitCause).toBe('finished');
});
