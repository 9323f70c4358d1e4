import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChangesService } from '../../src/core/worktrees/changes-service.ts';
import type { ChangesReport } from '../../src/core/worktrees/report-changes.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
let changes: ChangesService;

beforeAll(async () => {
  world = await ServiceWorld.create();
  changes = new ChangesService(world.deps);
  world.database.onCommit = (keys) => changes.onKeys([...keys]);
});
afterAll(() => world.close());

const SEEN = { fileCount: 1, additions: 2, deletions: 1, files: [], leftOut: [] };

function report(about: Partial<ChangesReport> & Pick<ChangesReport, 'runId' | 'outcome'>): Promise<void> {
  return world.coordination.reportChanges({
    coordinatorId: 'host-a',
    base: 'b'.repeat(40),
    branch: `aizuchi/${about.madeFor ?? about.runId}`,
    into: 'main',
    ...about,
  });
}

/** An agent at work in its worktree: it holds a message. */
async function atWork() {
  const membership = await world.agentInProject();
  await world.agents.update(world.owner, membership.agentId, {
    provider: 'command',
    command: { file: '/bin/true', args: [] },
  });
  await world.projects.update(world.owner, membership.projectId, { isolation: 'worktree' });
  const { runId, caller } = await world.warmAgent(membership);
  await report({ runId, outcome: 'seen' });
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  await world.delivery.take(caller);
  return { ...membership, runId, caller };
}

/** Its Coordinator was stopped, or found the process after a crash of its own. */
const interrupt = (runId: string) =>
  world.coordination.reportProcessExit({ runId, exitCode: null, cause: 'killed' });

async function nextStart({ projectId, agentId }: WorldAgent, coordinatorId = 'host-a') {
  const action = await world.coordination.getAgentAction({ projectId, agentId, coordinatorId });
  if (action.action !== 'start') throw new Error(`no start: ${action.reason}`);
  return action;
}

test('the run that is started for the redelivered work goes on in the worktree of the interrupted one, and so on', async () => {
  const agent = await atWork();
  const { runId: first } = agent;
  await interrupt(first);
  await report({ runId: first, outcome: 'seen', seen: SEEN });
  const { runId: second, worktreeMadeFor } = await nextStart(agent);
  expect(worktreeMadeFor).toBe(first);
  await expect(changes.get(world.owner, first)).rejects.toMatchObject({ code: 'changes_not_found' });
  await expect(changes.decide(world.owner, first, { decision: 'discard' })).rejects.toMatchObject({
    code: 'changes_not_found',
  });
  await report({ runId: second, madeFor: first, outcome: 'seen', seen: SEEN });
  await expect(changes.decide(world.owner, second, { decision: 'discard' })).rejects.toMatchObject({
    code: 'run_not_ended',
  });
  // What its Coordinator still says of the first run is about a worktree that this has no more.
  await report({ runId: first, outcome: 'unchanged' });
  expect(await changes.get(world.owner, second)).toMatchObject({
    state: 'created',
    branch: `aizuchi/${first}`,
    fileCount: 1,
  });

  await world.coordination.reportProcessExit({ runId: second, exitCode: null, cause: 'killed' });
  const { runId: third, worktreeMadeFor: same } = await nextStart(agent);
  expect(same).toBe(first);
  await interrupt(third);
  const decided = changes.decide(world.owner, third, { decision: 'keep' });
  const ordersOf = async () =>
    (await world.coordination.work('host-a')).changes.filter(({ runId }) => runId === third);
  await expect.poll(ordersOf).toEqual([expect.objectContaining({ madeFor: first, order: 'keep' })]);
  const [order] = await ordersOf();
  await report({ runId: third, madeFor: first, outcome: 'kept', number: order?.number });
  expect(await decided).toMatchObject({ runId: third, state: 'kept' });
});

test('one in which nothing had changed is made again in its place', async () => {
  const agent = await atWork();
  await interrupt(agent.runId);
  await report({ runId: agent.runId, outcome: 'unchanged' });
  const { runId, worktreeMadeFor } = await nextStart(agent);
  expect(worktreeMadeFor).toBe(agent.runId);
  const base = 'c'.repeat(40);
  await report({ runId, madeFor: agent.runId, outcome: 'seen', base, into: 'other', seen: SEEN });
  expect(await changes.get(world.owner, runId)).toMatchObject({ state: 'created', base, into: 'other' });
});

test('the run gets a new one when the earlier run held no work, was stopped, or is of another Coordinator', async () => {
  const answered = await atWork();
  await world.delivery.respond(answered.caller, { content: 'done' });
  await interrupt(answered.runId);
  await world.chat.post(world.owner, { ...answered, content: 'and now?' });
  expect((await nextStart(answered)).worktreeMadeFor).toBeUndefined();

  const elsewhere = await atWork();
  await interrupt(elsewhere.runId);
  await world.coordinator('host-b');
  expect((await nextStart(elsewhere, 'host-b')).worktreeMadeFor).toBeUndefined();

  const stopped = await atWork();
  await world.runs.stop(world.owner, stopped.runId);
  await interrupt(stopped.runId);
  await world.chat.post(world.owner, { ...stopped, content: 'and now?' });
  expect((await nextStart(stopped)).worktreeMadeFor).toBeUndefined();
  for (const { runId } of [answered, elsewhere, stopped])
    expect((await world.runs.get(world.owner, runId)).changes, 'a person decides').toMatchObject({
      state: 'created',
    });
});

/** A person discards it while the next run is started: what becomes of both. `isFirst`: once the person has decided. */
async function discardedAtStart({ isFirst }: { isFirst: boolean }) {
  const agent = await atWork();
  const { runId } = agent;
  await interrupt(runId);
  await report({ runId, outcome: 'seen', seen: SEEN });
  const decided = changes.decide(world.owner, runId, { decision: 'discard' }).then(
    () => 'decided',
    ({ code }: { code: string }) => code,
  );
  const ordersOf = async () =>
    (await world.coordination.work('host-a')).changes.filter((order) => order.runId === runId);
  if (isFirst) await expect.poll(ordersOf).toHaveLength(1);
  const { worktreeMadeFor } = await nextStart(agent);
  await report({ runId, outcome: 'discarded', number: 1 });
  return { runId, worktreeMadeFor, decision: await decided };
}

test('one that somebody has decided about is not taken over', async () => {
  expect(await discardedAtStart({ isFirst: true })).toMatchObject({
    worktreeMadeFor: undefined,
    decision: 'decided',
  });
});

test('a person and the start at the same moment: it is decided about, or goes on, never both', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { runId, worktreeMadeFor, decision } = await discardedAtStart({ isFirst: false });
    expect([worktreeMadeFor, decision]).toEqual(
      worktreeMadeFor === undefined ? [undefined, 'decided'] : [runId, 'changes_not_found'],
    );
  }
});
