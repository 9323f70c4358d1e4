import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Proposal } from '../../src/contract/proposal.ts';
import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { AgentProposals } from '../../src/core/proposals/agent-proposals.ts';
import { ProposalService } from '../../src/core/proposals/proposal-service.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { addPerson, outcomes } from '../auth/people-support.ts';

/* An agent proposes how a task is split; a person decides. */

let world: ServiceWorld;
let board: TaskService;
let people: ProposalService;
let agents: AgentProposals;
let membership: WorldAgent;
let caller: AgentCaller;
let taskId: string;

beforeAll(async () => {
  world = await ServiceWorld.create();
  board = new TaskService(world.deps);
  people = new ProposalService(world.deps);
  agents = new AgentProposals(world.deps);
});
afterAll(() => world.close());
beforeEach(async () => {
  membership = await world.agentInProject();
  ({ caller } = await world.warmAgent(membership));
  ({ id: taskId } = await board.create(world.owner, membership.projectId, { title: 'Move house' }));
});

const PARTS = [
  { title: 'Pack', description: '- books', dependsOn: [] },
  { title: 'Carry', dependsOn: [1] },
  { title: 'Unpack', dependsOn: [2] },
];
const propose = (parts: Parameters<AgentProposals['propose']>[1]['parts'] = PARTS, idempotencyKey?: string) =>
  agents.propose(caller, { taskId, parts, idempotencyKey });
const partsOf = async () =>
  (await board.list(world.owner, membership.projectId, { parentId: taskId, limit: 50 })).tasks;
const waiting = async () =>
  (await world.inbox.list(world.owner)).items.filter(({ refId }) => refId === taskId);

test('nothing is made before a person accepts; then all stand in their order, and the card is gone', async () => {
  const { id } = await propose();
  expect(await partsOf()).toEqual([]);
  expect(await waiting()).toMatchObject([{ kind: 'proposal', title: 'Move house', agentId: caller.agentId }]);
  const accepted = await people.decide(world.owner, id, { decision: 'accept' });
  const made = await partsOf();
  expect(made).toMatchObject([
    { title: 'Pack', description: '- books', status: 'todo', dependsOn: [], createdBy: world.owner.id },
    { title: 'Carry', dependsOn: [made[0]?.id] },
    { title: 'Unpack', dependsOn: [made[1]?.id] },
  ]);
  expect(made.map(({ position }) => position)).toEqual(made.map(({ position }) => position).toSorted());
  expect(accepted).toMatchObject({ state: 'accepted', taskIds: made.map((task) => task.id) });
  expect(await waiting()).toEqual([]);
});

test('chosen ones, with other titles; the order stays over what is left out', async () => {
  const { id } = await propose();
  await people.decide(world.owner, id, {
    decision: 'accept',
    chosen: [{ n: 3, title: 'Open boxes' }, { n: 1 }],
  });
  const made = await partsOf();
  expect(made).toMatchObject([{ title: 'Pack' }, { title: 'Open boxes', dependsOn: [made[0]?.id] }]);
  const other = await propose([{ title: 'A', dependsOn: [] }]);
  await expect(
    people.decide(world.owner, other.id, { decision: 'accept', chosen: [{ n: 2 }] }),
  ).rejects.toMatchObject({ code: 'invalid_input' });
});

test('of a task that is closed nobody has to decide, and those of deleted ones are in nobody’s way', async () => {
  const gone = await board.create(world.owner, membership.projectId, { title: 'Gone' });
  await agents.propose(caller, { taskId: gone.id, parts: PARTS });
  await board.remove(world.owner, gone.id);
  await propose();
  const member = await addPerson(world, 'person_decides', { projects: [membership.projectId] });
  const first = async () => (await world.inbox.list(member, 1)).items.map(({ refId }) => refId);
  expect(await first()).toEqual([taskId]);
  await board.update(world.owner, taskId, { version: 1, status: 'cancelled' });
  expect(await waiting()).toEqual([]);
  await board.update(world.owner, taskId, { version: 2, status: 'backlog' });
  expect(await first()).toEqual([taskId]);
});

