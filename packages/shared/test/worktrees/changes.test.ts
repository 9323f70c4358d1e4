import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../src/core/access/person.ts';
import { forgetRuns } from '../../src/core/sweeper/retention-queries.ts';
import { ChangesService } from '../../src/core/worktrees/changes-service.ts';
import type { ChangesReport } from '../../src/core/worktrees/report-changes.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';

let world: ServiceWorld;
let changes: ChangesService;

beforeAll(async () => {
  world = await ServiceWorld.create();
  changes = new ChangesService(world.deps);
  // As the listener of a process does.
  world.database.onCommit = (keys) => changes.onKeys([...keys]);
});
afterAll(() => world.close());

const SEEN = {
  fileCount: 1,
  additions: 2,
  deletions: 1,
  files: [
    { path: 'a.txt', status: 'modified' as const, additions: 2, deletions: 1, diff: '@@ -1 +1 @@\n-a\n+b\n' },
  ],
  leftOut: [],
};

/** A run of an agent in a project of worktrees; its Coordinator has made one. */
async function runWithWorktree(state: 'live' | 'over' = 'over') {
  const membership = await world.agentInProject();
  await world.agents.update(world.owner, membership.agentId, {
    provider: 'command',
    command: { file: '/bin/true', args: [] },
  });
  await world.projects.update(world.owner, membership.projectId, { isolation: 'worktree' });
  const { runId } = await world.warmAgent(membership);
  await report({ runId, outcome: 'seen' });
  if (state === 'over') {
    await world.coordination.reportProcessExit({ runId, exitCode: null, cause: 'killed' });
    await report({ runId, outcome: 'seen', seen: SEEN });
  }
  return { ...membership, runId };
}

function report(about: Partial<ChangesReport> & Pick<ChangesReport, 'runId' | 'outcome'>): Promise<void> {
  return world.coordination.reportChanges({
    coordinatorId: 'host-a',
    base: 'b'.repeat(40),
    branch: `aizuchi/${about.runId}`,
    into: 'main',
    ...about,
  });
}

const ordersOf = async (runId: string) =>
  (await world.coordination.work('host-a')).changes.filter((order) => order.runId === runId);

/** The Coordinator: waits for the order and reports this. */
async function answer(runId: string, about: Partial<ChangesReport> & Pick<ChangesReport, 'outcome'>) {
  await expect.poll(() => ordersOf(runId)).toHaveLength(1);
  const [ordered] = await ordersOf(runId);
  await report({ runId, number: ordered?.number, ...about });
  return ordered?.order;
}

async function memberOf({ projectId }: WorldAgent, accessLevel: 'member' | 'viewer'): Promise<Person> {
  const { id, name } = await world.agents.create(world.owner, {
    type: 'human',
    name: `${accessLevel} ${projectId}`,
    accessLevel,
  });
  await world.projects.putAgent(world.owner, { projectId, agentId: id });
  return { id, name, accessLevel };
}

test('only runs of providers that work with files are to have a worktree', async () => {
  const membership = await world.agentInProject();
  await world.coordinator();
  await world.projects.update(world.owner, membership.projectId, { isolation: 'worktree' });
  await world.chat.start(world.owner, membership);
  const builtin = await world.coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' });
  expect(builtin).toMatchObject({ action: 'start', worktree: false });
  const other = await world.colleague(membership);
  await world.agents.update(world.owner, other.agentId, {
    provider: 'command',
    command: { file: '/bin/true', args: [] },
  });
  await world.chat.start(world.owner, other);
  const command = await world.coordination.getAgentAction({ ...other, coordinatorId: 'host-a' });
  expect(command).toMatchObject({ action: 'start', worktree: true });
});

test('what was seen is shown, in the run and in the list of what waits for a decision', async () => {
  const { projectId, runId } = await runWithWorktree();
  expect(await changes.get(world.owner, runId)).toMatchObject({
    runId,
    state: 'created',
    branch: `aizuchi/${runId}`,
    into: 'main',
    ...SEEN,
  });
  expect((await world.runs.get(world.owner, runId)).changes).toEqual({
    state: 'created',
    seenAt: expect.any(String),
    fileCount: 1,
    additions: 2,
    deletions: 1,
  });
  const waiting = await world.runs.list(world.owner, projectId, { limit: 9, changes: 'undecided' });
  expect(waiting.runs.map(({ id }) => id)).toEqual([runId]);
});

