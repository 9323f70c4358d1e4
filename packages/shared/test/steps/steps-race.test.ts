import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetDiscardedAnswers } from '../../src/core/sweeper/retention-queries.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { toRun } from '../approvals/approval-support.ts';
import { expectInvariants, messageOf, untilBlocked } from '../chat/chat-support.ts';
import { workingOnTask } from '../tasks/task-work-support.ts';
import { ask, atWork, STEP, stepsOf } from './step-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const done = { ...STEP, status: 'done' as const };

/** Both calls wait for the row of the session, in this order, and go on one after the other. */
async function queued(sessionId: string, first: () => Promise<unknown>, second: () => Promise<unknown>) {
  const calls: Promise<PromiseSettledResult<unknown>[]>[] = [];
  await world.database.transaction(async (tx) => {
    await sql`select from agent_sessions where id = ${sessionId} for update`.execute(tx.db);
    calls.push(Promise.allSettled([first()]));
    await untilBlocked(world, 1);
    calls.push(Promise.allSettled([second()]));
    await untilBlocked(world, 2);
  });
  return (await Promise.all(calls)).flat();
}

async function growing(messageId: string): Promise<unknown[]> {
  const { rows } = await sql`select * from growing_answers where message_id = ${messageId}`.execute(
    world.database.db,
  );
  return rows;
}

describe('the answer waits behind a report', () => {
  it('of another step: it counts and closes that one too', async () => {
    const { membership, caller, messageId } = await atWork(world);
    await world.steps.report(caller, { messageId, step: done });
    const both = await queued(
      caller.sessionId,
      () => world.steps.report(caller, { messageId, step: { ...STEP, id: 's2' } }),
      () => world.delivery.respond(caller, { messageId, content: 'It works.' }),
    );
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect((await messageOf(world, messageId)).steps).toBe(2);
    expect(await stepsOf(world, membership, messageId)).toMatchObject([done, { id: 's2', status: 'failed' }]);
  });

  it('of the first step: the answer has it, and grows no more', async () => {
    const { membership, caller, messageId } = await atWork(world);
    const both = await queued(
      caller.sessionId,
      () => world.steps.report(caller, { messageId, step: STEP }),
      () => world.delivery.respond(caller, { messageId, content: 'It works.' }),
    );
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await growing(messageId)).toEqual([]);
    expect((await messageOf(world, messageId)).steps).toBe(1);
    expect(await stepsOf(world, membership, messageId)).toMatchObject([{ id: 's1', status: 'failed' }]);
  });
});

describe('a report waits behind the answer', () => {
  it('and is refused: the message stands, nothing grows under its id', async () => {
    const { membership, caller, messageId } = await atWork(world);
    for (const id of ['s1', 's3']) await world.steps.report(caller, { messageId, step: { ...done, id } });
    const both = await queued(
      caller.sessionId,
      () => world.delivery.respond(caller, { messageId, content: 'It works.' }),
      () => world.steps.report(caller, { messageId, step: { ...STEP, id: 's2' } }),
    );
    expect(both).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'invalid_input' } },
    ]);
    expect(await growing(messageId)).toEqual([]);
    expect(await stepsOf(world, membership, messageId)).toMatchObject([{ id: 's1' }, { id: 's3' }]);
    await world.sessions.logout(caller);
    const { rows } = await sql`select kind from change_log
      where ref ->> 'messageId' = ${messageId} and kind = 'discarded'`.execute(world.database.db);
    expect(rows).toEqual([]);
  });

  it('of a step that is known: the steps of the message are not pruned', async () => {
    const { membership, caller, messageId } = await atWork(world);
    await world.steps.report(caller, { messageId, step: done });
    await queued(
      caller.sessionId,
      () => world.delivery.respond(caller, { messageId, content: 'It works.' }),
      () => world.steps.report(caller, { messageId, step: { ...done, title: 'again' } }),
    );
    await world.sessions.logout(caller);
    await forgetDiscardedAnswers(world.database.db, new Date(Date.now() + 60_000), 100);
    expect((await messageOf(world, messageId)).steps).toBe(1);
    expect(await stepsOf(world, membership, messageId)).toEqual([done]);
  });
});

it('a report waits behind the end of its session, and grows nothing', async () => {
  const { caller, messageId } = await atWork(world);
  const both = await queued(
    caller.sessionId,
    () => world.sessions.logout(caller),
    () => world.steps.report(caller, { messageId, step: STEP }),
  );
  expect(both).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'unauthenticated' } },
  ]);
  expect(await growing(messageId)).toEqual([]);
});

it('until the session hears of an approval, another answer does not discard the one that waits', async () => {
  const { membership, caller, messageId, batchId } = await atWork(world);
  const someone = await world.agentInProject();
  const { caller: worker } = await workingOnTask(world, someone);
  await world.approvals.request(worker, toRun('ls'));
  const atCard = () => world.presence.membersAtCard([membership, someone]);
  await world.steps.report(caller, { messageId, step: done });
  expect(await atCard()).toEqual([]);
  const { toolUseId, status } = await world.approvals.request(caller, toRun('ls'));
  expect(status).toBe('pending');
  const beginAnother = async () => {
    const { question: _, ...other } = await ask(world, membership, caller);
    await world.steps.report(caller, { ...other, step: STEP });
    await world.delivery.respond(caller, { ...other, content: 'In between.', done: false });
  };
  await beginAnother();
  await world.approvals.decide(world.owner, toolUseId, { decision: 'allow_once' });
  await beginAnother();
  const { projectId, agentId } = membership;
  expect(await atCard()).toEqual([{ projectId, agentId }]);
  expect(await stepsOf(world, membership, messageId)).toEqual([done]);
  expect(await world.steps.report(caller, { messageId, batchId, step: { ...STEP, id: 's2' } })).toEqual({
    control: null,
  });
  await world.approvals.acknowledged(caller.sessionId, [toolUseId]);
  expect(await atCard()).toEqual([]);
  await beginAnother();
  expect(await stepsOf(world, membership, messageId)).toBe('message_not_found');
});

it('the log names the steps that an answer closes before the message', async () => {
  const { caller, messageId } = await atWork(world);
  await world.steps.report(caller, { messageId, step: STEP });
  await sql`delete from change_log where ref ->> 'messageId' = ${messageId}`.execute(world.database.db);
  await world.delivery.respond(caller, { messageId, content: 'It works.' });
  const { rows } = await sql<{ kind: string }>`select kind from change_log
    where ref ->> 'messageId' = ${messageId} order by id`.execute(world.database.db);
  expect(rows.map(({ kind }) => kind)).toEqual(['step', 'message']);
});
