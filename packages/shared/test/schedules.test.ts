import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreateScheduleBody } from '../src/contract/schedule.ts';
import type { AppError } from '../src/errors.ts';
import { ServiceWorld, type WorldAgent } from '../src/testing/service-world.ts';
import { expectInvariants, rowOf, statusOf, systemLines, takeStart } from './core-support.ts';
import { ask, seenCards } from './question-support.ts';

const DAY = 86_400_000;

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: AppError) => error.code,
  );

/** Every day at nine in Tokyo, unless a test wants it otherwise. */
async function schedule(more: Partial<CreateScheduleBody> = {}, pair?: WorldAgent) {
  const at = pair ?? (await world.agentInProject());
  const body = {
    agentId: at.agentId,
    cron: '0 9 * * *',
    prompt: 'Write the morning report',
    enabled: true,
    onMissed: 'skip' as const,
    ...more,
  };
  return { pair: at, ...(await world.schedules.create(world.owner, at.projectId, body)) };
}

const viewOf = async (pair: WorldAgent, id: string) => {
  const { schedules } = await world.schedules.list(world.owner, pair.projectId, { limit: 50 });
  const view = schedules.find((one) => one.id === id);
  if (!view) throw new Error(`no schedule ${id}`);
  return view;
};

/** Lets the clock reach the next time of a schedule, and `lateMs` more, and sweeps. */
async function reach({ pair, id }: { pair: WorldAgent; id: string }, lateMs = 0) {
  const { nextRunAt } = await viewOf(pair, id);
  if (nextRunAt === undefined) throw new Error('it has no next time');
  world.clock.advance(Date.parse(nextRunAt) - world.clock.now().getTime() + lateMs + 1);
  await world.coordinator();
  await world.schedules.sweep();
  return viewOf(pair, id);
}

const prompts = async (pair: WorldAgent) => {
  const { messages } = await world.history.list(world.owner, { ...pair, limit: 200 });
  return messages.filter(({ scheduleId }) => scheduleId !== undefined);
};