test('while the run lives its Coordinator is asked; what it says is shown', async () => {
  const { runId } = await runWithWorktree('live');
  const read = changes.get(world.owner, runId);
  expect(await answer(runId, { outcome: 'seen', seen: SEEN })).toBe('look');
  expect(await read).toMatchObject({ state: 'created', fileCount: 1 });
  expect(await ordersOf(runId)).toEqual([]);
  // It is known well enough: nobody is asked again.
  expect(await changes.get(world.owner, runId)).toMatchObject({ fileCount: 1 });
  await expect(changes.decide(world.owner, runId, { decision: 'keep' })).rejects.toMatchObject({
    code: 'run_not_ended',
  });
});

test('a decision is carried out by the Coordinator, and recorded with the person', async () => {
  const { runId } = await runWithWorktree();
  const kept = changes.decide(world.owner, runId, { decision: 'keep' });
  expect(await answer(runId, { outcome: 'kept', seen: SEEN })).toBe('keep');
  expect(await kept).toMatchObject({ state: 'kept', decidedBy: 'owner', decidedByName: 'Owner' });
  expect(await changes.decide(world.owner, runId, { decision: 'keep' })).toMatchObject({ state: 'kept' });
  await expect(changes.decide(world.owner, runId, { decision: 'discard' })).rejects.toMatchObject({
    code: 'changes_already_decided',
    details: { state: 'kept' },
  });
});

test('a conflict is said with its paths, and can be decided again', async () => {
  const { runId } = await runWithWorktree();
  const conflict = { reason: 'uncommitted' as const, paths: ['a.txt'], pathCount: 1 };
  const refused = changes.decide(world.owner, runId, { decision: 'keep' });
  const outcome = expect(refused).rejects.toMatchObject({ code: 'changes_conflict', details: conflict });
  await answer(runId, { outcome: 'conflict', conflict });
  await outcome;
  expect(await changes.get(world.owner, runId)).toMatchObject({ state: 'conflict', conflict });
  const discarded = changes.decide(world.owner, runId, { decision: 'discard' });
  await answer(runId, { outcome: 'discarded' });
  expect(await discarded).toMatchObject({ state: 'discarded' });
});

test('two people at once: one order, one outcome; the other decision is refused', async () => {
  const worktree = await runWithWorktree();
  const { runId } = worktree;
  const member = await memberOf(worktree, 'member');
  const decisions = [
    changes.decide(world.owner, runId, { decision: 'keep' }),
    changes.decide(member, runId, { decision: 'keep' }),
    changes.decide(member, runId, { decision: 'discard' }),
  ];
  const settled = Promise.allSettled(decisions);
  await expect.poll(() => ordersOf(runId)).toHaveLength(1);
  const [order] = await ordersOf(runId);
  await report({ runId, number: order?.number, outcome: order?.order === 'discard' ? 'discarded' : 'kept' });
  const results = await settled;
  const states = results.map((one) => (one.status === 'fulfilled' ? one.value.state : one.reason.code));
  expect(new Set(states)).toEqual(
    new Set([order?.order === 'discard' ? 'discarded' : 'kept', 'changes_already_decided']),
  );
});

test('a decision that came to something else is no success', async () => {
  const { runId } = await runWithWorktree();
  const keeping = changes.decide(world.owner, runId, { decision: 'keep' });
  await answer(runId, { outcome: 'lost' });
  await expect(keeping).rejects.toMatchObject({
    code: 'changes_already_decided',
    details: { state: 'lost' },
  });

  const other = await runWithWorktree();
  // Only what stands at the end is read: another person was faster than the look of the first.
  const waiting = new ChangesService(world.deps);
  const kept = waiting.decide(world.owner, other.runId, { decision: 'keep' });
  await expect.poll(() => ordersOf(other.runId)).toHaveLength(1);
  const [ordered] = await ordersOf(other.runId);
  await world.database.transaction(async (tx) => {
    await tx.db
      .updateTable('worktrees')
      .set({ state: 'discarded', orderKind: null, orderNumber: (ordered?.number ?? 0) + 1 })
      .where('runId', '=', other.runId)
      .execute();
  });
  await expect(kept).rejects.toMatchObject({
    code: 'changes_already_decided',
    details: { state: 'discarded' },
  });
});

