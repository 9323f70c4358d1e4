import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { toRun } from '../approvals/approval-support.ts';
import { ask, workingAgent } from '../questions/question-support.ts';
import { reportTask, workingOnTask } from '../tasks/task-work-support.ts';

let world: ServiceWorld;
let tasks: TaskService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  tasks = new TaskService(world.deps);
});
afterAll(() => world.close());

/** What waits in one project: kind and title. */
const waits = async (membership: Pick<WorldAgent, 'projectId'>, person: Person = world.owner) =>
  (await world.inbox.list(person)).items
    .filter(({ projectId }) => projectId === membership.projectId)
    .map(({ kind, title }) => `${kind} ${title}`);

async function person(accessLevel: 'member' | 'viewer', projects: readonly string[]): Promise<Person> {
  const id = `${accessLevel}_${projects.join('').slice(4, 14) || 'nowhere'}`;
  await world.agents.create(world.owner, { id, name: id, type: 'human', accessLevel });
  for (const projectId of projects) await world.projects.putAgent(world.owner, { projectId, agentId: id });
  return { id, name: id, accessLevel };
}

it('a question waits until it is answered, its first question as title', async () => {
  const { membership, caller } = await workingAgent(world);
  const { toolUseId } = await world.questions.ask(caller, { questions: ask('Which way?') });
  await world.questions.ask(caller, { questions: ask('Behind it?') });
  expect(await waits(membership)).toEqual(['question Which way?']);
  const [item] = (await world.inbox.list(world.owner)).items.filter(({ kind }) => kind === 'question');
  expect(item).toMatchObject({ refId: toolUseId, agentId: membership.agentId });
  await world.questions.answer(world.owner, toolUseId, { 0: '0' });
  expect(await waits(membership)).toEqual(['question Behind it?']);
});

it('an approval waits until it is decided, among the questions by its deadline', async () => {
  const { membership, caller } = await workingAgent(world);
  const { toolUseId } = await world.approvals.request(caller, toRun('npm test'));
  world.clock.advance(1_000);
  await world.questions.ask(caller, { questions: ask('Which way?') });
  world.clock.advance(1_000);
  await world.approvals.request(caller, toRun('git push'));
  expect(await waits(membership)).toEqual([
    'approval Run npm test',
    'question Which way?',
    'approval Run git push',
  ]);
  expect((await world.inbox.list(world.owner)).items).toContainEqual({
    kind: 'approval',
    projectId: membership.projectId,
    agentId: membership.agentId,
    refId: toolUseId,
    createdAt: expect.any(String),
    title: 'Run npm test',
  });
  await world.approvals.decide(world.owner, toolUseId, { decision: 'deny' });
  expect(await waits(membership)).toEqual(['question Which way?', 'approval Run git push']);
  expect(await waits(membership, await person('viewer', [membership.projectId]))).toEqual([]);
});

it('a failed message waits for its writer, until he sends it again or says something newer', async () => {
  const membership = await world.agentInProject();
  let messageId = '';
  // How long it has waited is said to the second.
  await world.clock.frozen(async () => {
    const sent = await world.chat.post(world.owner, { ...membership, content: 'Nobody\nhears me' });
    messageId = sent.message.id;
    world.clock.advance(301_000);
    await world.sweeper.runOnce();
  });
  const both = ['failed_message Nobody hears me', 'unread Worker: 未読 1 件'];
  expect((await waits(membership)).toSorted()).toEqual(both);
  const { items } = await world.inbox.list(world.owner);
  expect(items.find(({ refId }) => refId === messageId)?.failure).toEqual({
    code: 'timeout',
    params: { seconds: 301 },
  });
  expect(await waits(membership, await person('member', [membership.projectId]))).toEqual([
    'unread Worker: 未読 1 件',
  ]);
  await world.chat.retry(world.owner, { ...membership, messageId });
  expect(await waits(membership)).not.toContain('failed_message Nobody hears me');
  world.clock.advance(301_000);
  await world.sweeper.runOnce();
  expect(await waits(membership)).toContain('failed_message Nobody hears me');
  await world.chat.post(world.owner, { ...membership, content: 'Something else' });
  expect(await waits(membership)).not.toContain('failed_message Nobody hears me');
});

