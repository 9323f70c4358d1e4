import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { AgentTasks } from '../../src/core/tasks/agent-tasks.ts';
import { TaskRecordService } from '../../src/core/tasks/task-record-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { newId } from '../../src/platform/ids.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
let tasks: TaskService;
let records: TaskRecordService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  tasks = new TaskService(world.deps);
  records = new TaskRecordService(world.deps);
});
afterAll(() => world.close());

async function person(
  name: string,
  projectId: string | undefined,
  accessLevel: 'member' | 'viewer' = 'member',
): Promise<Person> {
  const { id } = await world.agents.create(world.owner, { name, type: 'human', accessLevel });
  if (projectId !== undefined) await world.projects.putAgent(world.owner, { projectId, agentId: id });
  return { id, name, accessLevel };
}

/** The messages that mention this person, as the inbox shows them. */
const mentionsOf = async (who: Person) =>
  (await world.inbox.list(who)).items.filter(({ kind }) => kind === 'mention');
const textsOf = async (who: Person) => (await mentionsOf(who)).map(({ title }) => title);

it('a message of a person waits in the inbox of whom it mentions, once, until it is read', async () => {
  const membership = await world.agentInProject();
  const ann = await person('Ann', membership.projectId);
  const viewer = await person('高橋', membership.projectId, 'viewer');
  const content = '@Ann と @高橋さん、見てください @Ann @Owner';
  const post = { ...membership, content, clientMessageId: 'one' };
  const { message } = await world.chat.post(world.owner, post);
  expect((await world.chat.post(world.owner, post)).created).toBe(false);
  for (const who of [ann, viewer])
    expect(await mentionsOf(who)).toEqual([
      {
        kind: 'mention',
        ...membership,
        refId: message.id,
        createdAt: message.createdAt,
        title: content,
      },
    ]);
  expect(await mentionsOf(world.owner)).toEqual([]);
  await world.history.markRead(ann, { ...membership, upToMessageId: message.id });
  expect([await textsOf(ann), await textsOf(viewer)]).toEqual([[], [content]]);
});

it('a message to an agent that is awake mentions as one to an agent that is not', async () => {
  const membership = await world.agentInProject();
  await world.warmAgent(membership);
  const ann = await person('Ann', membership.projectId);
  await world.chat.post(world.owner, { ...membership, content: 'Mail me@Ann, `@Ann`' });
  await world.chat.post(ann, { ...membership, content: '@Ann is me' });
  expect(await textsOf(ann)).toEqual([]);
  await world.chat.post(world.owner, { ...membership, content: 'cc @Ann' });
  expect(await textsOf(ann)).toEqual(['cc @Ann']);
});

it.each(['member', 'viewer'] as const)('mentions that a %s has put away do not come back', async (level) => {
  const membership = await world.agentInProject();
  const ann = await person('Ann', membership.projectId, level);
  await world.chat.post(world.owner, { ...membership, content: 'cc @Ann' });
  const [item] = await mentionsOf(ann);
  if (!item) throw new Error('no mention');
  const { projectId, refId, createdAt } = item;
  await world.inbox.dismiss(ann, { items: [{ kind: 'mention', projectId, refId, createdAt }] });
  expect(await textsOf(ann)).toEqual([]);
  const putAway = async () => (await world.inbox.listPutAway(ann, { limit: 50 })).items;
  expect(await putAway()).toEqual([{ ...item, putAwayAt: expect.any(String) }]);
  await world.inbox.restore(ann, { items: [{ kind: 'mention', projectId, refId }] });
  expect(await textsOf(ann)).toEqual(['cc @Ann']);
  await world.inbox.dismiss(ann, { items: [{ kind: 'mention', projectId, refId, createdAt }] });
  await world.history.markRead(ann, { ...membership, upToMessageId: refId });
  expect(await putAway(), 'read').toEqual([]);
});

it('nobody is told who may not read the chat, has left or was deleted', async () => {
  const membership = await world.agentInProject();
  const { projectId } = membership;
  const [stranger, left, gone] = [
    await person('Stranger', undefined),
    await person('Left', projectId),
    await person('Gone', projectId),
  ];
  const say = () => world.chat.post(world.owner, { ...membership, content: '@Stranger @Left @Gone' });
  await say();
  expect((await textsOf(left)).length).toBe(1);
  await world.projects.removeAgent(world.owner, { projectId, agentId: left.id });
  await world.agents.remove(world.owner, gone.id);
  await say();
  for (const who of [stranger, left, gone]) expect(await textsOf(who)).toEqual([]);
  const { rows } = await world.database.pool.query(
    'select human_id from mentions where human_id = any($1::text[])',
    [[stranger.id, left.id, gone.id]],
  );
  expect(rows.length).toBe(2);
});

it('an answer of an agent mentions too, however it is stored, and once when it is sent again', async () => {
  const membership = await world.agentInProject();
  const { caller } = await world.warmAgent(membership);
  const ann = await person('Ann', membership.projectId);
  const answer = { content: 'plain @Ann', idempotencyKey: 'one' };
  await world.delivery.respond(caller, answer);
  await world.delivery.respond(caller, answer);
  await world.delivery.respond(caller, { content: 'named @Ann', messageId: newId('msg') });
  await world.delivery.send(caller, { targetAgentId: 'user', content: 'sent @Ann' });
  expect((await textsOf(ann)).toSorted()).toEqual(['named @Ann', 'plain @Ann', 'sent @Ann']);
  const [item] = await mentionsOf(ann);
  const { messages } = await world.history.list(ann, { ...membership, limit: 50 });
  expect(messages.find(({ id }) => id === item?.refId)?.createdAt).toBe(item?.createdAt);
});

