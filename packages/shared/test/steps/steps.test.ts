import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STEP_LIMITS, type Step } from '../../src/contract/step.ts';
import { TaskRecordService } from '../../src/core/tasks/task-record-service.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { expectInvariants, messageOf } from '../chat/chat-support.ts';
import { TalkWorld } from '../conversations/conversation-support.ts';
import { workingOnTask } from '../tasks/task-work-support.ts';
import { ask, atWork, STEP, stepsOf, viewOf } from './step-support.ts';

let world: ServiceWorld;
beforeAll(async () => {
  world = await ServiceWorld.create();
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});

const edit: Step = {
  id: 's2',
  kind: 'edit',
  title: 'Edit parse.ts',
  status: 'done',
  detail: '+1 −1',
  diff: { path: 'src/parse.ts', before: 'let a = 1;\n', after: 'let a = 2;\n' },
};

describe('steps of a turn at a task', () => {
  it('are read while it goes on, and kept with the attempt, turn after turn', async () => {
    const membership = await world.agentInProject();
    const { key, caller, runId } = await workingOnTask(world, membership);
    const records = new TaskRecordService(world.deps);
    const stepsOfTask = async (n: number) =>
      (await records.steps(world.owner, { taskId: key.taskId, n })).steps;
    const attempts = async () => (await records.attempts(world.owner, key.taskId)).attempts;
    const [first, second] = [newId('msg'), newId('msg')];
    for (const step of [STEP, edit, { ...STEP, status: 'done' as const }])
      expect(await world.steps.report(caller, { messageId: first, step })).toEqual({ control: null });
    await world.steps.report(caller, { messageId: second, step: { ...STEP, id: 's3' } });
    expect((await stepsOfTask(1)).map(({ id, status }) => [id, status])).toEqual([
      ['s1', 'done'],
      ['s2', 'done'],
      ['s3', 'running'],
    ]);
    expect(await attempts()).toMatchObject([{ n: 1, steps: 3 }]);
    expect(await stepsOf(world, membership, first), 'no answer of the chat').toBe('message_not_found');
    expect(await viewOf(world, membership)).not.toHaveProperty('growing');
    const named = await world.steps.firstByNames([{ messageId: first, stepId: 's2' }]);
    expect(named.steps).toMatchObject([{ attempt: { taskId: key.taskId, n: 1 }, step: edit }]);

    // However many turns an agent names: an attempt is bounded.
    const { db } = world.database;
    await db.updateTable('growingAnswers').set({ stepCount: 1_998 }).where('messageId', '=', first).execute();
    const third = newId('msg');
    const more = (id: string) => world.steps.report(caller, { messageId: third, step: { ...STEP, id } });
    expect(await more('s4')).toEqual({ control: null });
    expect(await more('s5')).toEqual({ control: null, reason: 'too_many_steps' });
    expect(await more('s4')).toEqual({ control: null });
    await db.updateTable('growingAnswers').set({ stepCount: 2 }).where('messageId', '=', first).execute();
    await db.deleteFrom('messageSteps').where('messageId', '=', third).execute();
    await db.deleteFrom('growingAnswers').where('messageId', '=', third).execute();

    // A crash: what still ran has failed. The next attempt has its own.
    await world.coordination.reportProcessExit({ runId, exitCode: 1 });
    world.clock.advance(60_000);
    const next = await world.signIn(membership);
    await world.steps.report(next.caller, { messageId: newId('msg'), step: STEP });
    expect((await stepsOfTask(1)).at(-1)).toMatchObject({ id: 's3', status: 'failed' });
    expect(await attempts()).toMatchObject([
      { n: 1, steps: 3 },
      { n: 2, steps: 1 },
    ]);
    expect(await stepsOfTask(3)).toEqual([]);
  });
});

