import type { AgentCaller } from '../../src/core/access/agent-caller.ts';
import { chatOf, type WorkKey } from '../../src/core/rules/work-key.ts';
import { AgentWork } from '../../src/core/tasks/agent-work.ts';
import { TaskService } from '../../src/core/tasks/task-service.ts';
import { wake } from '../../src/core/wake-ups/wake.ts';
import type { ServiceWorld, WorldAgent } from '../../src/testing/service-world.ts';

/** A task in progress that is assigned to this agent; nothing is woken for it. */
export async function taskInProgress(world: ServiceWorld, membership: WorldAgent): Promise<WorkKey> {
  const task = await new TaskService(world.deps).create(world.owner, membership.projectId, {
    title: 'Do it',
    status: 'todo',
    assigneeId: membership.agentId,
  });
  await world.database.db
    .updateTable('tasks')
    .set({ status: 'in_progress' })
    .where('id', '=', task.id)
    .execute();
  return { ...chatOf(membership), purpose: 'task', taskId: task.id };
}

/** A person wants it done: the wake-up of this work. */
export async function wakeFor(world: ServiceWorld, key: WorkKey): Promise<void> {
  const { database, owner } = world;
  await database.transaction(async (tx) => wake(tx, key, { openedBy: owner.id, now: await tx.now() }));
}

/** A task that is worked on: woken, started, signed in by the ticket of its run. */
export async function workingOnTask(world: ServiceWorld, membership: WorldAgent) {
  const key = await taskInProgress(world, membership);
  return { key, ...(await workOn(world, key)) };
}

/** The next session for this work; nothing else of its membership waits. */
export async function workOn(world: ServiceWorld, key: WorkKey) {
  await wakeFor(world, key);
  return world.signIn(key);
}

/** The wake-ups of a membership that stand, as what they are for. */
export async function waitingFor(world: ServiceWorld, { projectId, agentId }: WorldAgent): Promise<string[]> {
  const rows = await world.database.db
    .selectFrom('pendingAgentPurposes')
    .select('taskId')
    .where('projectId', '=', projectId)
    .where('agentId', '=', agentId)
    .orderBy('createdAt')
    .execute();
  return rows.map(({ taskId }) => (taskId === '' ? 'chat' : taskId));
}

/** A beat of a host that has these runs, and by default places enough. */
export function beatOf(coordinatorId: string, running: string[] = [], capacity = 1_000) {
  return { coordinatorId, host: coordinatorId, bootId: 'boot', capacity, running, labels: [], roots: [] };
}

/** It is told its task, and reports the end. */
export async function reportTask(
  world: ServiceWorld,
  { caller }: { caller: AgentCaller },
  result: 'done' | 'blocked' = 'done',
) {
  return new AgentWork(world.deps).report(caller, { result, summary: `It is ${result}.` });
}