it('a failed run waits until there is a newer one', async () => {
  const { membership, runId } = await workingAgent(world);
  await world.coordination.reportProcessExit({ runId, exitCode: 7, stderrTail: 'oops' });
  expect(await waits(membership)).toContain('failed_run Worker: 異常終了しました');
  world.clock.advance(2_000);
  await world.coordinator();
  await world.signIn(membership);
  expect((await waits(membership)).join()).not.toContain('failed_run');
});

it('a blocked task waits; unread words wait until they are read', async () => {
  const { membership, caller } = await workingAgent(world);
  const task = await tasks.create(world.owner, membership.projectId, { title: 'Stuck', status: 'blocked' });
  await world.delivery.respond(caller, { content: 'Done' });
  expect((await waits(membership)).toSorted()).toEqual(['blocked_task Stuck', 'unread Worker: 未読 1 件']);
  const { messages } = await world.history.list(world.owner, { ...membership, limit: 50 });
  await world.history.markRead(world.owner, { ...membership, upToMessageId: messages.at(-1)?.id ?? '' });
  await tasks.update(world.owner, task.id, { version: task.version, status: 'in_progress' });
  expect(await waits(membership)).toEqual([]);
});

it('a blocked task says what the attempt that blocked it ended with', async () => {
  const membership = await world.agentInProject();
  const work = await workingOnTask(world, membership);
  await reportTask(world, work, 'blocked');
  const attempt = async () => {
    const { items } = await world.inbox.list(world.owner);
    return items.find(({ refId }) => refId === work.key.taskId)?.attempt;
  };
  expect(await attempt()).toEqual({ summary: 'It is blocked.' });
  await world.database.db
    .updateTable('taskAttempts')
    .set({ reason: JSON.stringify({ code: 'program_missing', params: { program: 'x' } }) })
    .where('taskId', '=', work.key.taskId)
    .execute();
  expect((await attempt())?.reason?.code).toBe('program_missing');
  // A person who blocks it again has other reasons.
  world.clock.advance(1_000);
  const { version } = await tasks.update(world.owner, work.key.taskId, {
    version: (await tasks.get(world.owner, work.key.taskId)).version,
    status: 'todo',
  });
  await world.database.db
    .updateTable('tasks')
    .set({ assigneeId: null })
    .where('id', '=', work.key.taskId)
    .execute();
  const again = await tasks.update(world.owner, work.key.taskId, { version, status: 'in_progress' });
  await tasks.update(world.owner, work.key.taskId, { version: again.version, status: 'blocked' });
  expect(await waits(membership)).toEqual(['blocked_task Do it']);
  expect(await attempt()).toBeUndefined();
});

it('shows what the person may see, and to a viewer only what he may read', async () => {
  const { membership, caller } = await workingAgent(world);
  await world.questions.ask(caller, { questions: ask('Seen?') });
  await world.delivery.respond(caller, { content: 'Asked' });
  expect(await waits(membership, await person('member', []))).toEqual([]);
  expect(await waits(membership, await person('viewer', [membership.projectId]))).toEqual([
    'unread Worker: 未読 1 件',
  ]);
  await world.projects.update(world.owner, membership.projectId, { status: 'archived' });
  expect(await waits(membership)).toEqual([]);
});

it('the longest waiting comes first, over all projects', async () => {
  const older = await workingAgent(world);
  await world.questions.ask(older.caller, { questions: ask('Older?') });
  world.clock.advance(5_000);
  const newer = await workingAgent(world);
  await world.questions.ask(newer.caller, { questions: ask('Newer?') });
  const { items } = await world.inbox.list(world.owner);
  const titles = items.map(({ title }) => title);
  expect(titles.indexOf('Older?')).toBeLessThan(titles.indexOf('Newer?'));
  expect(items.map(({ createdAt }) => createdAt)).toEqual(items.map(({ createdAt }) => createdAt).sort());
});

it('what is said last waits behind nothing: a question comes before more tasks than an inbox shows', async () => {
  const { membership, caller } = await workingAgent(world);
  const { toolUseId } = await world.questions.ask(caller, { questions: ask('Newest of all?') });
  await world.database.pool.query(
    `insert into tasks (id, project_id, title, status, updated_at)
     select 'tsk_many_' || n, $1, 'Stuck', 'blocked', now() - interval '1 day' from generate_series(1, 300) n`,
    [membership.projectId],
  );
  const { items } = await world.inbox.list(world.owner);
  expect(items).toHaveLength(200);
  expect(items.filter(({ kind }) => kind === 'blocked_task').length).toBeGreaterThan(100);
  expect(items.map(({ refId }) => refId)).toContain(toolUseId);
  const few = (await world.inbox.list(await person('member', [membership.projectId]), 2)).items;
  expect(few.map(({ kind }) => kind)).toEqual(['blocked_task', 'question']);
});

