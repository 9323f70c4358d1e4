import { afterEach, beforeEach, expect, test } from 'vitest';
import { INSTANCE_LABEL } from '../src/executor/docker/box.ts';
import { StartError } from '../src/launch/start-error.ts';
import { TICKET, until } from './coordinator-host.ts';
import { INSTANCE, MEMORY_MB } from './docker-world.ts';
import { ExecutorBench } from './executor-bench.ts';
import { FakeCluster } from './fake-cluster.ts';
import { kubernetesWith } from './kubernetes-world.ts';

const RUNNING = { phase: 'Running', containerStatuses: [{ state: { running: {} } }] };
const waitingFor = (reason: string, message: string) => ({
  phase: 'Pending',
  containerStatuses: [{ state: { waiting: { reason, message } } }],
});
const ended = (exitCode: number, reason = 'Error') => ({
  phase: 'Failed',
  containerStatuses: [{ state: { terminated: { exitCode, reason } } }],
});
const disrupted = (reason: string, message: string) => ({
  ...RUNNING,
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message }],
});

let cluster: FakeCluster;
let bench: ExecutorBench;

beforeEach(async () => {
  cluster = await FakeCluster.open();
  cluster.status = RUNNING;
  bench = await ExecutorBench.open({
    name: 'kubernetes',
    make: kubernetesWith(cluster),
    leftOf: async () => cluster.left,
  });
});

afterEach(async () => {
  cluster.isNodeAway = false;
  await bench.close();
  await cluster.close();
});

test('a run has a Job and a secret as long as it lives, and says on which node', async () => {
  const run = await bench.start('true', { stdinLine: TICKET });
  expect([cluster.jobs.size, cluster.secrets.size, cluster.pods.size]).toEqual([1, 1, 1]);
  expect(run.place).toEqual({
    executor: 'kubernetes',
    node: 'node-2',
    image: 'aizuchi-runner',
    limits: { memoryMb: MEMORY_MB, cpus: 1 },
  });
  expect(await bench.journal.readAll()).toMatchObject([{ runId: bench.runId, executor: 'kubernetes' }]);
  cluster.tell(ended(0, 'Completed'));
  expect(await run.exited).toEqual({ cause: 'finished', exitCode: 0, signal: null, stderrTail: '' });
  await until(() => cluster.left.length === 0 || undefined);
});

test('the cluster shows no ticket but in the secret', async () => {
  const run = await bench.start('true', { env: { AIZUCHI_PASSKEY: TICKET } });
  const shown = JSON.stringify(
    [...cluster.jobs.values(), ...cluster.pods.values()].map((one) => ({ ...one })),
  );
  expect(shown).not.toContain(TICKET);
  expect(shown).not.toContain(Buffer.from(TICKET).toString('base64'));
  const [secret] = cluster.secrets.values();
  expect(Object.values(secret?.data ?? {})).toEqual([Buffer.from(`${TICKET}\n`).toString('base64')]);
  await run.stop();
});

