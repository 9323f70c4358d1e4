import { createLogger } from '@aizuchi/shared/platform/logger';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EngineUnreachable } from '../src/executor/docker/docker-engine.ts';
import { Strays } from '../src/executor/strays.ts';
import { beginningOf } from '../src/executor/swarm/service-beginning.ts';
import { SERVICE_GRACE_MS } from '../src/executor/swarm/service-spec.ts';
import { StartError } from '../src/launch/start-error.ts';
import { RUN_ERRORS } from '../src/texts/run-errors.ts';
import { TICKET, until } from './coordinator-host.ts';
import { ExecutorBench } from './executor-bench.ts';
import { FakeManager } from './fake-manager.ts';
import { swarmWith } from './swarm-world.ts';

let manager: FakeManager;
let bench: ExecutorBench;

beforeEach(async () => {
  manager = await FakeManager.open();
  bench = await ExecutorBench.open({
    name: 'swarm',
    make: swarmWith({ AIZUCHI_DOCKER_HOST: manager.address }),
    leftOf: async () => manager.left,
  });
});

afterEach(async () => {
  await bench.close();
  await manager.close();
});

test('a run has a service and a secret as long as it lives, and says on which node', async () => {
  const run = await bench.start('true', { stdinLine: TICKET });
  expect(manager.left).toHaveLength(2);
  expect(run.place).toMatchObject({ executor: 'swarm', node: 'node-2', limits: { cpus: 1 } });
  expect(await run.describe()).toEqual({ pid: 5, startTicks: 0 });
  expect(await bench.journal.readAll()).toMatchObject([{ runId: bench.runId, executor: 'swarm' }]);
  manager.status = { State: 'complete', ContainerStatus: { ExitCode: 0 } };
  expect(await run.exited).toEqual({ cause: 'finished', exitCode: 0, signal: null, stderrTail: '' });
  expect(manager.left).toEqual([]);
});

test('a run whose node is down is lost, with the node by name, also in its log', async () => {
  const run = await bench.start('true', { stdinLine: TICKET });
  manager.nodeState = 'down';
  const exit = await run.exited;
  expect(exit).toMatchObject({ cause: 'lost', exitCode: null, signal: null });
  expect(exit.error?.text).toMatch(/^The node node-2 of the swarm does not answer any more/);
  expect(await bench.log()).toBe(`${exit.error?.text}\n`);
  expect(run.survivors).toEqual([]);
});

test('a run that the swarm takes off its node is lost too; one that we stop is not', async () => {
  const drained = await bench.start('true');
  manager.status = { State: 'shutdown', ContainerStatus: { ExitCode: 143 } };
  expect(await drained.exited).toMatchObject({
    cause: 'lost',
    error: { text: expect.stringContaining('off its node node-2') },
  });
  manager.status = { State: 'running' };
  const stopped = await bench.start('true');
  await stopped.stop();
  expect(await stopped.exited).toMatchObject({ cause: 'killed', exitCode: null, signal: 'SIGTERM' });
});

test('a run whose node lost its label is lost, and over only when its node had the time to end it', async () => {
  const run = await bench.start('true');
  manager.status = { State: 'rejected', Err: 'assigned node no longer meets constraints' };
  expect(await run.exited).toMatchObject({
    cause: 'lost',
    error: { text: expect.stringContaining('off its node node-2') },
  });
  expect(performance.now() - manager.removedAt).toBeGreaterThanOrEqual(SERVICE_GRACE_MS - 1);
});

test('a start that is given up while its container begins is ended before it is removed', async () => {
  manager.status = { State: 'starting' };
  const givenUp = new AbortController();
  const started = bench.start('true', {}, { signal: givenUp.signal });
  await until(() => manager.services.size > 0 || undefined);
  givenUp.abort();
  await expect(started).rejects.toBeInstanceOf(StartError);
  expect(manager.changes).toEqual(['update', 'removed when shutdown']);
  expect(manager.left).toEqual([]);
});