describe('steps of an answer', () => {
  it('are read while it grows, and kept with the message in the order of their first reports', async () => {
    const { membership, caller, messageId } = await atWork(world);
    for (const step of [STEP, edit, { ...STEP, status: 'done' as const }])
      expect(await world.steps.report(caller, { messageId, step })).toEqual({ control: null });
    const done = [{ ...STEP, status: 'done' }, edit];
    expect(await stepsOf(world, membership, messageId)).toEqual(done);
    expect(await viewOf(world, membership)).toMatchObject({
      chatStatus: 'busy',
      growing: [{ messageId, steps: 2 }],
    });

    const { message } = await world.delivery.respond(caller, { messageId, content: 'It works.' });
    expect(message).toMatchObject({ id: messageId, steps: 2 });
    expect(await messageOf(world, messageId)).toEqual(message);
    expect(await stepsOf(world, membership, messageId)).toEqual(done);
    expect(await viewOf(world, membership)).not.toHaveProperty('growing');
  });

  it('keep what a later report of the same step leaves out', async () => {
    const { membership, caller, messageId } = await atWork(world);
    await world.steps.report(caller, { messageId, step: { ...edit, status: 'running' } });
    const { detail: _detail, diff: _diff, ...short } = edit;
    await world.steps.report(caller, { messageId, step: { ...short, title: 'Edited parse.ts' } });
    expect(await stepsOf(world, membership, messageId)).toEqual([{ ...edit, title: 'Edited parse.ts' }]);
    await world.steps.report(caller, { messageId, step: { ...short, detail: '+2 −2' } });
    expect(await stepsOf(world, membership, messageId)).toEqual([{ ...edit, detail: '+2 −2' }]);
  });

  it('count toward the bytes of an hour, and leave a half of them for answers', async () => {
    const allow = async (bytes: number | null) => {
      await world.database.pool.query('update app_settings set agent_bytes_per_hour = $1', [bytes]);
      // Settings are read again after a moment.
      world.clock.advance(2_000);
    };
    await allow(1_048_576);
    const { membership, caller, messageId, batchId } = await atWork(world);
    const counted = (hour: string) =>
      world.database.pool.query('update chat_threads set said_hour = $2::timestamptz where id = $1', [
        `${membership.projectId}/${membership.agentId}`,
        hour,
      ]);
    // No hour ends while the test runs.
    expect((await counted('infinity')).rowCount).toBe(1);
    const step = { ...edit, diff: { path: 'a.ts', before: '', after: 'x'.repeat(60_000) } };
    const reports: string[] = [];
    // Also the same step again and again.
    for (const id of ['a', 'a', 'a', 'a', 'b', 'c', 'd', 'e', 'f', 'g'])
      reports.push((await world.steps.report(caller, { messageId, step: { ...step, id } })).reason ?? id);
    expect(reports).toEqual(['a', 'a', 'a', 'a', 'b', 'c', 'd', 'e', 'quota_reached', 'quota_reached']);
    const answer = await world.delivery.respond(caller, { batchId, messageId, content: 'y'.repeat(100_000) });
    expect(answer).toMatchObject({ answered: 1, message: { steps: 5 } });
    await counted(new Date(Date.now() - 3_600_000).toISOString());
    const next = await ask(world, membership, caller);
    expect(await world.steps.report(caller, { messageId: next.messageId, step })).toEqual({ control: null });
    await allow(null);
  });

  it('that are too long are cut, and say so', async () => {
    const { membership, caller, messageId } = await atWork(world);
    const long = {
      ...edit,
      title: 'あ'.repeat(300),
      detail: 'あ'.repeat(5_000),
      diff: { path: 'a.ts', before: 'x'.repeat(100), after: '😀'.repeat(50_000) },
    };
    const { cut } = await world.steps.report(caller, { messageId, step: long });
    expect(cut).toEqual(['title', 'detail', 'diff']);
    const steps = await stepsOf(world, membership, messageId);
    if (typeof steps === 'string') throw new Error(steps);
    const [kept] = steps;
    const { title, detail = '', diff = { path: '', before: '', after: '' } } = kept ?? edit;
    expect([kept?.cut, title.length]).toEqual([['title', 'detail', 'diff'], STEP_LIMITS.titleLength]);
    expect(detail).toBe('あ'.repeat(Math.floor(STEP_LIMITS.detailBytes / 3)));
    // The side that is short leaves its room to the other one.
    expect(diff).toMatchObject({ path: 'a.ts', before: 'x'.repeat(100) });
    expect(diff.after).toBe('😀'.repeat(Math.floor((STEP_LIMITS.diffBytes - 104) / 4)));
    // The next report of it is short: what stays says that it was cut.
    await world.steps.report(caller, { messageId, step: { ...STEP, id: edit.id, title: 'Short' } });
    expect(await stepsOf(world, membership, messageId)).toMatchObject([{ cut: ['detail', 'diff'] }]);
  });

  it('are at most 200, however many come at once; known ones are still updated', async () => {
    const { membership, caller, messageId } = await atWork(world);
    const ids = Array.from({ length: STEP_LIMITS.steps + 30 }, (_, index) => `s${index}`);
    const reported = await Promise.all(
      ids.map((id) => world.steps.report(caller, { messageId, step: { ...STEP, id } })),
    );
    expect(reported.filter(({ reason }) => reason === 'too_many_steps')).toHaveLength(30);
    const kept = await stepsOf(world, membership, messageId);
    if (typeof kept === 'string') throw new Error(kept);
    expect(kept).toHaveLength(STEP_LIMITS.steps);
    const [first = STEP] = kept;
    const update = { ...first, status: 'failed' as const };
    expect(await world.steps.report(caller, { messageId, step: update })).toEqual({ control: null });
    const { message } = await world.delivery.respond(caller, { messageId, content: 'Done.' });
    expect(message?.steps).toBe(STEP_LIMITS.steps);
    expect(await stepsOf(world, membership, messageId)).toContainEqual(update);
  });

  it('that still run when the answer is stored have failed: nobody has reported their end', async () => {
    const { membership, caller, messageId } = await atWork(world);
    await world.steps.report(caller, { messageId, step: edit });
    await world.steps.report(caller, { messageId, step: STEP });
    await world.delivery.respond(caller, { messageId, content: 'I stop here.' });
    expect(await stepsOf(world, membership, messageId)).toEqual([edit, { ...STEP, status: 'failed' }]);
  });

  it('count as a sign of life, and hear what a person wants', async () => {
    const { membership, caller, messageId } = await atWork(world);
    await world.chat.interrupt(world.owner, membership);
    expect(await world.steps.report(caller, { messageId, step: STEP })).toEqual({ control: 'interrupt' });
    // A report cannot know that its answer was read: the heartbeat still says it.
    expect((await world.sessions.controls([caller.sessionId])).get(caller.sessionId)).toMatchObject({
      control: 'interrupt',
    });
  });
});

