import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreateScheduleBody } from '../../src/contract/schedule.ts';
import type { Person } from '../../src/core/access/person.ts';
import type { AppError } from '../../src/platform/errors.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  expectInvariants,
  rowOf,
  statusOf,
  sweepSchedules,
  systemLines,
  takeStart,
} from '../chat/chat-support.ts';
import { ask, seenCards } from '../questions/question-support.ts';

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
async function schedule(more: Partial<CreateScheduleBody> = {}, membership?: WorldAgent) {
  const at = membership ?? (await world.agentInProject());
  const body = {
    agentId: at.agentId,
    cron: '0 9 * * *',
    prompt: 'Write the morning report',
    enabled: true,
    onMissed: 'skip' as const,
    ...more,
  };
  return { membership: at, ...(await world.schedules.create(world.owner, at.projectId, body)) };
}

const viewOf = async (membership: WorldAgent, id: string) => {
  const { schedules } = await world.schedules.list(world.owner, membership.projectId, { limit: 50 });
  const view = schedules.find((one) => one.id === id);
  if (!view) throw new Error(`no schedule ${id}`);
  return view;
};

/** Lets the clock reach the next time of a schedule, and `lateMs` more, and sweeps. */
async function reach({ membership, id }: { membership: WorldAgent; id: string }, lateMs = 0) {
  const { nextRunAt } = await viewOf(membership, id);
  if (nextRunAt === undefined) throw new Error('it has no next time');
  world.clock.advance(Date.parse(nextRunAt) - world.clock.now().getTime() + lateMs + 1);
  await world.coordinator();
  await sweepSchedules(world);
  return viewOf(membership, id);
}

const prompts = async (membership: WorldAgent) => {
  const { messages } = await world.history.list(world.owner, { ...membership, limit: 200 });
  return messages.filter(({ scheduleId }) => scheduleId !== undefined);
};