test('a double click makes them once; another decision is refused', async () => {
  const { id } = await propose();
  const accept = () => people.decide(world.owner, id, { decision: 'accept' });
  const both = await Promise.all([accept(), accept()]);
  expect(new Set(both.map(({ taskIds }: Proposal) => taskIds.join())).size).toBe(1);
  expect(await partsOf()).toHaveLength(3);
  await expect(people.decide(world.owner, id, { decision: 'decline' })).rejects.toMatchObject({
    code: 'proposal_resolved',
  });
  const next = await propose();
  await people.decide(world.owner, next.id, { decision: 'decline' });
  expect(await outcomes([people.decide(world.owner, next.id, { decision: 'accept' })])).toEqual([
    'proposal_resolved',
  ]);
  expect(await partsOf()).toHaveLength(3);
});

test('the same again is one proposal; others of the same agent replace it, those of another wait', async () => {
  const first = await propose(PARTS, 'k');
  expect((await propose(PARTS, 'k')).id).toBe(first.id);
  expect((await propose()).id).toBe(first.id);
  const second = await propose([{ title: 'All at once', dependsOn: [] }]);
  const { proposals } = await people.list(world.owner, taskId);
  expect(proposals.map(({ id, state }) => [id, state])).toEqual([
    [second.id, 'open'],
    [first.id, 'replaced'],
  ]);
  const long = Array.from({ length: 14 }, (_none, n) => ({
    title: `Part ${n}`,
    description: 'x'.repeat(50_000),
    dependsOn: [],
  }));
  for (const last of ['A', 'B']) await propose([...long, { title: last, dependsOn: [] }]);
  const fitting = await people.list(world.owner, taskId);
  expect(fitting.proposals.map(({ state, parts }) => [state, parts.at(-1)?.title])).toEqual([['open', 'B']]);
  const { id: agentId } = await world.agents.create(world.owner, { name: 'Other', type: 'ai' });
  await world.projects.putAgent(world.owner, { projectId: membership.projectId, agentId });
  const other = await world.warmAgent({ projectId: membership.projectId, agentId });
  await expect(agents.propose(other.caller, { taskId, parts: PARTS })).rejects.toMatchObject({
    code: 'proposal_open',
  });
});

test('only what can be made, and only as much as agents may begin for one another', async () => {
  expect(
    await outcomes([
      propose([{ title: 'A', dependsOn: [1] }]),
      propose([{ title: 'A', dependsOn: [], assigneeId: 'nobody_here' }]),
      agents.propose(caller, { taskId: 'tsk_none', parts: PARTS }),
      agents.propose(caller, { parts: PARTS }),
    ]),
  ).toEqual(['agent_not_in_project', 'invalid_input', 'task_not_found', 'task_not_found']);
  const { db } = world.database;
  const { sessionId, projectId } = caller;
  await db.insertInto('conversationChains').values({ id: sessionId, projectId, taskCount: 1_000 }).execute();
  await db.updateTable('agentSessions').set({ chainId: sessionId }).where('id', '=', sessionId).execute();
  await expect(propose()).rejects.toMatchObject({ code: 'chain_limit' });
});

test('who may not see the project hears nothing of it; who has left is not asked to work', async () => {
  const { projectId } = membership;
  const { id: agentId } = await world.agents.create(world.owner, { name: 'Leaves', type: 'ai' });
  await world.projects.putAgent(world.owner, { projectId, agentId });
  const { id } = await propose([{ title: 'A', dependsOn: [], assigneeId: agentId }]);
  const stranger = await addPerson(world, 'person_other');
  const viewer = await addPerson(world, 'person_reads', { accessLevel: 'viewer', projects: [projectId] });
  const decide = (person: typeof stranger) => people.decide(person, id, { decision: 'accept' });
  expect(await outcomes([decide(stranger), decide(viewer)])).toEqual(['forbidden', 'proposal_not_found']);
  await world.projects.removeAgent(world.owner, { projectId, agentId });
  await decide(world.owner);
  expect((await partsOf()).map(({ assigneeId }) => assigneeId)).toEqual([undefined]);
  await board.remove(world.owner, taskId);
  expect(await outcomes([decide(world.owner)])).toEqual(['proposal_not_found']);
});
