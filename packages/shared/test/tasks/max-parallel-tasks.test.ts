import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRoom } from '../../src/core/wake-ups/evict-idle-session.ts';
import { keys } from '../../src/platform/change-log/keys.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import {
  coordinationOnOwnConnections,
  rawClient,
  rowOf,
  sessionOf,
  statusOf,
  takeStart,
  untilBlocked,
} from '../chat/chat-support.ts';
import { beatOf, taskInProgress, waitingFor, wakeFor, workingOnTask } from './task-work-support.ts';

/* At most `maxParallelTasks` tasks of an agent are worked on, in all its projects together. */

let world: ServiceWorld;
beforeEach(async () => {
  world = await ServiceWorld.create();
});
afterEach(async () => {
  expect(await checkInvariants(world.database)).toEqual([]);
  await world.close();
});

const TTL_MS = 300_000;
const HELD = { action: 'hold', reason: 'capacity' };
const ask = (membership: WorldAgent, coordinatorId = 'host-a') =>
  world.coordination.getAgentAction({ ...membership, coordinatorId });
const named = async (coordinatorId = 'host-a') => (await world.coordination.work(coordinatorId)).pairs;

async function taskWaits(membership: WorldAgent) {
  const key = await taskInProgress(world, membership);
  await wakeFor(world, key);
  world.clock.advance(1);
  return key;
}

/** The same agent in another project. */
async function elsewhere({ agentId }: WorldAgent): Promise<WorldAgent> {
  const { id: projectId } = await world.projects.create(world.owner, { name: 'Elsewhere' });
  await world.projects.putAgent(world.owner, { projectId, agentId });
  return { projectId, agentId };
}

describe('a task above the limit', () => {
  it('waits for the process of another one, its clock rests, and its agent is not named again', async () => {
    const membership = await world.agentInProject();
    const first = await workingOnTask(world, membership);
    const second = await taskWaits(membership);
    expect(await named(), 'once, so that its clock rests').toEqual([membership]);
    expect(await ask(membership)).toEqual(HELD);
    expect(await named()).toEqual([]);
    for (let times = 0; times < 3; times += 1) {
      world.clock.advance(TTL_MS / 2);
      await world.sessions.touch([first.caller.sessionId]);
      await world.coordination.beat(beatOf('host-a', [first.runId]));
      await world.sweeper.runOnce();
    }
    expect(await waitingFor(world, membership)).toEqual([second.taskId]);

    await world.sessions.logout(first.caller);
    expect(await ask(membership), 'the process is left').toEqual(HELD);
    world.dirtyKeys.length = 0;
    await world.coordination.reportProcessExit({ runId: first.runId, exitCode: 0 });
    expect(world.dirtyKeys, 'Coordinators are woken').toContain(keys.work);
    expect(await named()).toEqual([membership]);
    expect(await ask(membership)).toMatchObject({ taskId: second.taskId });
  });

  it('goes on with its clock when it could start and nobody starts it', async () => {
    const membership = await world.agentInProject();
    const first = await workingOnTask(world, membership);
    const second = await taskWaits(membership);
    await ask(membership);
    await world.coordination.reportProcessExit({ runId: first.runId, exitCode: 0 });
    await world.coordination.beat(beatOf('host-a'));
    await world.sweeper.runOnce();
    expect(await rowOf(world, second)).toMatchObject({ heldFor: null });
  });

  it('is counted over all projects of the agent', async () => {
    const membership = await world.agentInProject();
    const other = await elsewhere(membership);
    await workingOnTask(world, membership);
    await taskWaits(other);
    expect(await ask(other)).toEqual(HELD);
  });

  it('lets others start: the chat of the same agent, and tasks of other agents', async () => {
    const membership = await world.agentInProject();
    const colleague = await world.colleague(membership);
    await workingOnTask(world, membership);
    await taskWaits(membership);
    await ask(membership);
    const task = await taskWaits(colleague);
    expect(await ask(colleague)).toMatchObject({ taskId: task.taskId });
    await world.chat.start(world.owner, membership);
    expect(await ask(membership)).toMatchObject({ purpose: 'chat' });
  });

  it('starts when the limit is raised, and the Coordinators are woken for it', async () => {
    const membership = await world.agentInProject();
    await workingOnTask(world, membership);
    const [second, third] = [await taskWaits(membership), await taskWaits(membership)];
    await ask(membership);
    world.dirtyKeys.length = 0;
    await world.agents.update(world.owner, membership.agentId, { maxParallelTasks: 2 });
    expect(world.dirtyKeys).toContain(keys.work);
    expect(await named()).toEqual([membership]);
    expect(await ask(membership)).toMatchObject({ taskId: second.taskId });
    expect(await ask(membership)).toEqual(HELD);
    expect(await waitingFor(world, membership)).toEqual([second.taskId, third.taskId]);
  });
});

