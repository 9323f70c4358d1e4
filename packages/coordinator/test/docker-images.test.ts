import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartError } from '../src/launch/start-error.ts';
import { bundleCoordinator, CoordinatorHost, RUN_1, until } from './coordinator-host.ts';
import { dockerWith } from './docker-world.ts';
import { ExecutorBench } from './executor-bench.ts';
import { BROKEN_PULL, FakeEngine } from './fake-engine.ts';

const IMAGE = `registry.test/runner:1@sha256:${'a'.repeat(64)}`;
const layer = (id: string, current: number, total = 100) => ({
  id,
  status: 'Downloading',
  progressDetail: { current, total },
});
const DONE = [
  { status: 'Pulling from runner', id: '1' },
  layer('one', 40),
  { id: 'one', status: 'Download complete', progressDetail: {} },
  { status: 'Status: Downloaded newer image' },
];

let engine: FakeEngine;
let bench: ExecutorBench;
const world = (changes: object = {}, waitMs?: number) => ({
  name: 'docker',
  make: dockerWith(
    { AIZUCHI_DOCKER_HOST: engine.address, AIZUCHI_DOCKER_IMAGE: IMAGE, ...changes },
    waitMs === undefined ? {} : { pullWaitMs: waitMs },
  ),
  leftOf: async () => [...engine.containers],
});

beforeEach(async () => {
  engine = await FakeEngine.open();
  engine.isImageMissing = true;
  bench = await ExecutorBench.open(world());
});

afterEach(async () => {
  await bench.close();
  await engine.close();
});

test('an image that is missing is pulled by its digest, its progress in the log of the run', async () => {
  engine.pull = DONE;
  const said: unknown[] = [];
  const run = await bench.start('true', {}, { pulling: (percent) => void said.push(percent) });
  expect(await run.exited).toMatchObject({ cause: 'finished' });
  // For the chat of its agent; at the end it waits for none any more.
  expect(said).toEqual([0, 40, 100, undefined]);
  expect(engine.pulled).toEqual([{ fromImage: 'registry.test/runner', tag: IMAGE.split('@')[1] }]);
  expect(await bench.log()).toBe(
    [0, 40, 100].map((percent) => `Pulling the image ${IMAGE}: ${percent} %\n`).join(''),
  );
});

test('the image of the agent counts before that of the Coordinator; each is pulled by itself, also at one time', async () => {
  const go = Promise.withResolvers<void>();
  engine.pull = (async function* () {
    await go.promise;
    yield* DONE;
  })();
  const executor = await bench.executor();
  const other = await ExecutorBench.open(world());
  const own = 'registry.test/own:2';
  const runs = [bench.start('true', {}, { executor }), other.start('true', { image: own }, { executor })];
  await until(() => engine.pulled.length === 2 || undefined);
  expect(engine.pulled).toContainEqual({ fromImage: 'registry.test/own', tag: '2' });
  go.resolve();
  const [one, another] = await Promise.all(runs);
  expect([one?.place.image, another?.place.image]).toEqual([IMAGE, own]);
  await Promise.all([one?.exited, another?.exited]);
  expect(await other.log()).toContain(`Pulling the image ${own}: 0 %`);
  await other.close();
});

test('an image that is there is not pulled', async () => {
  engine.isImageMissing = false;
  await (await bench.start('true')).exited;
  expect(engine.pulled).toEqual([]);
});

test.each([
  ['the registry does not know it', { status: 404, message: 'manifest unknown' }, /\(manifest unknown\)/],
  ['it is refused in the middle', [layer('one', 10), { error: 'denied' }], /\(denied\)/],
  ['the connection breaks', [layer('one', 10), BROKEN_PULL], /could not be pulled \(\S+\)/],
])('%s: one sentence with the reason and what to do', async (_what, pull, sentence) => {
  engine.pull = pull;
  const started = bench.start('true');
  await expect(started).rejects.toBeInstanceOf(StartError);
  await expect(started).rejects.toThrow(sentence);
  await expect(started).rejects.toThrow(`docker pull ${IMAGE}`);
});

test('who waits too long is told how far it is; the pull goes on for the next', async () => {
  const go = Promise.withResolvers<void>();
  engine.pull = (async function* () {
    yield layer('one', 40);
    await go.promise;
    yield* DONE;
  })();
  const patience = await ExecutorBench.open(world({}, 300));
  const executor = await patience.executor();
  await expect(patience.start('true', {}, { executor })).rejects.toThrow(
    /still being pulled \(\d+ %\)\. The pull goes on/,
  );
  go.resolve();
  await until(() => !engine.isImageMissing || undefined);
  expect(await (await patience.start('true', {}, { executor })).exited).toMatchObject({ cause: 'finished' });
  expect(engine.pulled).toHaveLength(1);
  await patience.close();
});

test('a run that is stopped waits for no image', async () => {
  const go = Promise.withResolvers<void>();
  engine.pull = (async function* () {
    await go.promise;
    yield* DONE;
  })();
  const stop = new AbortController();
  const started = bench.start('true', {}, { signal: stop.signal });
  await until(() => engine.pulled.length === 1 || undefined);
  stop.abort();
  await expect(started).rejects.toThrow(/abort/);
  go.resolve();
});

test('the Coordinator says with its beats how far the image is, and ends the start of a run that is stopped meanwhile', async () => {
  const go = Promise.withResolvers<void>();
  engine.pull = (async function* () {
    yield layer('one', 40);
    await go.promise;
    yield* DONE;
  })();
  const host = await CoordinatorHost.create(await bundleCoordinator(bench.home));
  await host.start({
    AIZUCHI_EXECUTOR: 'docker',
    AIZUCHI_DOCKER_HOST: engine.address,
    AIZUCHI_DOCKER_IMAGE: IMAGE,
  });
  host.give(RUN_1, 'exit-at-once.mjs');
  await host.says(RUN_1, /registry\.test\/runner.*40 %/);
  const said = (pulling: object[]) =>
    host.server.waitForCall('wait_for_agent_actions', ({ args }) => isDeepStrictEqual(args.pulling, pulling));
  const { args } = await said([{ run_id: RUN_1, percent: 40 }]);
  expect(args).toMatchObject({ running: [RUN_1], hold_seconds: 1 });
  host.tellToStop(RUN_1);
  expect((await host.exited(RUN_1)).args).toMatchObject({ cause: 'killed', exit_code: null, signal: null });
  await said([]);
  expect(host.server.callsOf('report_process_started')).toHaveLength(0);
  go.resolve();
  await host.close();
});

test('a name that only this host has is not asked for at a registry', async () => {
  const local = await ExecutorBench.open(world({ AIZUCHI_DOCKER_IMAGE: 'aizuchi-runner' }));
  await expect(local.start('true')).rejects.toThrow(/has no image aizuchi-runner.*docker build/);
  await expect(local.start('true', { image: 'my-tools' })).rejects.toThrow(
    /has no image my-tools, which this agent names/,
  );
  expect(engine.pulled).toEqual([]);
  await local.close();
});