test.each([
  [
    'a node that does not answer',
    disrupted('DeletionByTaintManager', 'Taint manager'),
    /does not answer any more/,
  ],
  ['an end that nobody saw', ended(137, 'ContainerStatusUnknown'), /does not answer any more/],
  [
    'an eviction for want of disk',
    { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.' },
    /off its node node-2 \(The node was low on resource/,
  ],
  [
    'a drained node',
    { ...disrupted('EvictionByEvictionAPI', 'Eviction API: evicting'), ...ended(143) },
    /off its node node-2 \(Eviction API: evicting\)/,
  ],
])('%s: the run is lost, also in its log', async (_what, status, sentence) => {
  const run = await bench.start('true', { stdinLine: TICKET });
  cluster.tell(status);
  const exit = await run.exited;
  expect(exit).toMatchObject({ cause: 'lost', exitCode: null, signal: null });
  expect(exit.error?.text).toMatch(sentence);
  expect(await bench.log()).toBe(`${exit.error?.text}\n`);
});

test('a pod that is to end and of which its node says nothing any more is lost', async () => {
  const run = await bench.start('true');
  cluster.tell(RUNNING, { deletionTimestamp: new Date(Date.now() - 61_000).toISOString() });
  expect(await run.exited).toMatchObject({
    cause: 'lost',
    error: { text: expect.stringMatching(/node-2 of the cluster does not answer/) },
  });
});

test('the end for want of memory says so', async () => {
  const run = await bench.start('true', { limits: { memoryMb: 128 } });
  cluster.tell(ended(137, 'OOMKilled'));
  const exit = await run.exited;
  expect(exit).toMatchObject({ cause: 'crashed', exitCode: null, signal: 'SIGKILL' });
  expect(exit.error?.text).toContain('128 MiB');
});

test.each([
  [
    'no such image',
    waitingFor('ErrImagePull', 'manifest unknown'),
    /node-2 of the cluster cannot get the image aizuchi-runner \(manifest unknown\)/,
  ],
  [
    'a name that is none',
    waitingFor('InvalidImageName', 'bad'),
    /cannot get the image aizuchi-runner \(bad\)/,
  ],
  ['a registry that is away', waitingFor('ImagePullBackOff', 'Back-off'), /AIZUCHI_DOCKER_IMAGE/],
  [
    'an account that may not be',
    waitingFor('CreateContainerConfigError', 'runAsUser breaks non-root policy'),
    /could not start the container: runAsUser breaks/,
  ],
  ['no program', ended(128, 'StartError'), /could not start the container: StartError/],
  [
    'a node that does not take it',
    { phase: 'Failed', reason: 'OutOfmemory', message: 'Node did not have enough resource: memory' },
    /could not start the container: Node did not have enough/,
  ],
])('%s: one sentence, and nothing is left', async (_what, status, sentence) => {
  cluster.status = status;
  await expect(bench.start('true', { stdinLine: TICKET })).rejects.toThrow(sentence);
  await until(() => cluster.left.length === 0 || undefined);
});

async function impatient(): Promise<ExecutorBench> {
  return ExecutorBench.open({
    name: 'kubernetes',
    make: kubernetesWith(cluster, {}, 0),
    leftOf: async () => cluster.left,
  });
}

test('no node for it: what the scheduler says', async () => {
  cluster.node = undefined;
  const message = '0/3 nodes are available: 3 Insufficient memory.';
  cluster.status = {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  };
  const other = await impatient();
  await expect(other.start('true')).rejects.toThrow(/No node .* \(0\/3 nodes are available/);
  await other.close();
});

test('no pod at all: what the cluster says of the Job', async () => {
  cluster.isWithoutPods = true;
  cluster.words.set('aizuchi-', 'pods "x" is forbidden: exceeded quota');
  const other = await impatient();
  await expect(other.start('true')).rejects.toThrow(/No node .*exceeded quota.*AIZUCHI_KUBERNETES_NODES/);
  await other.close();
});

test('a start that is given up leaves nothing, and says what its node was at', async () => {
  cluster.status = waitingFor('ContainerCreating', '');
  cluster.words.set('aizuchi-', 'MountVolume.SetUp failed: hostPath is not a directory');
  const givenUp = new AbortController();
  const started = bench.start('true', {}, { signal: givenUp.signal });
  // Asked for after the pod was listed: before that it is not known which node has it.
  await until(() => cluster.calls.includes('WATCH pods') || undefined);
  givenUp.abort();
  await expect(started).rejects.toThrow(/node-2 .*ready \(MountVolume.SetUp failed/);
  await until(() => cluster.left.length === 0 || undefined);
});

test('a folder that no volume has is refused before anything is made', async () => {
  const other = await ExecutorBench.open({
    name: 'kubernetes',
    make: kubernetesWith(cluster, { AIZUCHI_KUBERNETES_HOST_PATHS: ['/srv'] }),
    leftOf: async () => cluster.left,
  });
  await expect(other.start('true')).rejects.toThrow(/AIZUCHI_KUBERNETES_CLAIMS/);
  expect(cluster.calls).toEqual([]);
  await other.close();
});

test('the API that is too busy, or breaks off, is asked again: nothing is made twice', async () => {
  cluster.fail('POST secrets', 429, 500);
  cluster.fail('POST jobs', 'unanswered');
  cluster.fail('GET pods', 503, 'break');
  const run = await bench.start('true', { stdinLine: TICKET });
  expect([cluster.jobs.size, cluster.secrets.size]).toEqual([1, 1]);
  cluster.fail('DELETE jobs', 500);
  cluster.tell(ended(0, 'Completed'));
  expect(await run.exited).toMatchObject({ cause: 'finished' });
  expect(run.survivors).toEqual([]);
});

test('an API that is away: one sentence', async () => {
  cluster.fail('POST jobs', 'break', 'break', 'break', 'break');
  await expect(bench.start('true')).rejects.toThrow(/The Kubernetes API at http:.* does not answer/);
  cluster.fail('POST jobs', 403);
  await expect(bench.start('true')).rejects.toThrow(/did not start the Job: refused with 403/);
});

test.each([
  ['a watch that ends', {}],
  ['a watch that has forgotten what was before', { isForgotten: true }],
])('%s begins anew, and misses no end', async (_what, how) => {
  const run = await bench.start('true');
  const watches = () => cluster.calls.filter((call) => call === 'WATCH pods').length;
  await until(() => watches() > 0 || undefined);
  cluster.cut(how);
  cluster.tell(ended(7));
  expect(await run.exited).toMatchObject({ cause: 'crashed', exitCode: 7 });
});

test('a version that is too old is refused with 410: all are listed again', async () => {
  cluster.fail('WATCH pods', 410);
  const run = await bench.start('true');
  await until(() => cluster.calls.filter((call) => call === 'GET pods').length > 1 || undefined);
  cluster.tell(ended(7));
  expect(await run.exited).toMatchObject({ cause: 'crashed', exitCode: 7 });
});

test('a pod is never deleted without a grace: the cluster would forget it while it lives', async () => {
  const run = await bench.start('true');
  await run.stop(0);
  expect(await run.exited).toMatchObject({ cause: 'killed' });
  const [deletion = ''] = cluster.calls.filter((call) => call.startsWith('DELETE pods'));
  expect(deletion).toMatch(/gracePeriodSeconds=1$/);
});

test('what a killed Coordinator has left is ended by the journal; what no journal knows is removed', async () => {
  await bench.start('true', { stdinLine: TICKET });
  const [entry] = await bench.journal.readAll();
  if (!entry) throw new Error('not in the journal');
  const next = await bench.executor();
  next.keep(entry);
  await next.clean();
  expect([cluster.jobs.size, cluster.secrets.size]).toEqual([1, 1]);
  const { found, left } = await next.adopt(entry);
  expect([found, left]).toEqual([[expect.stringContaining(bench.runId.replaceAll('_', '-'))], []]);
  const labels = { [INSTANCE_LABEL]: INSTANCE };
  cluster.secrets.set('aizuchi-stray', { metadata: { name: 'aizuchi-stray', labels } });
  cluster.secrets.set('of-somebody', { metadata: { name: 'of-somebody', labels: {} } });
  await next.clean();
  expect(cluster.left).toEqual(['of-somebody']);
  cluster.secrets.clear();
});

test('a start that failed and could not be undone is undone when the API is back', async () => {
  cluster.status = waitingFor('ErrImagePull', 'manifest unknown');
  cluster.fail('DELETE secrets', 403);
  await expect(bench.start('true', { stdinLine: TICKET })).rejects.toBeInstanceOf(StartError);
  await until(() => cluster.left.length === 0 || undefined);
});
