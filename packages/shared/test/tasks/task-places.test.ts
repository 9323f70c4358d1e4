import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkKey } from '../../src/core/rules/work-key.ts';
import { makeRoom } from '../../src/core/wake-ups/evict-idle-session.ts';
import { checkInvariants } from '../../src/testing/invariants.ts';
import { ServiceWorld, type WorldAgent } from '../../src/testing/service-world.ts';
import { rowOf, sessionOf, statusOf } from '../chat/chat-support.ts';
import { taskInProgress, wakeFor } from './task-work-support.ts';

/* Places of Coordinators where chats and tasks wait for them. A queue spans projects: a database for each test. */

let world: ServiceWorld;
beforeEach(async () => {
  world = await ServiceWorld.create();
});
afterEach(async () => {
  expect(await checkInvariants(world.database)).toEqual([]);
  await world.close();
});

const HELD = { action: 'hold', reason: 'capacity' };
const ask = (membership: WorldAgent, coordinatorId = 'host-a') =>
  world.coordination.getAgentAction({ ...membership, coordinatorId });
const positionOf = async (membership: WorldAgent) => (await statusOf(world, membership)).position;

const VIEWER_LEASE_MS = 61_000;
const heldFor = async (key: WorkKey) => (await rowOf(world, key))?.heldFor;

/** The places of this host, which is seen now and lists all its runs. */
async function places(capacity: number, id = 'host-a'): Promise<void> {
  const { rows } = await world.database.pool.query(
    `select id from agent_runs where state <> 'exited' and coordinator_id = $1`,
    [id],
  );
  await world.coordinator(
    id,
    rows.map((row) => row.id),
    capacity,
  );
}

async function chatWaits(membership: WorldAgent): Promise<void> {
  await world.chat.post(world.owner, { ...membership, content: 'hi' });
  world.clock.advance(1);
}

async function taskWaits(membership: WorldAgent) {
  const key = await taskInProgress(world, membership);
  await wakeFor(world, key);
  world.clock.advance(1);
  return key;
}

describe('the chat of an agent goes before its tasks', () => {
  it('to the only place, although the task has waited longer', async () => {
    const membership = await world.agentInProject();
    await places(0);
    const key = await taskWaits(membership);
    expect(await ask(membership)).toEqual(HELD);
    await chatWaits(membership);
    await places(1);
    expect(await ask(membership)).toMatchObject({ action: 'start', purpose: 'chat' });
    expect(await ask(membership)).toEqual(HELD);
    await places(2);
    expect(await ask(membership)).toMatchObject({ action: 'start', taskId: key.taskId });
  });

  it('and not before the chats of others that have waited longer', async () => {
    const [membership, other] = [await world.agentInProject(), await world.agentInProject()];
    await places(0);
    await taskWaits(membership);
    await ask(membership);
    await chatWaits(other);
    await ask(other);
    expect(await positionOf(other), 'behind the task').toBe(2);
    await chatWaits(membership);
    await ask(membership);
    expect([await positionOf(other), await positionOf(membership)]).toEqual([1, 2]);
    await places(1);
    expect(await ask(membership)).toEqual(HELD);
    expect(await ask(other)).toMatchObject({ action: 'start' });
    await places(2);
    expect(await ask(membership)).toMatchObject({ action: 'start', purpose: 'chat' });
  });
});

describe('an idle chat leaves for a task', () => {
  /** An idle chat has the only place; nobody looks at it any more when the task has been changed. */
  async function evictedAfter(change: (task: WorkKey) => Promise<unknown>) {
    const idle = await world.agentInProject();
    await places(1);
    await world.chat.start(world.owner, { ...idle, viewerId: 'v' });
    const { caller } = await world.signIn(idle);
    const task = await taskWaits(await world.agentInProject());
    expect(await ask(task)).toEqual(HELD);
    await change(task);
    world.clock.advance(VIEWER_LEASE_MS);
    await places(1);
    const evicted = await makeRoom(world.deps, (_, work) => work());
    return { task, evicted, state: (await sessionOf(world, caller.sessionId)).state };
  }
  const set = ({ taskId }: WorkKey, values: { status?: string; assigneeId?: null }) =>
    world.database.db.updateTable('tasks').set(values).where('id', '=', taskId).execute();

  it('that waits for its place', async () => {
    expect(await evictedAfter(async () => undefined)).toMatchObject({ evicted: 1, state: 'terminating' });
  });

  it.each<[string, (task: WorkKey) => Promise<unknown>]>([
    [
      'whose project is paused',
      ({ projectId }) => world.projects.update(world.owner, projectId, { status: 'paused' }),
    ],
    ['that is blocked', (task) => set(task, { status: 'blocked' })],
    ['that is no longer its agent’s', (task) => set(task, { assigneeId: null })],
  ])('but not for one %s: that leaves the queue', async (_, change) => {
    const { task, ...idle } = await evictedAfter(change);
    expect(idle).toEqual({ evicted: 0, state: 'active' });
    expect(await heldFor(task)).toBe('capacity');
    await world.sweeper.runOnce();
    expect(await heldFor(task)).toBe(null);
  });
});
