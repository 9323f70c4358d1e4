import { expect, test } from 'vitest';
import { begunTask, endOf, endOfBegun, nodeName, type Sight, type Task, whyWaiting } from './task-state.ts';

const sightOf = (status: Task['Status'], node = 'ready', nodeId: string | undefined = 'node'): Sight => ({
  tasks: [
    {
      ID: 'task',
      ServiceID: 'service',
      DesiredState: 'running',
      Status: status,
      ...(nodeId && { NodeID: nodeId }),
    },
  ],
  nodes: new Map([['node', { ID: 'node', Status: { State: node }, Description: { Hostname: 'node-1' } }]]),
});
const exit = (ExitCode: number) => ({ ContainerStatus: { ExitCode } });

test.each<[string, Sight, boolean, unknown]>([
  ['runs', sightOf({ State: 'running' }), false, undefined],
  ['ended well', sightOf({ State: 'complete', ...exit(0) }), false, { kind: 'ended', exitCode: 0 }],
  ['ended with a code', sightOf({ State: 'failed', ...exit(7) }), false, { kind: 'ended', exitCode: 7 }],
  ['was stopped by us', sightOf({ State: 'shutdown', ...exit(143) }), true, { kind: 'ended', exitCode: 143 }],
  ['ended unseen', sightOf({ State: 'failed', ...exit(-1) }), false, { kind: 'ended', exitCode: undefined }],
  ['is on a drained node', sightOf({ State: 'shutdown', ...exit(143) }), false, { kind: 'taken-off' }],
  ['is on a node that is down', sightOf({ State: 'running' }, 'down'), false, { kind: 'node-lost' }],
  [
    'is on a node that was removed',
    sightOf({ State: 'running' }, 'ready', 'other'),
    false,
    { kind: 'node-lost' },
  ],
  ['while a manager takes over', sightOf({ State: 'running' }, 'unknown'), false, undefined],
  [
    'ended before its node went down',
    sightOf({ State: 'failed', ...exit(1) }, 'down'),
    false,
    { kind: 'ended', exitCode: 1 },
  ],
  ['was not seen for a day', sightOf({ State: 'orphaned' }), false, { kind: 'node-lost' }],
  ['was refused', sightOf({ State: 'rejected', Err: 'why' }), false, { kind: 'refused', reason: 'why' }],
  [
    'could not be started',
    sightOf({ State: 'failed', Err: 'starting container failed: no such file' }),
    false,
    { kind: 'refused', reason: 'starting container failed: no such file' },
  ],
  ['is gone', { ...sightOf({ State: 'running' }), tasks: [] }, false, { kind: 'gone' }],
])('a task that %s', (_what, sight, stopRequested, end) => {
  expect(endOf('task', sight, stopRequested)).toEqual(end);
});

const NO_LABEL = { State: 'rejected', Err: 'assigned node no longer meets constraints' };
const takenOff = { kind: 'taken-off', mayLive: true };

test.each([false, true])(
  'one that ran is not refused, and may still live (stop requested: %s)',
  (isStopping) => {
    expect(endOf('task', sightOf(NO_LABEL), isStopping)).toEqual(takenOff);
    expect(endOf('task', sightOf({ State: 'rejected', ContainerStatus: { PID: 5 } }), isStopping)).toEqual(
      takenOff,
    );
    expect(endOfBegun('task', sightOf({ State: 'rejected' }), isStopping)).toEqual(takenOff);
  },
);

test('a service has begun when its task runs or is over', () => {
  expect(begunTask('service', sightOf({ State: 'preparing' }))).toBeUndefined();
  expect(begunTask('service', sightOf({ State: 'running' }))?.ID).toBe('task');
  expect(begunTask('service', sightOf({ State: 'rejected' }))?.ID).toBe('task');
  expect(begunTask('service', sightOf({ State: 'preparing' }, 'down'))?.ID).toBe('task');
  expect(begunTask('other', sightOf({ State: 'running' }))).toBeUndefined();
});

test('one that no node has waits for a reason', () => {
  expect(whyWaiting('service', sightOf({ State: 'preparing' }))).toBeUndefined();
  expect(whyWaiting('service', sightOf({ State: 'pending', Err: 'no suitable node' }, 'ready', ''))).toBe(
    'no suitable node',
  );
  expect(whyWaiting('other', sightOf({ State: 'pending' }))).toBe('no task yet');
});

test('a node is called by its name, else by its id', () => {
  const sight = sightOf({ State: 'running' });
  expect([nodeName('node', sight), nodeName('other', sight), nodeName(undefined, sight)]).toEqual([
    'node-1',
    'other',
    '–',
  ]);
});