describe('a schedule', () => {
  it('gives its prompt at its time, in its zone, and once, however many sweep', async () => {
    const made = await schedule();
    expect(made).toMatchObject({ timeZone: 'Asia/Tokyo', enabled: true });
    expect(made.nextRunAt?.slice(11, 16)).toBe('00:00');
    expect(await prompts(made.membership)).toEqual([]);
    const due = Date.parse(made.nextRunAt ?? '');
    world.clock.advance(due - world.clock.now().getTime() + 1);
    await Promise.all([1, 2, 3].map(() => sweepSchedules(world)));
    expect(await prompts(made.membership)).toMatchObject([
      {
        content: 'Write the morning report',
        sender: 'user',
        humanId: 'owner',
        scheduleId: made.id,
        state: 'stored',
      },
    ]);
    const after = await viewOf(made.membership, made.id);
    expect(after.lastRun?.outcome).toBe('started');
    expect(Date.parse(after.nextRunAt ?? '') - due).toBe(DAY);
  });

  it('wakes the agent for nobody, and says why it is started', async () => {
    const made = await schedule();
    await reach(made);
    expect(await rowOf(world, made.membership)).toMatchObject({ openedBy: null, scheduleId: made.id });
    expect(await takeStart(world, made.membership)).toMatchObject({ reason: 'scheduled', purpose: 'chat' });
  });

  it('trap 18: nobody is asked, and nothing is answered in his place', async () => {
    const made = await schedule();
    await reach(made);
    const { caller, ticket } = await world.signIn(made.membership);
    expect(await world.questions.mayAsk(ticket)).toBe(false);
    await world.delivery.take(caller);
    expect(await world.questions.ask(caller, { questions: ask('Which way?') })).toMatchObject({
      status: 'unavailable',
    });
    expect(await seenCards(world, made.membership)).toEqual([]);
    expect(await statusOf(world, made.membership)).toMatchObject({ chatStatus: 'busy' });
  });

  it('a person who opens the chat before the agent is there can be asked', async () => {
    const made = await schedule();
    await reach(made);
    expect(await world.chat.start(world.owner, { ...made.membership, viewerId: 'v1' })).toMatchObject({
      status: 'pending',
    });
    const { ticket } = await world.signIn(made.membership);
    expect(await world.questions.mayAsk(ticket)).toBe(true);
  });

  it('trap 18: a warm chat that works on its prompt asks nobody either, until that is answered', async () => {
    const membership = await world.agentInProject();
    const made = await schedule({}, membership);
    const { nextRunAt } = await viewOf(membership, made.id);
    world.clock.advance(Date.parse(nextRunAt ?? '') - world.clock.now().getTime() - 1_000);
    const { caller } = await world.warmAgent(membership);
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
    expect(await prompts(made.membership)).toHaveLength(1);
    expect(await systemLines(world, made.membership)).toMatchObject([
      { system: { code: 'schedule_overlap' } },
    ]);
    const { caller } = await world.signIn(made.membership);
    await world.delivery.take(caller);
    await world.delivery.respond(caller, { content: 'Done' });
    expect((await reach(made)).lastRun?.outcome).toBe('started');
  });

  it('a missed time is skipped, or made up for once, as it is set', async () => {
    const skips = await schedule();
    const once = await schedule({ onMissed: 'once', cron: '0 9 * * *' });
    const missed = await reach(skips, 3 * DAY);
    expect(missed.lastRun?.outcome).toBe('skipped_missed');
    expect(await prompts(skips.membership)).toEqual([]);
    expect((await viewOf(once.membership, once.id)).lastRun?.outcome).toBe('started');
    expect(await prompts(once.membership)).toHaveLength(1);
    for (const { nextRunAt } of [missed, await viewOf(once.membership, once.id)])
      expect(Date.parse(nextRunAt ?? '')).toBeGreaterThan(world.clock.now().getTime());
  });

  it('is held while its project is paused', async () => {
    const made = await schedule();
    await world.projects.update(world.owner, made.membership.projectId, { status: 'paused' });
    expect((await reach(made)).lastRun?.outcome).toBe('skipped_paused');
    expect((await world.schedules.run(world.owner, made.id)).lastRun?.outcome).toBe('skipped_paused');
    await world.projects.update(world.owner, made.membership.projectId, { status: 'active' });
    expect((await reach(made)).lastRun?.outcome).toBe('started');
  });

  it('runs at once when a person wants it, also disabled, and keeps its times', async () => {
    const made = await schedule({ enabled: false });
    expect(made.nextRunAt).toBeUndefined();
    expect(await world.schedules.run(world.owner, made.id)).toMatchObject({
      lastRun: { outcome: 'started' },
    });
    expect((await world.schedules.run(world.owner, made.id)).lastRun?.outcome).toBe('skipped_overlap');
    expect(await prompts(made.membership)).toHaveLength(1);
    expect(await viewOf(made.membership, made.id)).not.toHaveProperty('nextRunAt');
  });

  it('changes as named, is switched off and on, and goes', async () => {
    const made = await schedule();
    const { update, remove } = {
      update: (body: object) => world.schedules.update(world.owner, made.id, body),
      remove: () => world.schedules.remove(world.owner, made.id),
    };
    expect(await update({ cron: '30 17 * * *', timeZone: 'UTC' })).toMatchObject({ prompt: made.prompt });
    expect((await viewOf(made.membership, made.id)).nextRunAt?.slice(11, 16)).toBe('17:30');
    expect(await update({ enabled: false })).not.toHaveProperty('nextRunAt');
    expect((await update({ enabled: true })).nextRunAt?.slice(11, 16)).toBe('17:30');
    await remove();
    expect(await codeOf(remove())).toBe('schedule_not_found');
    expect(
      (await world.schedules.list(world.owner, made.membership.projectId, { limit: 50 })).schedules,
    ).toEqual([]);
  });

  it('refuses what is no time, no zone, no agent of the project', async () => {
    const membership = await world.agentInProject();
    const other = await world.agentInProject();
    expect(await codeOf(schedule({ cron: '99 * * * *' }, membership))).toBe('invalid_input');
    expect(await codeOf(schedule({ timeZone: 'Mars/Olympus' }, membership))).toBe('invalid_input');
    expect(await codeOf(schedule({ agentId: other.agentId }, membership))).toBe('agent_not_in_project');
    expect(await codeOf(schedule({ agentId: 'owner' }, membership))).toBe('agent_is_human');
    const made = await schedule({}, membership);
    expect(await codeOf(world.schedules.update(world.owner, made.id, { cron: 'soon' }))).toBe(
      'invalid_input',
    );
  });
});

async function maker(accessLevel: 'owner' | 'member', projectId?: string): Promise<Person> {
  const id = newId('agt').replace('agt_', 'person_');
  await world.agents.create(world.owner, { id, name: `Maker ${id}`, type: 'human', accessLevel });
  if (projectId !== undefined) await world.projects.putAgent(world.owner, { projectId, agentId: id });
  return { id, name: `Maker ${id}`, accessLevel };
}

const DAILY = { cron: '0 9 * * *', prompt: 'Report', enabled: true, onMissed: 'once' } as const;
const madeBy = async (person: Person, membership: WorldAgent) =>
  world.schedules.create(person, membership.projectId, { agentId: membership.agentId, ...DAILY });

