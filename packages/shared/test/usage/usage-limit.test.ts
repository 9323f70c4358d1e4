import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endOfDay } from '../../src/core/usage/rules/local-day.ts';
import { refuseOverLimit } from '../../src/core/wake-ups/refuse-over-limit.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  givenIds,
  messageOf,
  nextAction,
  rowOf,
  statusOf,
  systemLines,
} from '../chat/chat-support.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { taskInProgress, waitingFor, wakeFor } from '../tasks/task-work-support.ts';
import { answered, COST, elsewhere, post, warm, worldAtNoon } from './usage-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await worldAtNoon();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const SPENT = COST.inputTokens + COST.outputTokens;

function limit(agentId: string, dailyTokenLimit: number | null) {
  return world.agents.update(world.owner, agentId, { dailyTokenLimit });
}

/** A warm agent that has used its tokens of today with one answer. */
async function spent() {
  const agent = await warm(world);
  await limit(agent.membership.agentId, SPENT);
  await answered(world, agent);
  return agent;
}

const linesOf = async (membership: WorldAgent) =>
  (await systemLines(world, membership)).map(({ system }) => system?.code);

const resumesAt = () => endOfDay(world.clock.now(), world.deps.config.timeZone).toISOString();

async function expectRefused(id: string): Promise<void> {
  expect(await messageOf(world, id)).toMatchObject({
    state: 'failed',
    failure: { code: 'usage_limit', params: { limit: SPENT, resumesAt: resumesAt() } },
  });
}

describe('an agent that has used its tokens of today', () => {
  it('is given no more messages: they fail with the reason, which the chat says once', async () => {
    const { membership, caller } = await spent();
    const messages = [await post(world, membership, 'one'), await post(world, membership, 'two')];
    expect(await givenIds(world, caller)).toEqual([]);
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'wait' });
    for (const { id } of messages) await expectRefused(id);
    expect(await systemLines(world, membership)).toMatchObject([
      { content: expect.stringContaining('トークン上限（120）'), system: { code: 'usage_limit' } },
    ]);
    // Its session goes on, for what it holds and for tomorrow.
    expect(await statusOf(world, membership)).toMatchObject({ chat: 1, chatStatus: 'ready' });
    await expect(nextAction(world, caller.sessionId)).resolves.toEqual({ kind: 'wait' });
    expect(await linesOf(membership)).toEqual(['usage_limit']);
  });

  it('goes on when its limit is raised or removed: Retry works', async () => {
    const { membership, caller } = await spent();
    const { id } = await post(world, membership);
    await nextAction(world, caller.sessionId);
    await world.chat.retry(world.owner, { ...membership, messageId: id });
    await nextAction(world, caller.sessionId);
    await expectRefused(id);
    await limit(membership.agentId, SPENT + 1);
    await world.chat.retry(world.owner, { ...membership, messageId: id });
    expect(await nextAction(world, caller.sessionId)).toMatchObject({ kind: 'get_pending_messages' });
    expect(await givenIds(world, caller)).toEqual([id]);
    await world.delivery.respond(caller, { content: 'Here I am.', usage: COST });
    const { id: later } = await post(world, membership);
    await nextAction(world, caller.sessionId);
    expect((await messageOf(world, later)).failure?.code).toBe('usage_limit');
    await limit(membership.agentId, null);
    await world.chat.retry(world.owner, { ...membership, messageId: later });
    expect(await givenIds(world, caller)).toEqual([later]);
  });

  it('finishes what it works on', async () => {
    const agent = await warm(world);
    const { membership, caller } = agent;
    await answered(world, agent);
    const { id: held } = await post(world, membership, 'held');
    expect(await givenIds(world, caller)).toEqual([held]);
    await limit(membership.agentId, SPENT);
    const { id: later } = await post(world, membership, 'later');
    expect(await nextAction(world, caller.sessionId)).toEqual({ kind: 'get_pending_messages', again: true });
    await expectRefused(later);
    expect(await givenIds(world, caller)).toEqual([held]);
    await world.delivery.respond(caller, { content: 'Done.', usage: COST });
    expect((await messageOf(world, held)).state).toBe('answered');
  });

  it('is not started; who opens its chat is told once', async () => {
    const { membership, caller, runId } = await spent();
    await world.sessions.logout(caller);
    await world.coordination.reportProcessExit({ runId, exitCode: 0 });
    const { id } = await post(world, membership);
    const ask = () => world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
    await world.coordinator();
    expect(await ask()).toEqual({ action: 'hold', reason: 'no_pending_work' });
    await expectRefused(id);
    expect(await rowOf(world, membership)).toBeUndefined();
    expect(await statusOf(world, membership)).toMatchObject({ chatStatus: 'failed', reason: 'usage_limit' });
    for (let times = 0; times < 3; times += 1) {
      expect(await world.chat.start(world.owner, membership)).toMatchObject({ status: 'started' });
      expect(await ask()).toEqual({ action: 'hold', reason: 'no_pending_work' });
    }
    expect(await linesOf(membership)).toEqual(['usage_limit']);

    world.clock.advance(13 * 3_600_000);
    await world.coordinator();
    await world.chat.retry(world.owner, { ...membership, messageId: id });
    expect(await ask()).toMatchObject({ action: 'start' });
    world.clock.advance(-13 * 3_600_000);
    await world.chat.end(world.owner, { ...membership, force: true });
  });

  it('is refused also when no Coordinator is there, and when it makes no call', async () => {
    const asleep = await spent();
    await world.sessions.logout(asleep.caller);
    await world.coordination.reportProcessExit({ runId: asleep.runId, exitCode: 0 });
    const silent = await spent();
    const ids = await Promise.all([asleep, silent].map(({ membership }) => post(world, membership)));
    expect(await world.sweeper.runOnce()).toMatchObject({ overLimit: 2 });
    for (const { id } of ids) await expectRefused(id);
    expect(await world.sweeper.runOnce()).toMatchObject({ overLimit: 0 });
  });

  it('two at once: each chat is told once, whoever finds it', async () => {
    const one = await warm(world);
    const other = await warm(world, await elsewhere(world, one.membership));
    // Only both answers together reach it.
    await limit(one.membership.agentId, 2 * SPENT);
    await Promise.all([one, other].map((agent) => answered(world, agent)));
    const ids = await Promise.all([one, other].map(({ membership }) => post(world, membership)));
    const find = [one, other].flatMap(({ membership, caller }) => [
      nextAction(world, caller.sessionId),
      world.delivery.take(caller),
      refuseOverLimit(world.deps, membership),
      refuseOverLimit(world.deps, membership),
    ]);
    await Promise.all(find);
    for (const { id } of ids) expect((await messageOf(world, id)).failure?.code).toBe('usage_limit');
    for (const { membership } of [one, other]) expect(await linesOf(membership)).toEqual(['usage_limit']);
  });

  it('has a limit that only owners set', async () => {
    const { membership } = await warm(world);
    const member = { id: 'hum_limit', name: 'Member', accessLevel: 'member' as const };
    await world.agents.create(world.owner, { ...member, type: 'human' });
    await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: member.id });
    const change = (dailyTokenLimit: number) =>
      world.agents.update(member, membership.agentId, { dailyTokenLimit });
    await expect(change(1)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(limit(member.id, 1)).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await limit(membership.agentId, 5_000)).toMatchObject({ dailyTokenLimit: 5_000 });
    expect(await world.agents.get(member, membership.agentId)).toMatchObject({ dailyTokenLimit: 5_000 });
    expect(await limit(membership.agentId, null)).not.toHaveProperty('dailyTokenLimit');
  });
});

