import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { BEGIN, boxOf, NO_TICKET } from './box.ts';

const plan = {
  agentId: 'agt_1',
  projectId: 'prj_1',
  runId: 'run_1',
  file: '/bin/sh',
  args: ['-c', 'echo "begun with $AIZUCHI_PASSKEY"'],
  cwd: '/',
  env: { AIZUCHI_PASSKEY: 'ticket' },
  secrets: [],
  mustWriteFolder: false,
  worksInFolder: false,
};
const options = {
  config: { image: 'image', network: 'bridge', limits: { memoryMb: 64, cpus: 1, processes: 16 } },
  instanceId: 'instance',
  coordinatorId: 'coordinator',
  self: { uid: 1, gid: 1 },
};

const gate = {
  networkId: 'network',
  address: '172.20.0.2',
  gateway: '172.20.0.1',
  proxyPort: 1,
  mcpHost: 'mcp.test',
};

test.each([
  ['with its ticket', 'ticket\n', { status: 0, stdout: 'begun with ticket\n' }],
  ['not without one', '', { status: NO_TICKET, stdout: '' }],
  ['not with a part of it', 'tic', { status: NO_TICKET, stdout: '' }],
])('the program begins %s', (_what, input, outcome) => {
  const { Entrypoint, Cmd } = boxOf(plan, options);
  const [shell = '', ...rest] = Entrypoint;
  const { status, stdout } = spawnSync(shell, [...rest, ...Cmd], { input, encoding: 'utf8', env: {} });
  expect({ status, stdout }).toEqual(outcome);
});

test.each([
  ['and its ticket', plan.env, `${BEGIN}ticket\n`, { status: 0, stdout: 'begun with ticket\n' }],
  ['and reads its launch line', {}, `${BEGIN}launch\n`, { status: 0, stdout: 'begun with \nlaunch\n' }],
  ['and not before', {}, '', { status: NO_TICKET, stdout: '' }],
])('one that is kept to a list begins when it is told to %s', (_what, env, input, outcome) => {
  const args = ['-c', 'echo "begun with $AIZUCHI_PASSKEY"; cat'];
  const { Entrypoint, Cmd } = boxOf({ ...plan, env, args }, options, gate);
  const [shell = '', ...rest] = Entrypoint;
  const { status, stdout } = spawnSync(shell, [...rest, ...Cmd], { input, encoding: 'utf8', env: {} });
  expect({ status, stdout }).toEqual(outcome);
});