describe('two Coordinators at once', () => {
  it.each(['one project', 'two projects'])('start one task of an agent in %s', async (where) => {
    const membership = await world.agentInProject();
    const other = where === 'one project' ? membership : await elsewhere(membership);
    for (const one of [membership, other]) await taskWaits(one);
    const hosts = [coordinationOnOwnConnections(world, 2), coordinationOnOwnConnections(world, 2)] as const;
    // Both have begun before either of them decides.
    const gate = await rawClient(world);
    await gate.query('begin');
    await gate.query('select from project_agents where agent_id = $1 for update', [membership.agentId]);
    const asks = Promise.all([
      hosts[0].coordination.getAgentAction({ ...membership, coordinatorId: 'host-a' }),
      hosts[1].coordination.getAgentAction({ ...other, coordinatorId: 'host-b' }),
    ]);
    await untilBlocked(world, 2);
    await gate.query('commit');
    await gate.end();
    const actions = await asks;
    for (const host of hosts) await host.close();
    expect(actions.map(({ action }) => action).toSorted()).toEqual(['hold', 'start']);
    expect(actions).toContainEqual(HELD);
  });
});

describe('places', () => {
  it('no session leaves for a task above the limit, and it has no position before others', async () => {
    const idle = await world.agentInProject();
    await world.coordination.beat(beatOf('host-a', [], 1));
    await world.chat.start(world.owner, idle);
    const { caller } = await world.signIn(idle);
    const membership = await world.agentInProject();
    await world.coordination.beat(beatOf('host-b', [], 1));
    await taskWaits(membership);
    await takeStart(world, membership, 'host-b');
    await taskWaits(membership);
    expect(await ask(membership)).toEqual(HELD);
    expect(await makeRoom(world.deps, (_, work) => work())).toBe(0);
    expect((await sessionOf(world, caller.sessionId)).state).toBe('active');

    const waiting = await world.agentInProject();
    await world.chat.post(world.owner, { ...waiting, content: 'hi' });
    expect(await ask(waiting)).toEqual(HELD);
    expect(await statusOf(world, waiting)).toMatchObject({ position: 1 });
  });

  it('as many tasks of an agent wait for a place as it may begin, in all its projects together', async () => {
    const membership = await world.agentInProject();
    const other = await elsewhere(membership);
    for (const host of ['host-a', 'host-b']) await world.coordination.beat(beatOf(host, [], 1));
    for (const host of ['host-a', 'host-b']) {
      const idle = await world.agentInProject();
      await world.chat.start(world.owner, idle);
      await world.signIn(idle, host);
    }
    for (const one of [membership, membership, other]) await taskWaits(one);
    const runs = await world.database.pool.query('select id, coordinator_id from agent_runs');
    for (const { id, coordinator_id: host } of runs.rows)
      await world.coordination.beat(beatOf(host, [id], 1));
    for (const one of [membership, other]) expect(await ask(one)).toEqual(HELD);
    await world.sweeper.runOnce();
    const { rows } = await world.database.pool.query(`select state from agent_sessions order by state`);
    expect(rows).toEqual([{ state: 'active' }, { state: 'terminating' }]);
    expect(await named(), 'a full host does not ask for them again').toEqual([]);
  });
});