describe('conversations', () => {
  it('end when a message waits for an agent that has used its tokens, not in its turn', async () => {
    const talks = TalkWorld.on(world);
    const { a, b, id } = await talks.talking();
    await limit(b.agentId, SPENT);
    await talks.say(a, b, 'りんご');
    await talks.read(b);
    await talks.say(a, b, 'もう一つ');
    await world.database.pool.query(
      `insert into usage_days select $1, ends_at::date, $2, '', ends_at, 0, 120, 0, 0, null, 0
       from (select $3::timestamptz as ends_at) d`,
      [b.projectId, b.agentId, resumesAt()],
    );
    // It is at work on what it was given.
    await talks.next(b);
    expect(await world.sweeper.runOnce()).toMatchObject({ overLimit: 0 });
    expect(await talks.view(id)).toMatchObject({ state: 'active' });
    await world.delivery.respond(b.caller, { content: 'ごま', conversationId: id });
    expect(await talks.hear(b)).toMatchObject({ action: 'ended', reason: 'usage_limit', endedBy: null });
    expect(await talks.hear(a)).toMatchObject({ action: 'ended', reason: 'usage_limit' });
    expect(await talks.view(id)).toMatchObject({ state: 'ended', endReason: 'usage_limit' });
    expect(await linesOf(b)).toEqual([]);
  });

  it('with an agent that has used its tokens do not begin, and the other one is told why', async () => {
    const talks = TalkWorld.on(world);
    const b = await spent();
    const a = await talks.warm(await world.colleague(b.membership));
    const { conversation } = await world.talks.start(a.caller, {
      targetAgentId: b.membership.agentId,
      initialMessage: 'りんご',
    });
    expect(await nextAction(world, b.caller.sessionId)).toEqual({ kind: 'wait' });
    expect(await talks.hear(a)).toMatchObject({ action: 'ended', reason: 'usage_limit' });
    expect(await talks.view(conversation.id)).toMatchObject({ state: 'ended', messageCount: 1 });
  });
});

it('a task waits for the next day, or a higher limit', async () => {
  const { membership } = await spent();
  const key = await taskInProgress(world, membership);
  await wakeFor(world, key);
  await world.coordinator();
  const ask = () => world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  expect(await ask()).toEqual({ action: 'hold', reason: 'usage_limit' });
  const named = async () => (await world.coordination.work('host-a')).pairs.map(({ agentId }) => agentId);
  expect(await named()).not.toContain(membership.agentId);
  // Its clock rests.
  world.clock.advance(400_000);
  expect(await world.sweeper.runOnce()).toMatchObject({ held: 0, expired: 0 });
  expect(await waitingFor(world, membership)).toContain(key.taskId);
  await limit(membership.agentId, null);
  await world.sweeper.runOnce();
  await world.coordinator();
  expect(await named()).toContain(membership.agentId);
  expect(await ask()).toMatchObject({ action: 'start', taskId: key.taskId });
});
