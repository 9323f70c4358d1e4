import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
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

/* One agent, its chat and two tasks: a process each, started by one of two real Coordinators, at a real server. */

const PROGRAM = fileURLToPath(new URL('../fixtures/agents/says-what-for.mjs', import.meta.url));

let world: McpWorld;
let board: TaskService;
let folder: string;
const coordinators: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aizuchi-tasks-'));
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

async function runsOf({ projectId }: WorldAgent): Promise<Run[]> {
  return (await world.services.runs.list(world.services.owner, projectId, { limit: 50 })).runs;
}

async function untilSessions({ projectId, agentId }: WorldAgent, counts: { chat: number; task: number }) {
  const { presence, owner } = world.services;
  await until(async () => {
    const { chat, task } = (await presence.agentSessions(owner, projectId))[agentId] ?? {};
    return chat === counts.chat && task === counts.task ? true : undefined;
  });
}

const untilExited = (membership: WorldAgent, id: string) =>
  until(async () => (await runsOf(membership)).find((run) => run.id === id && run.state === 'exited'));

async function newTask({ projectId, agentId }: WorldAgent): Promise<{ taskId: string }> {
  const body = { title: 'Do it', status: 'todo', assigneeId: agentId } as const;
  return { taskId: (await board.create(world.services.owner, projectId, body)).id };
}

async function move(taskId: string, status: 'in_progress' | 'done'): Promise<void> {
  const { version } = await board.get(world.services.owner, taskId);
  await board.update(world.services.owner, taskId, { version, status });
}

/** The log of a run, on whichever host it is. */
async function saidBy(runId: string): Promise<string> {
  const files = ['host-a', 'host-b'].map((host) =>
    join(world.services.root, host, 'logs', 'runs', `${runId}.log`),
  );
  return (await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))).join('');
}

test('each is started once, with its own purpose, and ends by itself', async () => {
  const { services } = world;
  const { agents, chat, history, owner, presence, runs } = services;
  const membership = await services.agentInProject({ maxParallelTasks: 2 });
  await agents.update(owner, membership.agentId, {
    provider: 'command',
    command: { file: process.execPath, args: [PROGRAM] },
  });
  const [one, other] = [await newTask(membership), await newTask(membership)];
  // First: the three share a folder, and who works on a task keeps it.
  await chat.post(owner, { ...membership, content: 'What are you for?' });
  const answer = await until(async () =>
    (await history.list(owner, { ...membership, limit: 50 })).messages.find(
      ({ sender }) => sender === 'agent',
    ),
  );
  expect(answer.content, 'a person is answered by the chat').toBe('chat, signed in for chat, no task');
  // The move wakes: a wake-up of the test might come beside that of the sweeper.
  for (const { taskId } of [one, other]) await move(taskId, 'in_progress');
  await untilSessions(membership, { chat: 1, task: 2 });
  const started = await runsOf(membership);
  expect(started.map(({ purpose, taskId }) => taskId ?? purpose).toSorted()).toEqual(
    ['chat', one.taskId, other.taskId].toSorted(),
  );

  const runOf = (taskId: string) => started.find((run) => run.taskId === taskId)?.id ?? '';
  // It is signed in before it says what for.
  await until(async () => (await saidBy(runOf(one.taskId))).includes(one.taskId) || undefined);
  await runs.stop(owner, runOf(one.taskId));
  expect(await untilExited(membership, runOf(one.taskId))).toMatchObject({
    exitCause: 'killed',
    stopReason: 'stopped_by_person',
    stderrTail: `task, signed in for task, ${one.taskId}`,
  });
  await untilSessions(membership, { chat: 1, task: 1 });

  await chat.end(owner, { ...membership, force: true });
  await untilSessions(membership, { chat: 0, task: 1 });
  expect((await board.get(owner, one.taskId)).status, 'nothing starts by itself').toBe('blocked');
  await move(one.taskId, 'in_progress');
  await untilSessions(membership, { chat: 0, task: 2 });
  expect((await runsOf(membership)).filter(({ taskId }) => taskId === one.taskId)).toHaveLength(2);

  for (const { taskId } of [one, other]) await move(taskId, 'done');
  expect(await untilExited(membership, runOf(other.taskId))).toMatchObject({
    exitCause: 'finished',
    exitCode: 0,
    stopReason: 'task_done',
  });
  await until(async () =>
    (await runsOf(membership)).every(({ state }) => state === 'exited') ? true : undefined,
  );
  const outcomes = await presence.pendingPurposes(owner, membership.projectId, 600);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('authenticated'));
});

test('after all of it everything is in order', async () => {
  await world.services.sweeper.runOnce();
  expect(await checkInvariants(world.services.database, { settled: true, real: true })).toEqual([]);
});