describe('a schedule is switched off', () => {
  it.each([
    ['its agent leaves', 'agent_removed'],
    ['its agent is deleted', 'agent_deleted'],
    ['its project is archived', 'project_archived'],
  ])('when %s', async (what, offReason) => {
    const membership = await world.agentInProject();
    const { id } = await madeBy(await maker('member', membership.projectId), membership);
    if (what === 'its agent leaves') await world.projects.removeAgent(world.owner, membership);
    else if (what === 'its agent is deleted') await world.agents.remove(world.owner, membership.agentId);
    else await world.projects.update(world.owner, membership.projectId, { status: 'archived' });
    const view = await viewOf(membership, id);
    expect(view).toMatchObject({ enabled: false, offReason });
    expect(view).not.toHaveProperty('nextRunAt');
  });

  const demote = (to: 'member' | 'viewer') => (person: Person) =>
    world.agents.update(world.owner, person.id, { accessLevel: to });
  const leave = (person: Person, { projectId }: WorldAgent) =>
    world.projects.removeAgent(world.owner, { projectId, agentId: person.id });
  const remove = (person: Person) => world.agents.remove(world.owner, person.id);

  it.each<
    [
      string,
      'owner' | 'member',
      boolean,
      (person: Person, membership: WorldAgent) => Promise<unknown>,
      string,
    ]
  >([
    ['an owner who is no member is deleted', 'owner', false, remove, 'maker_deleted'],
    ['a member is deleted', 'member', true, remove, 'maker_deleted'],
    ['an owner who is no member becomes a member', 'owner', false, demote('member'), 'maker_not_member'],
    ['an owner who is no member becomes a viewer', 'owner', false, demote('viewer'), 'maker_not_member'],
    ['a member becomes a viewer', 'member', true, demote('viewer'), 'maker_may_not_write'],
    ['a member leaves the project', 'member', true, leave, 'maker_not_member'],
    ['an owner leaves the project', 'owner', true, leave, 'maker_not_member'],
  ])(
    'its maker: %s; the chat says so once, and who switches it on takes it over',
    async (_what, level, isMember, act, offReason) => {
      const membership = await world.agentInProject();
      const person = await maker(level, isMember ? membership.projectId : undefined);
      const { id } = await madeBy(person, membership);
      const others = await madeBy(world.owner, membership);
      await act(person, membership);
      expect(await viewOf(membership, id)).toMatchObject({ enabled: false, offReason, createdBy: person.id });
      expect(await viewOf(membership, others.id)).toMatchObject({ enabled: true });
      await Promise.all([1, 2, 3].map(() => sweepSchedules(world)));
      const lines = (await systemLines(world, membership)).map(({ system }) => system);
      const params = { cron: DAILY.cron, person: person.name };
      expect(lines).toEqual([{ code: `schedule_${offReason}`, params }]);
      const { rows } = await world.database.pool.query(
        `select details from audit_entries where action = 'schedule.switched_off' and target_id = $1`,
        [id],
      );
      expect(rows).toEqual([{ details: { reason: offReason, createdBy: person.id } }]);
      const heir = await maker('member', membership.projectId);
      // Words alone switch nothing on, and take nothing over.
      await world.schedules.update(heir, id, { prompt: 'Report in two lines' });
      expect(await viewOf(membership, id)).toMatchObject({ enabled: false, offReason, createdBy: person.id });
      const taken = await world.schedules.update(heir, id, { enabled: true });
      expect(taken).toMatchObject({ enabled: true, createdBy: heir.id });
      expect(taken).not.toHaveProperty('offReason');
      await world.schedules.update(world.owner, others.id, { enabled: false });
      await reach({ membership, id });
      expect((await prompts(membership)).map(({ humanId }) => humanId)).toEqual([heir.id]);
    },
  );

  it('not when its maker keeps his right: an owner becomes a member where he is one', async () => {
    const membership = await world.agentInProject();
    const person = await maker('owner', membership.projectId);
    const { id } = await madeBy(person, membership);
    await demote('member')(person);
    expect(await viewOf(membership, id)).toMatchObject({ enabled: true, createdBy: person.id });
    // Off and on by somebody else: it still runs in the name of who made it.
    await world.schedules.update(world.owner, id, { enabled: false });
    expect(await world.schedules.update(world.owner, id, { enabled: true })).toMatchObject({
      createdBy: person.id,
    });
  });

  it('also when its time has come and the right went unnoticed: no prompt in a name that may not', async () => {
    const membership = await world.agentInProject();
    const person = await maker('owner');
    const made = { membership, ...(await madeBy(person, membership)) };
    // As if it had been made in the very moment in which its maker was demoted.
    await world.database.pool.query(`update agents set access_level = 'member' where id = $1`, [person.id]);
    expect(await reach(made)).toMatchObject({ enabled: false, offReason: 'maker_not_member' });
    await sweepSchedules(world);
    expect(await prompts(membership)).toEqual([]);
    expect(await systemLines(world, membership)).toMatchObject([
      { system: { code: 'schedule_maker_not_member' } },
    ]);
    // "Now" runs in the name of who wants it.
    await world.schedules.run(world.owner, made.id);
    expect((await prompts(membership)).map(({ humanId }) => humanId)).toEqual(['owner']);
  });

  it('of a demotion and a time that has come in the same moment, either one is first', async () => {
    for (let round = 0; round < 5; round += 1) {
      const membership = await world.agentInProject();
      const person = await maker('owner');
      const made = await madeBy(person, membership);
      world.clock.advance(Date.parse(made.nextRunAt ?? '') - world.clock.now().getTime() + 1);
      await Promise.all([demote('member')(person), sweepSchedules(world), sweepSchedules(world)]);
      expect(await viewOf(membership, made.id)).toMatchObject({
        enabled: false,
        offReason: 'maker_not_member',
      });
      expect((await prompts(membership)).length).toBeLessThanOrEqual(1);
    }
  });
});
