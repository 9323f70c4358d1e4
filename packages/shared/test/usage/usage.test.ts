import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { AgentUsageService } from '../../src/core/agents/agent-usage-service.ts';
import { addDays, dayOf } from '../../src/core/usage/rules/local-day.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';
import { expectInvariants, messageOf } from '../chat/chat-support.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { answered, COST, elsewhere, post, sumsOf, warm, worldAtNoon } from './usage-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await worldAtNoon();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const once = { messages: 1, ...COST, cacheReadTokens: 0 };
const today = () => dayOf(world.clock.now(), world.deps.config.timeZone);

describe('what an answer cost', () => {
  it('stands on the message, and in the sums by agent, day and model, and of the session', async () => {
    const agent = await warm(world);
    const { membership } = agent;
    const { message } = await answered(world, agent, { ...COST, cacheReadTokens: 7, costUsd: 0.01 }, 'm-1');
    const usage = { ...COST, cacheReadTokens: 7, costUsd: 0.01 };
    expect(message).toMatchObject({ usage, model: 'm-1' });
    expect(await messageOf(world, message?.id ?? '')).toEqual(message);
    await answered(world, agent, { ...COST, costUsd: 0.02 }, 'm-1');
    await answered(world, agent, COST, 'm-2');
    await answered(world, agent);

    const sums = {
      messages: 4,
      inputTokens: 400,
      outputTokens: 80,
      cacheReadTokens: 7,
      costUsd: 0.03,
      durationMs: 6_000,
    };
    expect(await sumsOf(world, membership)).toEqual([{ key: membership.agentId, ...sums }]);
    expect(await sumsOf(world, membership, 'day')).toEqual([{ key: today(), ...sums }]);
    expect(await sumsOf(world, membership, 'model')).toEqual([
      { ...sums, key: 'm-1', messages: 2, inputTokens: 200, outputTokens: 40, durationMs: 3_000 },
      { ...once, key: 'm-2' },
      { ...once, key: 'unknown' },
    ]);
    const view = (await world.presence.agentSessions(world.owner, membership.projectId))[membership.agentId];
    expect(view?.usage).toEqual(sums);
  });

  it('counts also when no answer was needed, as no message', async () => {
    const agent = await warm(world);
    await post(world, agent.membership);
    await world.delivery.take(agent.caller);
    expect(await world.delivery.respond(agent.caller, { usage: COST })).toMatchObject({ message: null });
    expect(await sumsOf(world, agent.membership)).toMatchObject([{ ...COST, messages: 0 }]);
  });

  it('counts without an answer, once, and answers nothing', async () => {
    const agent = await warm(world);
    const { id } = await post(world, agent.membership);
    await world.delivery.take(agent.caller);
    const spent = { usage: COST, done: false, targetAgentId: 'user', idempotencyKey: 'spent-1' };
    for (let call = 1; call <= 2; call += 1)
      expect(await world.delivery.respond(agent.caller, spent)).toMatchObject({ message: null, answered: 0 });
    expect(await sumsOf(world, agent.membership)).toMatchObject([{ ...COST, messages: 0 }]);
    expect(await messageOf(world, id)).toMatchObject({ state: 'delivered' });
    await expect(world.delivery.respond(agent.caller, { done: false })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('counts once however often the call is made', async () => {
    const agent = await warm(world);
    await post(world, agent.membership);
    const { batchId } = await world.delivery.take(agent.caller);
    const answer = { content: 'ok', usage: COST, batchId: batchId ?? '' };
    const keyed = { ...answer, idempotencyKey: 'k' };
    await Promise.all([keyed, keyed, keyed].map((input) => world.delivery.respond(agent.caller, input)));
    await world.delivery.respond(agent.caller, keyed);
    await world.delivery.respond(agent.caller, answer);
    expect(await sumsOf(world, agent.membership)).toMatchObject([once]);
  });

  it('of an answer to another agent counts the same way', async () => {
    const talks = TalkWorld.on(world);
    const { a, b } = await talks.talking();
    await talks.say(a, b, 'りんご');
    const { batchId } = await world.delivery.take(b.caller);
    const answer = {
      content: 'ごま',
      usage: COST,
      model: 'm-1',
      batchId: batchId ?? '',
      idempotencyKey: 'k',
    };
    const { message } = await world.delivery.respond(b.caller, answer);
    await world.delivery.respond(b.caller, answer);
    expect(message).toMatchObject({ usage: COST, model: 'm-1' });
    expect(await sumsOf(world, b)).toEqual([{ key: b.agentId, ...once }]);
  });

  it('of answers at once in two projects is not lost', async () => {
    const one = await warm(world);
    const other = await warm(world, await elsewhere(world, one.membership));
    await Promise.all([one, other, one, other].map((agent) => answered(world, agent)));
    for (const { membership } of [one, other])
      expect(await sumsOf(world, membership)).toMatchObject([{ messages: 2, inputTokens: 200 }]);
  });
});

describe('the report of a project', () => {
  it('has the days that were asked for', async () => {
    const agent = await warm(world);
    const { membership } = agent;
    await answered(world, agent);
    const yesterday = addDays(today(), -1);
    await world.database.pool.query(
      `insert into usage_days select project_id, day - 1, agent_id, model, ends_at - interval '1 day', 0, 1, 2, 3, null, 4
       from usage_days where project_id = $1`,
      [membership.projectId],
    );
    const keys = async (range: { from?: string; to?: string }) => {
      const query = { by: 'day' as const, ...range };
      return (await world.usage.ofProject(world.owner, membership.projectId, query)).usage.map(
        ({ key }) => key,
      );
    };
    expect(await keys({})).toEqual([yesterday, today()]);
    expect(await keys({ from: today() })).toEqual([today()]);
    expect(await keys({ to: yesterday })).toEqual([yesterday]);
    expect(await keys({ from: yesterday, to: yesterday })).toEqual([yesterday]);
    expect(await keys({ from: world.clock.now().toISOString() })).toEqual([today()]);
    expect(await keys({ to: addDays(today(), -2) })).toEqual([]);
  });

  it('is for its members', async () => {
    const { membership } = await warm(world);
    const read = (person: { id: string; name: string; accessLevel: 'member' | 'viewer' }, of: WorldAgent) =>
      world.usage.ofProject(person, of.projectId, { by: 'day' });
    const person = { id: 'hum_reader', name: 'Reader', accessLevel: 'viewer' as const };
    await world.agents.create(world.owner, { ...person, type: 'human' });
    await expect(read(person, membership)).rejects.toMatchObject({ code: 'project_not_found' });
    await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId: person.id });
    expect(await read(person, membership)).toEqual({ usage: [] });
  });

  it.each([
    [{ from: '2026-11-27', to: '2026-11-26' }, /before it begins/],
    [{ from: '2024-01-01', to: '2026-01-01' }, /at most 366 days/],
  ])('refuses %o', async (range, message) => {
    const { membership } = await warm(world);
    await expect(
      world.usage.ofProject(world.owner, membership.projectId, { by: 'day', ...range }),
    ).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringMatching(message) });
  });
});