it('the name of another agent begins no conversation by itself: the agent that reads it begins one', async () => {
  const membership = await world.agentInProject();
  const { caller } = await world.warmAgent(membership);
  const { projectId } = membership;
  const { id } = await world.agents.create(world.owner, { name: 'Other', type: 'ai' });
  await world.projects.putAgent(world.owner, { projectId, agentId: id });
  await world.chat.post(world.owner, { ...membership, content: '@Other please' });
  await world.delivery.respond(caller, { content: 'I ask @Other' });
  const list = () => world.conversations.list(world.owner, projectId, { limit: 10 });
  expect((await list()).conversations).toEqual([]);
  await world.talks.start(caller, { targetAgentId: id, purpose: '@Other please' });
  expect((await list()).conversations).toHaveLength(1);
});

it('a comment on a task waits in the inbox of whom it mentions, once, until it is read', async () => {
  const membership = await world.agentInProject();
  const { projectId } = membership;
  const task = await tasks.create(world.owner, projectId, { title: 'Write the plan' });
  const ann = await person('Ann', projectId);
  const viewer = await person('Vera', projectId, 'viewer');
  const comment = () =>
    records.comment(world.owner, task.id, { body: '@Ann @Vera @Owner, look @Ann', clientCommentId: 'one' });
  const first = await comment();
  expect((await comment()).id).toBe(first.id);
  for (const who of [ann, viewer])
    expect(await mentionsOf(who)).toEqual([
      {
        kind: 'mention',
        projectId,
        refId: first.id,
        taskId: task.id,
        taskTitle: 'Write the plan',
        createdAt: first.createdAt,
        title: first.body,
      },
    ]);
  expect(await mentionsOf(world.owner)).toEqual([]);
  expect(await unreadEvents(membership)).toEqual([ann.id, viewer.id].toSorted());
  await records.comment(world.owner, task.id, { body: 'and @Ann' });
  await records.markRead(ann, task.id, { upToCommentId: first.id });
  expect([await textsOf(ann), await textsOf(viewer)]).toEqual([['and @Ann'], [first.body]]);
  await expect(records.markRead(ann, task.id, { upToCommentId: 'cmt_none' })).rejects.toMatchObject({
    code: 'comment_not_found',
  });
  await records.deleteComment(world.owner, task.id, first.id);
  expect(await textsOf(viewer)).toEqual([]);
  await tasks.remove(world.owner, task.id);
  expect(await textsOf(ann)).toEqual([]);
});

it('in a comment too, a quotation is silent, and who may not see the task is told nothing', async () => {
  const { projectId } = await world.agentInProject();
  const task = await tasks.create(world.owner, projectId, { title: 'Write the plan' });
  const [ann, stranger] = [await person('Ann', projectId), await person('Stranger', undefined)];
  const say = (body: string) => records.comment(world.owner, task.id, { body });
  await say('> @Ann, what do you think?\n\n`@Ann` said "ask @Ann", me@Ann');
  await say('@Stranger');
  for (const who of [ann, stranger]) expect(await textsOf(who)).toEqual([]);
  await say('@Ann');
  await world.projects.removeAgent(world.owner, { projectId, agentId: ann.id });
  expect(await textsOf(ann)).toEqual([]);
});

it('a mention in a comment that was put away does not come back, and is gone when it is read', async () => {
  const { projectId } = await world.agentInProject();
  const task = await tasks.create(world.owner, projectId, { title: 'Write the plan' });
  const ann = await person('Ann', projectId);
  await records.comment(world.owner, task.id, { body: 'cc @Ann' });
  const [item] = await mentionsOf(ann);
  if (!item) throw new Error('no mention');
  const { refId, createdAt } = item;
  const away = { items: [{ kind: 'mention' as const, projectId, refId, createdAt }] };
  await world.inbox.dismiss(ann, away);
  expect(await textsOf(ann)).toEqual([]);
  const putAway = async () => (await world.inbox.listPutAway(ann, { limit: 50 })).items;
  expect(await putAway()).toEqual([{ ...item, putAwayAt: expect.any(String) }]);
  await world.inbox.restore(ann, { items: [{ kind: 'mention', projectId, refId }] });
  expect(await textsOf(ann)).toEqual(['cc @Ann']);
  await world.inbox.dismiss(ann, away);
  await records.markRead(ann, task.id, { upToCommentId: refId });
  expect(await putAway(), 'read').toEqual([]);
});

it('a comment of an agent mentions too', async () => {
  const membership = await world.agentInProject();
  const { projectId } = membership;
  const { caller } = await world.warmAgent(membership);
  const { id: taskId } = await tasks.create(world.owner, projectId, { title: 'Write the plan' });
  const ann = await person('Ann', projectId);
  await new AgentTasks(world.deps).move(caller, { taskId, status: 'todo', comment: 'I begin, @Ann' });
  expect(await mentionsOf(ann)).toMatchObject([{ taskId, title: 'I begin, @Ann' }]);
});

it('whoever is mentioned hears of it at once', async () => {
  const membership = await world.agentInProject();
  const ann = await person('Ann', membership.projectId);
  await world.chat.post(world.owner, { ...membership, content: 'cc @Ann' });
  expect(await unreadEvents(membership)).toEqual([ann.id]);
});

async function unreadEvents({ projectId }: WorldAgent): Promise<string[]> {
  const { rows } = await world.database.pool.query<{ human_id: string }>(
    `select ref ->> 'humanId' as human_id from change_log where project_id = $1 and kind = 'unread'
     order by 1`,
    [projectId],
  );
  return rows.map(({ human_id }) => human_id);
}