test('a node that goes down while it prepares a run has lost it', async () => {
  manager.status = { State: 'preparing' };
  manager.nodeState = 'down';
  const run = await bench.start('true');
  expect(await run.exited).toMatchObject({ cause: 'lost' });
});

test('a node that takes long to get ready is named, before the time to sign in is over', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  const task = {
    ID: 'task',
    ServiceID: 'service',
    NodeID: 'node',
    DesiredState: 'running',
    Status: { State: 'preparing' },
  };
  const nodes = new Map([
    ['node', { ID: 'node', Status: { State: 'ready' }, Description: { Hostname: 'node-3' } }],
  ]);
  const begun = beginningOf('service', {
    watch: { until: async (answer) => answer({ tasks: [task], nodes }) },
    texts: RUN_ERRORS.en,
    image: 'aizuchi-runner',
    signal: undefined,
  });
  await expect(begun).rejects.toThrow(
    'The node node-3 of the swarm is still getting the image aizuchi-runner',
  );
  expect(timeout).toHaveBeenCalledWith(240_000);
  timeout.mockRestore();
});

test('the end for want of memory is an exit code of the entry', async () => {
  const run = await bench.start('true', { limits: { memoryMb: 128 } });
  manager.status = { State: 'failed', ContainerStatus: { ExitCode: 215 } };
  const exit = await run.exited;
  expect(exit).toMatchObject({ cause: 'crashed', exitCode: null, signal: 'SIGKILL' });
  expect(exit.error?.text).toContain('128 MiB');
});

test('a node without the folder: one sentence, and nothing is left', async () => {
  manager.status = {
    State: 'rejected',
    Err: `invalid mount config for type "bind": bind source path does not exist: ${bench.work}`,
  };
  const started = bench.start('true', { stdinLine: TICKET });
  await expect(started).rejects.toThrow(`The node node-2 of the swarm has no folder ${bench.work}`);
  expect(manager.left).toEqual([]);
});

test('a secret whose service was not made is removed', async () => {
  manager.breakNext('POST /services/create', 1);
  await expect(bench.start('true', { stdinLine: TICKET })).rejects.toBeInstanceOf(StartError);
  expect(manager.left).toEqual([]);
});

test('a manager that is away for a while loses no run', async () => {
  const run = await bench.start('true');
  manager.breakNext('GET /tasks', 2);
  manager.status = { State: 'failed', ContainerStatus: { ExitCode: 7 } };
  expect(await run.exited).toMatchObject({ cause: 'crashed', exitCode: 7 });
});

test('an engine that is away is said once until it is back', async () => {
  const logger = createLogger('test', { level: 'silent' });
  const warned = vi.spyOn(logger, 'warn');
  let isAway = true;
  const find = async () => {
    if (isAway) throw new EngineUnreachable('ECONNREFUSED');
    return [];
  };
  const strays = new Strays({ ours: new Set(), find, remove: async () => true, logger });
  await strays.clean();
  await strays.clean();
  expect(warned).toHaveBeenCalledTimes(1);
  isAway = false;
  await strays.clean();
  isAway = true;
  await strays.clean();
  expect(warned).toHaveBeenCalledTimes(2);
});

test('what a killed Coordinator has left is ended by the journal; what no journal knows is removed', async () => {
  await bench.start('true', { stdinLine: TICKET });
  const [entry] = await bench.journal.readAll();
  if (!entry) throw new Error('not in the journal');
  const next = await bench.executor();
  next.keep(entry);
  await next.clean();
  expect(manager.left).toHaveLength(2);
  const { found, left } = await next.adopt(entry);
  expect([found, left]).toEqual([[expect.stringContaining(bench.runId)], []]);
  manager.services.set('aizuchi-stray', { Name: 'aizuchi-stray' });
  manager.secrets.add('aizuchi-stray');
  await next.clean();
  await until(() => manager.left.length === 0 || undefined);
});
