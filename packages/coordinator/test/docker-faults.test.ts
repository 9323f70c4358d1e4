import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartError } from '../src/launch/start-error.ts';
import { until } from './coordinator-host.ts';
import { dockerWith, INSTANCE, MEMORY_MB } from './docker-world.ts';
import { ExecutorBench } from './executor-bench.ts';
import { FakeEngine } from './fake-engine.ts';

const MIB = 1024 * 1024;

let engine: FakeEngine;
let bench: ExecutorBench;

beforeEach(async () => {
  engine = await FakeEngine.open();
  bench = await ExecutorBench.open({
    name: 'docker',
    make: dockerWith({ AIZUCHI_DOCKER_HOST: engine.address }, { remainsMs: 20 }),
    leftOf: async () => [...engine.containers],
  });
});

afterEach(async () => {
  await bench.close();
  await engine.close();
});

test('a container that may have started although its start failed is removed at once', async () => {
  engine.breakNext('start', 1);
  engine.breakNext('remove', 1);
  await expect(bench.start('true')).rejects.toBeInstanceOf(StartError);
  await until(() => engine.containers.size === 0 || undefined);
});

test('a container that the engine makes after its start was given up is removed, and no other', async () => {
  const name = `aizuchi-${INSTANCE.slice(0, 12)}-${bench.runId}`;
  engine.breakNext('create', 1);
  engine.makesLate = name;
  engine.containers.add('other');
  await expect(bench.start('true')).rejects.toBeInstanceOf(StartError);
  await until(() => engine.makesLate === undefined || undefined);
  await until(() => !engine.containers.has(name) || undefined);
  expect([...engine.containers]).toEqual(['other']);
  engine.containers.clear();
});

test('a run that ended well has not run out of memory, whatever a child of it has', async () => {
  engine.ended = Promise.resolve({ exitCode: 0, isOutOfMemory: true });
  const run = await bench.start('true');
  expect(await run.exited).toEqual({ cause: 'finished', exitCode: 0, signal: null, stderrTail: '' });
});

test('any other end for want of memory says so', async () => {
  engine.ended = Promise.resolve({ exitCode: 1, isOutOfMemory: true });
  const exit = await (await bench.start('true')).exited;
  expect(exit).toMatchObject({ cause: 'crashed', exitCode: 1 });
  expect(exit.error?.text).toContain(`${MEMORY_MB} MiB`);
});

test('the limits of the agent count before those of the Coordinator, also in what is said', async () => {
  engine.ended = Promise.resolve({ exitCode: 137, isOutOfMemory: true });
  const run = await bench.start('true', { limits: { memoryMb: 128, processes: 32 } });
  expect(run.place.limits).toEqual({ memoryMb: 128, cpus: 1, processes: 32 });
  expect(engine.made).toMatchObject({
    HostConfig: { Memory: 128 * MIB, MemorySwap: 128 * MIB, NanoCpus: 1e9, PidsLimit: 32 },
  });
  expect((await run.exited).error?.text).toMatch('128 MiB of memory. Give the agent more memory on its page');
});

test('a run of which the engine does not tell the process is described all the same', async () => {
  const ended = Promise.withResolvers<{ exitCode: number; isOutOfMemory: boolean }>();
  engine.ended = ended.promise;
  engine.breakNext('json', 1);
  const run = await bench.start('true');
  expect(await run.describe()).toEqual({ pid: 1, startTicks: 0 });
  ended.resolve({ exitCode: 0, isOutOfMemory: false });
  expect(await run.exited).toMatchObject({ cause: 'finished' });
});

test.each([
  ['of version 2', { usage: 40 * MIB, stats: { inactive_file: 8 * MIB } }, 32],
  ['of version 1', { usage: 40 * MIB, stats: { total_inactive_file: 9 * MIB, inactive_file: 1 } }, 31],
  ['without details', { usage: 40 * MIB + 1 }, 41],
  ['of a container that has ended', {}, undefined],
])('what a run needs, by control groups %s', async (_what, stats, expected) => {
  const ended = Promise.withResolvers<{ exitCode: number; isOutOfMemory: boolean }>();
  engine.ended = ended.promise;
  engine.memoryStats = stats;
  const run = await bench.start('true');
  expect(run.place).toEqual({
    executor: 'docker',
    image: expect.any(String),
    limits: { memoryMb: MEMORY_MB, cpus: 1, processes: 256 },
  });
  expect(await run.memoryMb()).toBe(expected);
  engine.breakNext('stats', 1);
  expect(await run.memoryMb()).toBeUndefined();
  ended.resolve({ exitCode: 0, isOutOfMemory: false });
  await run.exited;
});

test('a container that appears after its run was not found is a stray', async () => {
  engine.breakNext('start', 1);
  engine.breakNext('remove', 2);
  await expect(bench.start('true')).rejects.toBeInstanceOf(StartError);
  const [name = ''] = engine.containers;
  const [entry] = await bench.journal.readAll();
  if (!entry) throw new Error('not in the journal');
  engine.containers.clear();
  const next = await bench.executor();
  next.keep(entry);
  expect(await next.adopt(entry)).toEqual({ found: [], left: [] });
  engine.containers.add(name);
  await next.clean();
  expect([...engine.containers]).toEqual([]);
});

test('a container that somebody is removing already is waited for, not left', async () => {
  engine.breakNext('start', 1);
  engine.breakNext('remove', 2);
  await expect(bench.start('true')).rejects.toBeInstanceOf(StartError);
  const [name = ''] = engine.containers;
  const [entry] = await bench.journal.readAll();
  if (!entry) throw new Error('not in the journal');
  engine.beingRemoved.add(name);
  expect(await (await bench.executor()).adopt(entry)).toEqual({ found: [name], left: [] });
  expect([...engine.containers]).toEqual([]);
});

test('a socket whose name is a link into the folder of the agent is in that folder', async () => {
  const other = await ExecutorBench.open({
    name: 'docker',
    leftOf: async () => [],
    make: async (home, journal) => {
      const socket = join(home, 'work', 'engine');
      await writeFile(socket, '');
      await symlink(socket, join(home, 'docker.sock'));
      return dockerWith({ AIZUCHI_DOCKER_HOST: `unix://${home}/docker.sock` })(home, journal);
    },
  });
  await expect(other.start('true')).rejects.toThrow(/contains the socket/);
  await other.close();
});
