import type { AgentSessionView } from '@aizuchi/shared/contract/chat';
import type { Task } from '@aizuchi/shared/contract/task';
import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test } from 'vitest';
import { keys } from '../queries/keys.ts';
import { PageQueryClient } from '../queries/page-query-client.ts';
import { applyFrame } from './apply-frame.ts';
import type { LiveFrame } from './wire.ts';

const client = new PageQueryClient();
const noCards = () => () => Promise.resolve({ cards: [], nextCursor: null });
const apply = (to: QueryClient, frame: LiveFrame) =>
  applyFrame(to, frame, { approvals: noCards, questions: noCards });
afterEach(() => client.clear());

const at = '2026-11-21T10:00:00.000Z';
const task = (id: string, version: number, title = id): Task => ({
  id,
  projectId: 'prj_a',
  title,
  description: '',
  status: 'todo',
  priority: 'medium',
  dependsOn: [],
  labels: [],
  position: 1,
  attempts: 0,
  comments: 0,
  version,
  createdAt: at,
  updatedAt: at,
});
const tasks = () => client.getQueryData<readonly Task[]>(keys.tasks('prj_a'));
const frame = { projectId: 'prj_a', cursor: 'c1' };

test('a task is replaced, added or removed; an older version changes nothing', () => {
  client.setQueryData(keys.tasks('prj_a'), [task('tsk_a', 3), task('tsk_b', 1)]);
  apply(client, { ...frame, type: 'task_changed', task: task('tsk_a', 4, 'new') });
  apply(client, { ...frame, type: 'task_changed', task: task('tsk_a', 2, 'old') });
  apply(client, { ...frame, type: 'task_changed', task: task('tsk_c', 1) });
  apply(client, { ...frame, type: 'task_changed', taskId: 'tsk_b', deleted: true });
  expect(tasks()?.map(({ id, title }) => [id, title])).toEqual([
    ['tsk_a', 'new'],
    ['tsk_c', 'tsk_c'],
  ]);
});

test('a query without data stays without data', () => {
  apply(client, { ...frame, type: 'task_changed', task: task('tsk_a', 1) });
  expect(tasks()).toBeUndefined();
});

test('a running read starts again: its response may be older than the change', async () => {
  const reads: ((tasks: readonly Task[]) => void)[] = [];
  const observer = new QueryObserver<readonly Task[]>(client, {
    queryKey: keys.tasks('prj_a'),
    queryFn: () => new Promise((resolve) => reads.push(resolve)),
  });
  const leave = observer.subscribe(() => undefined);
  reads[0]?.([task('tsk_a', 1)]);
  await expect.poll(tasks).toHaveLength(1);
  void client.invalidateQueries({ queryKey: keys.tasks('prj_a') });
  await expect.poll(() => reads.length).toBe(2);
  apply(client, { ...frame, type: 'task_changed', task: task('tsk_a', 2) });
  await expect.poll(() => reads.length).toBe(3);
  reads[1]?.([task('tsk_a', 1)]);
  reads[2]?.([task('tsk_a', 3)]);
  await expect.poll(() => tasks()?.[0]?.version).toBe(3);
  leave();
});

test('a first read continues and is then repeated: its response may be older than the change', async () => {
  const reads: ((tasks: readonly Task[]) => void)[] = [];
  const observer = new QueryObserver<readonly Task[]>(client, {
    queryKey: keys.tasks('prj_a'),
    queryFn: () => new Promise((resolve) => reads.push(resolve)),
  });
  const leave = observer.subscribe(() => undefined);
  await expect.poll(() => reads.length).toBe(1);
  apply(client, { ...frame, type: 'task_changed', task: task('tsk_a', 2) });
  apply(client, { ...frame, type: 'task_changed', task: task('tsk_a', 3) });
  reads[0]?.([task('tsk_a', 1)]);
  await expect.poll(() => tasks()?.[0]?.version).toBe(1);
  await expect.poll(() => reads.length).toBe(2);
  reads[1]?.([task('tsk_a', 3)]);
  await expect.poll(() => tasks()?.[0]?.version).toBe(3);
  expect(reads).toHaveLength(2);
  leave();
});

test('a session is taken from the frame without another read', () => {
  const before: AgentSessionView = { chat: 1, task: 0, chatStatus: 'busy', phase: 'thinking', since: at };
  const session: AgentSessionView = { chat: 1, task: 0, chatStatus: 'ready', since: at, idleAt: at };
  client.setQueryData(keys.agentSessions('prj_a'), { agt_a: before, agt_b: before });
  apply(client, { ...frame, type: 'session_changed', agentId: 'agt_a', ...session });
  expect(client.getQueryData(keys.agentSessions('prj_a'))).toEqual({ agt_a: session, agt_b: before });
  expect(client.getQueryState(keys.agentSessions('prj_a'))?.isInvalidated).toBe(false);
});

test('the changes of one start are one read of the runs', async () => {
  let reads = 0;
  const observer = new QueryObserver(client, {
    queryKey: keys.runs('prj_a', 'active'),
    queryFn: () => {
      reads += 1;
      return Promise.resolve({ read: reads });
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = observer.subscribe(({ data }) => {
    if (data?.read === 1 && reads === 1) for (let n = 0; n < 3; n += 1) apply(client, run(n));
    if (data?.read === 2) resolve();
  });
  await promise;
  unsubscribe();
  expect(reads).toBe(2);
});

const run = (n: number): LiveFrame => ({
  ...frame,
  type: 'run_changed',
  runId: `run_${n}`,
  agentId: 'agt_a',
});
