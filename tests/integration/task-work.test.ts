import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Run } from '@aizuchi/shared/contract/run';
import { TaskService } from '@aizuchi/shared/core/tasks/task-service';
import { checkInvariants } from '@aizuchi/shared/testing/invariants';
import type { WorldAgent } from '@aizuchi/shared/testing/service-world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleCoordinator, until } from '../../packages/coordinator/test/coordinator-host.ts';
import { McpWorld } from '../../packages/mcp-server/src/testing/mcp-world.ts';
import { startCoordinator } from './started-coordinator.ts';

/* Tasks that are worked on by real processes, started by two real Coordinators at a real server. */

const PROGRAM = fileURLToPath(new URL('../fixtures/agents/works-on-tasks.mjs', import.meta.url));

let world: McpWorld;
let board: TaskService;
let folder: string;
const coordinators: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-work-'));
  world = await McpWorld.create();
  board = new TaskService(world.services.deps);
  // As root, agents are somebody else and have to reach their working directory.
  await chmod(world.services.root, 0o755);
  const server = await world.startServer();
  const bundle = await bundleCoordinator(folder);
  for (const id of ['host-a', 'host-b'])
    coordinators.push(await startCoordinator(bundle, server, { id, home: join(world.services.root, id) }));
});

afterAll(async () => {
  await Promise.all(coordinators.map((coordinator) => coordinator.stop()));
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

async function worker(): Promise<WorldAgent> {
  const { agents, owner } = world.services;
  const membership = await world.services.agentInProject();
  await agents.update(owner, membership.agentId, {
    provider: 'command',
    command: { file: process.execPath, args: [PROGRAM] },
  });
  return membership;
}

async function add({ projectId, agentId }: WorldAgent, description: string, dependsOn: string[] = []) {
  const title = `Task ${description}`;
  const body = { title, description, status: 'todo', assigneeId: agentId, dependsOn } as const;
  return (await board.create(world.services.owner, projectId, body)).id;
}

async function move(taskId: string, status: 'in_progress' | 'blocked') {
  const { version } = await board.get(world.services.owner, taskId);
  await board.update(world.services.owner, taskId, { version, status });
}

const untilStatus = (taskId: string, status: string) =>
  until(async () => ((await board.get(world.services.owner, taskId)).status === status ? true : undefined));

async function attemptsOf(taskId: string): Promise<{ outcome: string | null; summary: string | null }[]> {
  const { rows } = await world.services.database.pool.query(
    'select outcome, summary from task_attempts where task_id = $1 order by n',
    [taskId],
  );
  return rows;
}

async function runsOf({ projectId }: WorldAgent): Promise<Run[]> {
  return (await world.services.runs.list(world.services.owner, projectId, { limit: 50 })).runs;
}

const untilAllExited = (membership: WorldAgent) =>
  until(async () => {
    const runs = await runsOf(membership);
    return runs.every(({ state }) => state === 'exited') ? runs : undefined;
  });

test('two tasks of which one waits for the other are done, one after the other', async () => {
  const membership = await worker();
  const first = await add(membership, 'one');
  const second = await add(membership, 'two', [first]);
  await expect(move(second, 'in_progress')).rejects.toMatchObject({ code: 'dependencies_unfinished' });
  await move(first, 'in_progress');
  await untilStatus(second, 'done');
  expect(await attemptsOf(first)).toEqual([{ outcome: 'done', summary: 'Task one, after: nothing' }]);
  expect(await attemptsOf(second)).toEqual([
    { outcome: 'done', summary: 'Task two, after: Task one, after: nothing' },
  ]);
  const runs = await untilAllExited(membership);
  expect(runs.map(({ exitCause }) => exitCause)).toEqual(['finished', 'finished']);
});

test('one that is blocked in the middle ends its process', async () => {
  const membership = await worker();
  const taskId = await add(membership, 'until told');
  await move(taskId, 'in_progress');
  await until(async () => {
    const { rows } = await world.services.database.pool.query(
      'select from task_contexts where task_id = $1',
      [taskId],
    );
    return rows.length > 0 ? true : undefined;
  });
  await move(taskId, 'blocked');
  const [run] = await untilAllExited(membership);
  expect(run).toMatchObject({ exitCause: 'finished', exitCode: 0, stderrTail: 'told: task_blocked' });
  expect(await attemptsOf(taskId)).toEqual([{ outcome: 'blocked', summary: null }]);
});

test('one that crashes in the middle is done from where it stood', async () => {
  const membership = await worker();
  const taskId = await add(membership, 'crash once');
  await move(taskId, 'in_progress');
  await untilStatus(taskId, 'done');
  expect(await attemptsOf(taskId)).toEqual([
    { outcome: 'crashed', summary: 'exit code 3\nit broke in the middle' },
    { outcome: 'done', summary: 'Task crash once, after: the first half' },
  ]);
  expect((await untilAllExited(membership)).map(({ exitCause }) => exitCause)).toEqual([
    'finished',
    'crashed',
  ]);
});

test('after all of it everything is in order', async () => {
  await world.services.sweeper.runOnce();
  expect(await checkInvariants(world.services.database, { settled: true, real: true })).toEqual([]);
});