test('a Coordinator that is away is said at once, and nothing is ordered', async () => {
  const { runId } = await runWithWorktree();
  world.clock.advance(20_000);
  await expect(changes.decide(world.owner, runId, { decision: 'discard' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('host-a'),
  });
  expect(await ordersOf(runId)).toEqual([]);
  // What was seen is known all the same.
  expect(await changes.get(world.owner, runId)).toMatchObject({ fileCount: 1 });
});

test('an order stands until it is reported, also after a crash; a late report of an older one changes nothing', async () => {
  const { runId } = await runWithWorktree();
  await world.coordinator();
  const kept = changes.decide(world.owner, runId, { decision: 'keep' });
  await expect.poll(() => ordersOf(runId)).toHaveLength(1);
  const [order] = await ordersOf(runId);
  await report({ runId, number: (order?.number ?? 0) - 1, outcome: 'failed', fault: 'old' });
  expect(await ordersOf(runId)).toEqual([order]);
  await report({ runId, number: order?.number, outcome: 'failed', fault: 'git took too long' });
  await expect(kept).rejects.toMatchObject({ code: 'unavailable', message: 'git took too long' });
  expect(await changes.get(world.owner, runId)).toMatchObject({
    state: 'created',
    fault: 'git took too long',
  });
});

test('a worktree that cannot be read says why; looking again and again tells nobody anything', async () => {
  const { runId } = await runWithWorktree('live');
  const eventsOf = async () => {
    const log = world.database.db.selectFrom('changeLog').select('ref').where('kind', '=', 'run');
    return (await log.execute()).filter(({ ref }) => JSON.stringify(ref).includes(runId)).length;
  };
  const readOnce = async () => {
    const read = changes.get(world.owner, runId);
    await answer(runId, { outcome: 'failed', fault: 'too many files' });
    return read;
  };
  expect(await readOnce()).toMatchObject({ state: 'created', fault: 'too many files' });
  const told = await eventsOf();
  await readOnce();
  expect(await eventsOf()).toBe(told);
});

test('strangers see no changes, viewers decide nothing, other Coordinators report nothing', async () => {
  const worktree = await runWithWorktree();
  const { runId } = worktree;
  const stranger = await memberOf(await world.agentInProject(), 'member');
  await expect(changes.get(stranger, runId)).rejects.toMatchObject({ code: 'run_not_found' });
  const viewer = await memberOf(worktree, 'viewer');
  expect(await changes.get(viewer, runId)).toMatchObject({ fileCount: 1 });
  await expect(changes.decide(viewer, runId, { decision: 'keep' })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(report({ runId, outcome: 'kept', coordinatorId: 'host-b' })).rejects.toMatchObject({
    code: 'run_lost',
  });
  const { runId: other } = await world.warmAgent(await world.agentInProject());
  await expect(changes.get(world.owner, other)).rejects.toMatchObject({ code: 'changes_not_found' });
});

test('a run whose changes wait for a decision is not forgotten', async () => {
  const { runId } = await runWithWorktree();
  await world.database.db.deleteFrom('sessionViewers').execute();
  await world.database.db.deleteFrom('launchTickets').where('runId', '=', runId).execute();
  await world.database.db.deleteFrom('agentSessions').where('runId', '=', runId).execute();
  const forget = () => forgetRuns(world.database.db, new Date(Date.now() + 10 * 365 * 86_400_000), 1_000);
  await forget();
  expect((await world.runs.get(world.owner, runId)).id).toBe(runId);
  await report({ runId, outcome: 'discarded' });
  await forget();
  await expect(world.runs.get(world.owner, runId)).rejects.toMatchObject({ code: 'run_not_found' });
});