describe('whose steps they are', () => {
  const refused = (promise: Promise<unknown>) =>
    expect(promise).rejects.toMatchObject({ code: 'invalid_input' });

  it('an agent reports for an answer of its own only', async () => {
    const one = await atWork(world);
    const other = await atWork(world);
    const colleague = await atWork(world, await world.colleague(one.membership));
    const { messageId } = one;
    await world.steps.report(one.caller, { messageId, step: STEP });
    for (const { caller } of [other, colleague]) {
      await refused(world.steps.report(caller, { messageId, step: edit }));
      await refused(world.delivery.respond(caller, { messageId, content: 'Mine!' }));
      await refused(world.steps.report(caller, { messageId: one.question, step: edit }));
    }
    expect(await stepsOf(world, one.membership, messageId)).toEqual([STEP]);
    expect(await stepsOf(world, other.membership, messageId)).toBe('message_not_found');
    expect(await stepsOf(world, colleague.membership, messageId)).toBe('message_not_found');
    const { message } = await world.delivery.respond(one.caller, { messageId, content: 'Mine.' });
    expect(message?.steps).toBe(1);
    await refused(world.steps.report(one.caller, { messageId, step: edit }));
  });

  it.each([
    ['in capitals', (id: string) => id.toUpperCase()],
    ['with a letter that looks the same', (id: string) => id.replace(/^m/, 'м')],
    ['one character longer', (id: string) => `${id}0`],
    ['of something else', (id: string) => id.replace('msg_', 'sys_')],
  ])('an id %s is none', async (_, change) => {
    const { caller, messageId } = await atWork(world);
    await refused(world.steps.report(caller, { messageId: change(messageId), step: STEP }));
  });

  it('who holds no message writes no answer', async () => {
    const { membership, caller, messageId } = await atWork(world);
    await world.delivery.respond(caller, { content: 'Done.' });
    expect(await world.steps.report(caller, { messageId, step: STEP })).toEqual({
      control: null,
      reason: 'nothing_to_answer',
    });
    expect(await stepsOf(world, membership, messageId)).toBe('message_not_found');
    await expect(
      world.steps.report({ ...caller, sessionId: newId('ses') }, { messageId, step: STEP }),
    ).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('an answer that never comes', () => {
  const discards = async (projectId: string) => {
    const { rows } = await world.database.pool.query(
      `select ref ->> 'messageId' as id from change_log where project_id = $1 and kind = 'discarded' order by id`,
      [projectId],
    );
    return rows.map(({ id }) => id);
  };

  it('takes its steps with it when the session ends; the next session of the agent may go on with its id', async () => {
    const { membership, caller, runId, messageId } = await atWork(world);
    await world.steps.report(caller, { messageId, step: STEP });
    await world.coordination.reportProcessExit({ runId, exitCode: 1 });
    expect(await stepsOf(world, membership, messageId)).toBe('message_not_found');
    expect(await discards(membership.projectId)).toEqual([messageId]);
    expect(await viewOf(world, membership)).not.toHaveProperty('growing');

    world.clock.advance(2_000);
    const next = await world.signIn(membership, `host-${membership.agentId}`);
    await world.delivery.take(next.caller);
    expect(await world.steps.report(next.caller, { messageId, step: edit })).toEqual({ control: null });
    expect(await stepsOf(world, membership, messageId)).toEqual([STEP, edit]);
    expect(await viewOf(world, membership)).toMatchObject({ growing: [{ messageId }] });
  });

  it('takes them when the agent begins anew under another id', async () => {
    const { membership, caller, messageId } = await atWork(world);
    await world.steps.report(caller, { messageId, step: STEP });
    const second = newId('msg');
    await world.steps.report(caller, { messageId: second, step: STEP });
    expect(await discards(membership.projectId)).toEqual([messageId]);
    expect(await world.steps.report(caller, { messageId, step: edit })).toEqual({
      control: null,
      reason: 'answer_discarded',
    });
    expect(await viewOf(world, membership)).toMatchObject({ growing: [{ messageId: second, steps: 1 }] });
  });

  it('takes them when it needs no answer', async () => {
    const { membership, caller, messageId, batchId } = await atWork(world);
    await world.steps.report(caller, { messageId, step: STEP });
    const said = await world.delivery.respond(caller, { messageId, batchId });
    expect(said).toEqual({ message: null, answered: 1 });
    expect(await discards(membership.projectId)).toEqual([messageId]);
    expect(await stepsOf(world, membership, messageId)).toBe('message_not_found');
  });

  it('is not taken for one that grows in the next turn', async () => {
    const { membership, caller, messageId } = await atWork(world);
    await world.steps.report(caller, { messageId, step: STEP });
    await world.delivery.respond(caller, { content: 'Another answer.' });
    const next = await ask(world, membership, caller);
    expect(await viewOf(world, membership)).not.toHaveProperty('growing');
    await world.steps.report(caller, { messageId: next.messageId, step: STEP });
    expect(await viewOf(world, membership)).toMatchObject({ growing: [{ messageId: next.messageId }] });
  });
});

it('an answer to another agent keeps its steps, and readers can tell it from one in the chat', async () => {
  const talks = TalkWorld.on(world);
  const { a, b, id } = await talks.talking();
  await talks.say(a, b, 'りんご');
  const { batchId } = await world.delivery.take(b.caller);
  const answer = { messageId: newId('msg'), batchId: batchId ?? '' };
  await world.steps.report(b.caller, { ...answer, step: STEP });
  expect(await viewOf(world, b)).toMatchObject({
    growing: [{ messageId: answer.messageId, steps: 1, conversationId: id }],
  });
  const names = [{ messageId: answer.messageId, stepId: STEP.id }];
  const named = { agentId: b.agentId, conversationId: id };
  expect(await world.steps.firstByNames(names)).toMatchObject({
    asked: 1,
    steps: [{ ...named, step: STEP }],
  });
  await world.steps.report(b.caller, { ...answer, step: { ...STEP, status: 'done' } });
  await world.steps.report(b.caller, { ...answer, step: { ...STEP, id: 's9' } });
  const { message } = await world.delivery.respond(b.caller, { ...answer, content: 'ごま' });
  expect(message).toMatchObject({ id: answer.messageId, conversationId: id, steps: 2 });
  const kept = [
    { ...STEP, status: 'done' },
    { ...STEP, id: 's9', status: 'failed' },
  ];
  // It stands in the transcripts of both.
  for (const side of [a, b]) expect(await stepsOf(world, side, answer.messageId)).toEqual(kept);
  expect(await world.steps.firstByNames(names)).toMatchObject({ steps: [named] });

  await talks.say(a, b, 'まり');
  const second = { messageId: newId('msg'), batchId: (await world.delivery.take(b.caller)).batchId ?? '' };
  await world.steps.report(b.caller, { ...second, step: STEP });
  await world.delivery.respond(b.caller, second);
  expect(await stepsOf(world, b, second.messageId)).toBe('message_not_found');
});

it('two answers grow while one of them waits for a person', async () => {
  const { membership, caller, messageId, batchId } = await atWork(world);
  await world.steps.report(caller, { messageId, step: STEP, batchId });
  await world.questions.ask(caller, {
    questions: [
      {
        question: 'Go on?',
        header: 'Go',
        options: [
          { label: 'Yes', description: '' },
          { label: 'No', description: '' },
        ],
        multiSelect: false,
      },
    ],
  });
  const second = await ask(world, membership, caller);
  await world.steps.report(caller, { ...second, step: STEP });
  expect(await viewOf(world, membership)).toMatchObject({
    chatStatus: 'waiting_for_person',
    growing: [{ messageId }, { messageId: second.messageId }],
  });
  await world.delivery.respond(caller, { messageId: second.messageId, content: 'In between.', done: false });
  await world.steps.report(caller, { messageId, step: edit, batchId });
  expect(await viewOf(world, membership)).toMatchObject({ growing: [{ messageId, steps: 2 }] });
});