it('nothing of an agent that is no member any more waits, also what it said before', async () => {
  const { membership, runId, caller } = await workingAgent(world);
  await world.delivery.respond(caller, { content: 'Done' });
  await world.coordination.reportProcessExit({ runId, exitCode: 7, stderrTail: 'oops' });
  const member = await person('member', [membership.projectId]);
  expect((await waits(membership, member)).map((line) => line.split(' ')[0]).toSorted()).toEqual([
    'failed_run',
    'unread',
  ]);
  await world.projects.removeAgent(world.owner, membership);
  expect(await waits(membership, member)).toEqual([]);
});

it('of messages that failed at the same instant, a full inbox always shows the same ones', async () => {
  const membership = await world.agentInProject();
  const writer = await person('member', [membership.projectId]);
  const contents = ['One', 'Two', 'Three'];
  for (const content of contents) await world.chat.post(writer, { ...membership, content });
  world.clock.advance(301_000);
  await world.sweeper.runOnce();
  const { items } = await world.inbox.list(writer);
  const failed = items.filter(({ kind }) => kind === 'failed_message').map(({ refId }) => refId);
  expect(failed).toHaveLength(contents.length);
  for (const id of failed) {
    // Its row and its entry in the index are behind the others now.
    for (const step of ['+', '-']) {
      const sql = `update chat_messages set failed_at = failed_at ${step} interval '1 second' where id = $1`;
      await world.database.pool.query(sql, [id]);
    }
    const first = (await world.inbox.list(writer, 1)).items.map(({ refId }) => refId);
    expect(first).toEqual([failed.toSorted().at(-1)]);
  }
});

it('what a person puts away is hidden from that person alone, until it happens again or its time has come', async () => {
  const membership = await world.agentInProject();
  const { projectId } = membership;
  const other = await world.agentInProject();
  const me = await person('member', [projectId]);
  const member = await person('member', [other.projectId, projectId]);
  const task = await tasks.create(world.owner, projectId, { title: 'Stuck', status: 'blocked' });
  const item = { kind: 'blocked_task', projectId, refId: task.id } as const;
  await world.inbox.dismiss(me, { items: [item] });
  expect(await waits(membership, me)).toEqual([]);
  expect(await waits(membership, member)).toEqual(['blocked_task Stuck']);
  await world.inbox.restore(me, { items: [item] });
  expect(await waits(membership, me)).toEqual(['blocked_task Stuck']);
  const until = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
  await world.inbox.dismiss(me, { items: [item], until });
  expect(await waits(membership, me)).toEqual([]);
  world.clock.advance(3_600_001);
  expect(await waits(membership, me)).toEqual(['blocked_task Stuck']);
  await world.inbox.dismiss(me, { items: [item] });
  world.clock.advance(1_000);
  const before = world.clock.now().toISOString();
  const again = await tasks.update(world.owner, task.id, { version: task.version, status: 'in_progress' });
  const blocked = await tasks.update(world.owner, task.id, { version: again.version, status: 'blocked' });
  expect(await waits(membership, me)).toEqual(['blocked_task Stuck']);
  // What the person looked at was the one before.
  await world.inbox.dismiss(me, { items: [{ ...item, createdAt: before }] });
  expect(await waits(membership, me)).toEqual(['blocked_task Stuck']);
  const seen = (await world.inbox.list(me)).items.find(({ refId }) => refId === task.id);
  await world.inbox.dismiss(me, { items: [{ ...item, createdAt: seen?.createdAt }] });
  world.clock.advance(1_000);
  await tasks.update(world.owner, task.id, { version: blocked.version, title: 'Stuck fast' });
  expect(await waits(membership, me), 'it is the same, only edited').toEqual([]);
  const stranger = await person('member', [(await world.agentInProject()).projectId]);
  await expect(world.inbox.dismiss(stranger, { items: [item] })).rejects.toMatchObject({
    code: 'project_not_found',
  });
});
