import { expect, test } from 'vitest';
import { beginningOfPod, endOfPod, nodeOfPod, type Pod, type PodEnd } from './pod-state.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const podOf = (status: Pod['status'], more: Partial<Pod> = {}, deletedAt?: number): Pod => ({
  metadata: { name: 'pod', ...(deletedAt !== undefined && { deletionTimestamp: new Date(deletedAt) }) },
  spec: { nodeName: 'node-2' },
  status,
  ...more,
});
const running = { phase: 'Running', containerStatuses: [{ state: { running: {} } }] };
const ended = (exitCode: number, reason?: string, message?: string): Pod['status'] => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [{ state: { terminated: { exitCode, reason, message } } }],
});
const disrupted = (reason: string) => ({
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason, message: `because of ${reason}` }],
});

test.each<[string, Pod | undefined, boolean, PodEnd | undefined]>([
  ['runs', podOf(running), false, undefined],
  ['ended well', podOf(ended(0)), false, { kind: 'ended', exitCode: 0, isOutOfMemory: false }],
  ['ended with a code', podOf(ended(7)), false, { kind: 'ended', exitCode: 7, isOutOfMemory: false }],
  [
    'wanted memory',
    podOf(ended(137, 'OOMKilled')),
    false,
    { kind: 'ended', exitCode: 137, isOutOfMemory: true },
  ],
  [
    'went on without a child that wanted memory',
    podOf(ended(0, 'OOMKilled')),
    false,
    { kind: 'ended', exitCode: 0, isOutOfMemory: false },
  ],
  [
    'was stopped by us',
    podOf(ended(143), {}, NOW),
    true,
    { kind: 'ended', exitCode: 143, isOutOfMemory: false },
  ],
  ['was deleted', podOf(ended(143), {}, NOW), false, { kind: 'taken-off', reason: 'it was deleted' }],
  ['is being ended by somebody', podOf(running, {}, NOW), false, undefined],
  [
    'is never ended by its node',
    podOf(running, {}, NOW - 60_001),
    false,
    { kind: 'node-lost', mayLive: true },
  ],
  [
    'is on a lost node',
    podOf({ ...running, ...disrupted('DeletionByTaintManager') }),
    false,
    { kind: 'node-lost', mayLive: true },
  ],
  [
    'was on a node that was removed',
    podOf(disrupted('DeletionByPodGC')),
    true,
    { kind: 'node-lost', mayLive: true },
  ],
  ['ended unseen', podOf(ended(137, 'ContainerStatusUnknown')), false, { kind: 'node-lost', mayLive: true }],
  [
    'was drained',
    podOf({ ...ended(143), ...disrupted('EvictionByEvictionAPI') }, {}, NOW),
    false,
    { kind: 'taken-off', reason: 'because of EvictionByEvictionAPI' },
  ],
  [
    'is being drained',
    podOf({ ...running, ...disrupted('EvictionByEvictionAPI') }, {}, NOW),
    false,
    undefined,
  ],
  [
    'was evicted',
    podOf({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
    false,
    { kind: 'taken-off', reason: 'low on memory' },
  ],
  [
    'has no program',
    podOf(ended(128, 'StartError', 'no such file')),
    false,
    { kind: 'refused', reason: 'no such file', isForImage: false },
  ],
  [
    'was removed, and ended before',
    podOf(ended(7), { isRemoved: true }),
    true,
    { kind: 'ended', exitCode: 7, isOutOfMemory: false },
  ],
  ['was removed by us unseen', podOf(running, { isRemoved: true }, NOW), true, { kind: 'gone' }],
  ['is gone', undefined, false, { kind: 'gone' }],
])('a pod that %s', (_what, pod, isStopping, end) => {
  expect(endOfPod(pod, { isStopping, now: NOW })).toEqual(end);
});

const waiting = (reason: string, message?: string): Pod['status'] => ({
  containerStatuses: [{ state: { waiting: { reason, message } } }],
});

test.each(['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'])(
  'a pod that waits for its image (%s) does not begin',
  (reason) => {
    const end = { kind: 'refused', reason: 'why', isForImage: true };
    expect(beginningOfPod(podOf(waiting(reason, 'why')), NOW)).toEqual({ kind: 'over', end });
  },
);

test.each<[string, Pod | undefined, unknown]>([
  ['runs', podOf(running), { kind: 'begun' }],
  ['is not made yet', undefined, { kind: 'unplaced', reason: '' }],
  [
    'has no node',
    podOf(
      {
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'none fits' },
        ],
      },
      { spec: {} },
    ),
    { kind: 'unplaced', reason: 'none fits' },
  ],
  ['gets ready', podOf(waiting('ContainerCreating')), { kind: 'preparing' }],
  [
    'is set up wrongly',
    podOf(waiting('CreateContainerConfigError', 'no secret')),
    { kind: 'over', end: { kind: 'refused', reason: 'no secret', isForImage: false } },
  ],
  [
    'is not taken by its node',
    podOf({ phase: 'Failed', reason: 'OutOfcpu', message: 'too few' }),
    { kind: 'over', end: { kind: 'refused', reason: 'too few', isForImage: false } },
  ],
  [
    'has ended at once',
    podOf(ended(3)),
    { kind: 'over', end: { kind: 'ended', exitCode: 3, isOutOfMemory: false } },
  ],
])('the beginning of a pod that %s', (_what, pod, beginning) => {
  expect(beginningOfPod(pod, NOW)).toEqual(beginning);
});

test('a node is called by its name', () => {
  expect([nodeOfPod(podOf(running)), nodeOfPod(undefined)]).toEqual(['node-2', '–']);
});