describe('the report of an agent', () => {
  it('has the sums of all its projects for an owner, for others those of their own', async () => {
    const one = await warm(world);
    const other = await warm(world, await elsewhere(world, one.membership));
    await answered(world, one, COST, 'm-1');
    await answered(world, other, COST, 'm-2');
    const { agentId } = one.membership;
    const person = { id: 'hum_of_one', name: 'Of one', accessLevel: 'member' as const };
    const usage = new AgentUsageService(world.deps);
    await world.agents.create(world.owner, { ...person, type: 'human' });
    await expect(usage.ofAgent(person, agentId, { by: 'day' })).rejects.toMatchObject({
      code: 'agent_not_found',
    });
    await world.projects.putAgent(world.owner, { projectId: one.membership.projectId, agentId: person.id });
    const keys = async (of: Person, by: 'model' | 'project') =>
      (await usage.ofAgent(of, agentId, { by })).usage.map(({ key }) => key).sort();
    expect(await keys(world.owner, 'model')).toEqual(['m-1', 'm-2']);
    expect(await keys(person, 'model')).toEqual(['m-1']);
    expect(await keys(person, 'project')).toEqual([one.membership.projectId]);
    expect(await usage.ofAgent(world.owner, agentId, { by: 'day', from: today() })).toMatchObject({
      from: today(),
      to: today(),
      today: today(),
      usage: [{ key: today(), messages: 2 }],
    });
    await world.database.pool.query(
      "update usage_days set day = day - 9, ends_at = ends_at - interval '9 days' where project_id = $1",
      [other.membership.projectId],
    );
    const from = addDays(today(), -9);
    const days = (await usage.ofAgent(world.owner, agentId, { by: 'day', from })).usage;
    expect(days.map(({ key }) => key)).toEqual([from, today()]);
  });
});
