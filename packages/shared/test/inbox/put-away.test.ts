import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InboxRef, PutAwayItem } from '../../src/contract/inbox.ts';
import type { Person } from '../../src/core/access/person.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld } from '../../src/testing/service-world.ts';
import { workingAgent } from '../questions/question-support.ts';

let world: ServiceWorld;
let tasks: TaskService;
beforeAll(async () => {
  world = await ServiceWorld.create();
  tasks = new TaskService(world.deps);
});
afterAll(() => world.close());

let persons = 0;
async function person(accessLevel: 'member' | 'viewer', projectId: string): Promise<Person> {
  persons += 1;
  const id = `${accessLevel}_${persons}`;
  await world.agents.create(world.owner, { id, name: id, type: 'human', accessLevel });
  await world.projects.putAgent(world.owner, { projectId, agentId: id });
  return { id, name: id, accessLevel };
}

async function stuck(projectId: string, title: string) {
  const task = await tasks.create(world.owner, projectId, { title, status: 'blocked' });
  return { task, ref: { kind: 'blocked_task', projectId, refId: task.id } satisfies InboxRef };
}

const putAway = async (of: Person): Promise<PutAwayItem[]> =>
  (await world.inbox.listPutAway(of, { limit: 50 })).items;
const titles = async (of: Person) => (await putAway(of)).map(({ title }) => title);

it('lists what was put away and what comes back later, last put away first, to that person alone', async () => {
  const { projectId } = await world.agentInProject();
  const me = await person('member', projectId);
  const [old, young] = [await stuck(projectId, 'Old'), await stuck(projectId, 'Young')];
  await world.inbox.dismiss(me, { items: [young.ref] });
  world.clock.advance(1_000);
  const until = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
  await world.inbox.dismiss(me, { items: [{ ...old.ref, createdAt: young.task.createdAt }], until });
  const items = await putAway(me);
  expect(items).toEqual([
    { ...old.ref, title: 'Old', createdAt: expect.any(String), putAwayAt: expect.any(String), until },
    { ...young.ref, title: 'Young', createdAt: expect.any(String), putAwayAt: expect.any(String) },
  ]);
  expect(await putAway(world.owner)).toEqual([]);
  await world.inbox.restore(me, { items: [young.ref] });
  expect(await titles(me)).toEqual(['Old']);
  world.clock.advance(3_600_001);
  expect(await titles(me), 'it has come back').toEqual([]);
});

it('what has happened again, is over or is not to be seen any more is not listed', async () => {
  const { projectId } = await world.agentInProject();
  const me = await person('member', projectId);
  const [again, over, kept] = [
    await stuck(projectId, 'Again'),
    await stuck(projectId, 'Over'),
    await stuck(projectId, 'Kept'),
  ];
  await world.inbox.dismiss(me, { items: [again.ref, over.ref, kept.ref] });
  expect((await titles(me)).toSorted()).toEqual(['Again', 'Kept', 'Over']);
  world.clock.advance(1_000);
  for (const { task } of [again, over])
    await tasks.update(world.owner, task.id, { version: task.version, status: 'in_progress' });
  const { version } = await tasks.get(world.owner, again.task.id);
  await tasks.update(world.owner, again.task.id, { version, status: 'blocked' });
  expect(await titles(me)).toEqual(['Kept']);
  await world.agents.update(world.owner, me.id, { accessLevel: 'viewer' });
  expect(await putAway({ ...me, accessLevel: 'viewer' }), 'a viewer acts on nothing').toEqual([]);
  await world.projects.removeAgent(world.owner, { projectId, agentId: me.id });
  expect(await titles(me)).toEqual([]);
});

it('a failed run and the message that failed with it are listed until a newer run or message', async () => {
  const { membership, runId } = await workingAgent(world);
  const me = await person('member', membership.projectId);
  const { message } = await world.chat.post(me, { ...membership, content: 'Nobody\nhears me' });
  await world.coordination.reportProcessExit({ runId, exitCode: 7, stderrTail: 'oops' });
  world.clock.advance(301_000);
  await world.sweeper.runOnce();
  const items: InboxRef[] = (await world.inbox.list(me)).items.flatMap(({ kind, projectId, refId }) =>
    kind === 'failed_run' || kind === 'failed_message' ? [{ kind, projectId, refId }] : [],
  );
  expect(items.map(({ refId }) => refId).toSorted()).toEqual([message.id, runId].toSorted());
  await world.inbox.dismiss(me, { items });
  const listed = await putAway(me);
  expect(listed.map(({ kind, agentId }) => `${kind} ${agentId}`).toSorted()).toEqual([
    `failed_message ${membership.agentId}`,
    `failed_run ${membership.agentId}`,
  ]);
  expect(listed.find(({ kind }) => kind === 'failed_message')?.title).toBe('Nobody hears me');
  await world.chat.post(me, { ...membership, content: 'Something else' });
  expect((await putAway(me)).map(({ kind }) => kind)).toEqual(['failed_run']);
  await world.warmAgent(membership);
  expect(await putAway(me)).toEqual([]);
});

it('is read in pages: each once, also those that were put away in the same call', async () => {
  const { projectId } = await world.agentInProject();
  const me = await person('member', projectId);
  const refs: InboxRef[] = [];
  for (let n = 0; n < 7; n++) refs.push((await stuck(projectId, `Task ${n}`)).ref);
  await world.inbox.dismiss(me, { items: refs.slice(0, 5) });
  world.clock.advance(1_000);
  await world.inbox.dismiss(me, { items: refs.slice(5) });
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await world.inbox.listPutAway(me, { limit: 2, cursor });
    expect(page.items.length).toBeLessThanOrEqual(2);
    found.push(...page.items.map(({ refId }) => refId));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(found.toSorted()).toEqual(refs.map(({ refId }) => refId).toSorted());
  expect(found.slice(0, 2).toSorted()).toEqual(
    refs
      .slice(5)
      .map(({ refId }) => refId)
      .toSorted(),
  );
  await expect(world.inbox.listPutAway(me, { limit: 2, cursor: 'x' })).rejects.toMatchObject({
    code: 'invalid_input',
  });
});