describe('a schedule', () => {
  it('gives its prompt at its time, in its zone, and once, however many sweep', async () => {
    const made = await schedule();
    expect(made).toMatchObject({ timeZone: 'Asia/Tokyo', enabled: true });
    expect(made.nextRunAt?.slice(11, 16)).toBe('00:00');
    expect(await prompts(made.pair)).toEqual([]);
    const due = Date.parse(made.nextRunAt ?? '');
    world.clock.advance(due - world.clock.now().getTime() + 1);
    await Promise.all([1, 2, 3].map(() => world.schedules.sweep()));
    expect(await prompts(made.pair)).toMatchObject([
      {
        content: 'Write the morning report',
        sender: 'user',
        humanId: 'owner',
        scheduleId: made.id,
        state: 'stored',
      },
    ]);
    const after = await viewOf(made.pair, made.id);
    expect(after.lastRun?.outcome).toBe('started');
    expect(Date.parse(after.nextRunAt ?? '') - due).toBe(DAY);
  });

  it('wakes the agent for nobody, and says why it is started', async () => {
    const made = await schedule();
    await reach(made);
    expect(await rowOf(world, made.pair)).toMatchObject({ openedBy: null, scheduleId: made.id });
    expect(await takeStart(world, made.pair)).toMatchObject({ reason: 'scheduled', purpose: 'chat' });
  });

  it('trap 18: nobody is asked, and nothing is answered in his place', async () => {
    const made = await schedule();
    await reach(made);
    const { caller, ticket } = await world.signIn(made.pair);
    expect(await world.questions.mayAsk(ticket)).toBe(false);
    await world.delivery.take(caller);
    expect(await world.questions.ask(caller, { questions: ask('Which way?') })).toMatchObject({
      status: 'unavailable',
    });
    expect(await seenCards(world, made.pair)).toEqual([]);
    expect(await statusOf(world, made.pair)).toMatchObject({ chatStatus: 'busy' });
  });

  it('a person who opens the chat before the agent is there can be asked', async () => {
    const made = await schedule();
    await reach(made);
    expect(await world.chat.start(world.owner, { ...made.pair, viewerId: 'v1' })).toMatchObject({
      status: 'pending',
    });
    const { ticket } = await world.signIn(made.pair);
    expect(await world.questions.mayAsk(ticket)).toBe(true);
  });

  it('trap 18: a warm chat that works on its prompt asks nobody either, until that is answered', async () => {
    const pair = await world.agentInProject();
    const made = await schedule({}, pair);
    const { nextRunAt } = await viewOf(pair, made.id);
    world.clock.advance(Date.parse(nextRunAt ?? '') - world.clock.now().getTime() - 1_000);
    const { caller } = await world.warmAgent(pair);
    await reach(made);
    await world.delivery.take(caller);
    expect(await world.questions.ask(caller, { questions: ask('Now?') })).toMatchObject({
      status: 'unavailable',
    });
    await world.delivery.respond(caller, { content: 'Done' });
    expect(await world.questions.ask(caller, { questions: ask('Now?') })).toMatchObject({
      status: 'pending',
    });
  });

  it('skips a time while the last prompt is not done, and says so once', async () => {
    const made = await schedule({ cron: '* * * * *' });
    await reach(made);
    expect((await reach(made)).lastRun?.outcome).toBe('skipped_overlap');
    expect((await reach(made)).lastRun?.outcome).toBe('skipped_overlap');
    expect(await prompts(made.pair)).toHaveLength(1);
    expect(await systemLines(world, made.pair)).toMatchObject([{ system: { code: 'schedule_overlap' } }]);
    const { caller } = await world.signIn(made.pair);
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'Done' });
    expect((await reach(made)).lastRun?.outcome).toBe('started');
  });

  it('a missed time is skipped, or made up for once, as it is set', async () => {
    const skips = await schedule();
    const once = await schedule({ onMissed: 'once', cron: '0 9 * * *' });
    const missed = await reach(skips, 3 * DAY);
    expect(missed.lastRun?.outcome).toBe('skipped_missed');
    expect(await prompts(skips.pair)).toEqual([]);
    expect((await viewOf(once.pair, once.id)).lastRun?.outcome).toBe('started');
    expect(await prompts(once.pair)).toHaveLength(1);
    for (const { nextRunAt } of [missed, await viewOf(once.pair, once.id)])
      expect(Date.parse(nextRunAt ?? '')).toBeGreaterThan(world.clock.now().getTime());
  });

  it('is held while its project is paused', async () => {
    const made = await schedule();
    await world.projects.update(world.owner, made.pair.projectId, { status: 'paused' });
    expect((await reach(made)).lastRun?.outcome).toBe('skipped_paused');
    expect((await world.schedules.run(world.owner, made.id)).lastRun?.outcome).toBe('skipped_paused');
    await world.projects.update(world.owner, made.pair.projectId, { status: 'active' });
    expect((await reach(made)).lastRun?.outcome).toBe('started');
  });

  it('runs at once when a person wants it, also disabled, and keeps its times', async () => {
    const made = await schedule({ enabled: false });
    expect(made.nextRunAt).toBeUndefined();
    expect(await world.schedules.run(world.owner, made.id)).toMatchObject({
      lastRun: { outcome: 'started' },
    });
    expect((await world.schedules.run(world.owner, made.id)).lastRun?.outcome).toBe('skipped_overlap');
    expect(await prompts(made.pair)).toHaveLength(1);
    expect(await viewOf(made.pair, made.id)).not.toHaveProperty('nextRunAt');
  });

  it('changes as named, is switched off and on, and goes', async () => {
    const made = await schedule();
    const { update, remove } = {
      update: (body: object) => world.schedules.update(world.owner, made.id, body),
      remove: () => world.schedules.remove(world.owner, made.id),
    };
    expect(await update({ cron: '30 17 * * *', timeZone: 'UTC' })).toMatchObject({ prompt: made.prompt });
    expect((await viewOf(made.pair, made.id)).nextRunAt?.slice(11, 16)).toBe('17:30');
    expect(await update({ enabled: false })).not.toHaveProperty('nextRunAt');
    expect((await update({ enabled: true })).nextRunAt?.slice(11, 16)).toBe('17:30');
    await remove();
    expect(await codeOf(remove())).toBe('schedule_not_found');
    expect((await world.schedules.list(world.owner, made.pair.projectId, { limit: 50 })).schedules).toEqual(
      [],
    );
  });

  it('refuses what is no time, no zone, no agent of the project', async () => {
    const pair = await world.agentInProject();
    const other = await world.agentInProject();
    expect(await codeOf(schedule({ cron: '99 * * * *' }, pair))).toBe('invalid_input');
    expect(await codeOf(schedule({ timeZone: 'Mars/Olympus' }, pair))).toBe('invalid_input');
    expect(await codeOf(schedule({ agentId: other.agentId }, pair))).toBe('agent_not_in_project');
    expect(await codeOf(schedule({ agentId: 'owner' }, pair))).toBe('agent_is_human');
    const made = await schedule({}, pair);
    expect(await codeOf(world.schedules.update(world.owner, made.id, { cron: 'soon' }))).toBe(
      'invalid_input',
    );
  });
});

describe('a schedule is switched off', () => {
  it.each(['its agent leaves', 'its project is archived', 'its maker leaves'])('when %s', async (what) => {
    const pair = await world.agentInProject();
    const maker = { id: `person_${pair.agentId}`, name: 'Maker', accessLevel: 'member' } as const;
    await world.agents.create(world.owner, { ...maker, type: 'human' });
    await world.projects.putAgent(world.owner, { projectId: pair.projectId, agentId: maker.id });
    const body = {
      agentId: pair.agentId,
      cron: '0 9 * * *',
      prompt: 'Report',
      enabled: true,
      onMissed: 'once',
    } as const;
    const { id } = await world.schedules.create(maker, pair.projectId, body);
    if (what === 'its agent leaves') await world.projects.removeAgent(world.owner, pair);
    else if (what === 'its maker leaves')
      await world.projects.removeAgent(world.owner, { projectId: pair.projectId, agentId: maker.id });
    else await world.projects.update(world.owner, pair.projectId, { status: 'archived' });
    const view = await viewOf(pair, id);
    expect(view).toMatchObject({ enabled: false });
    expect(view).not.toHaveProperty('nextRunAt');
  });
});
