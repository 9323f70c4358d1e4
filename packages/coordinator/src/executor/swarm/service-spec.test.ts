import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { NO_TICKET } from '../docker/box.ts';
import { NO_PRIVILEGE_LOCK, secretOf, serviceOf } from './service-spec.ts';

const plan = {
  agentId: 'agt_1',
  projectId: 'prj_1',
  runId: 'run_1',
  file: '/bin/sh',
  args: ['-c', 'grep NoNewPrivs: /proc/self/status; cat; echo end'],
  cwd: '/srv/project',
  env: { PATH: '/of/the/host', AIZUCHI_RUN_ID: 'run_1' },
  secrets: [],
  mustWriteFolder: true,
  worksInFolder: true,
};
const options = {
  config: {
    image: 'image',
    network: 'bridge',
    limits: { memoryMb: 64, cpus: 1, processes: 16 },
    constraints: ['node.labels.agents==yes'],
  },
  instanceId: 'instance',
  coordinatorId: 'coordinator',
  self: { uid: 7, gid: 8 },
};
const LABELS = {
  'aizuchi.instance': 'instance',
  'aizuchi.run': 'run_1',
  'aizuchi.coordinator': 'coordinator',
};

test('the image of the agent counts before that of the Coordinator', () => {
  const made = serviceOf({ ...plan, image: 'its/own:1' }, 'name', undefined, options);
  expect(made.TaskTemplate.ContainerSpec.Image).toBe('its/own:1');
});

test('the box is that of a container, in the words of a service', () => {
  const limits = { memoryMb: 128, processes: 32 };
  const account = { name: 'agents', uid: 9, gid: 10 };
  const service = serviceOf({ ...plan, limits, account: account as never }, 'name', 'secret-id', options);
  expect(service).toMatchObject({
    Name: 'name',
    Labels: LABELS,
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
    TaskTemplate: {
      ContainerSpec: {
        Image: 'image',
        Labels: LABELS,
        User: '9:10',
        Dir: '/srv/project',
        Env: ['AIZUCHI_RUN_ID=run_1', 'HOME=/tmp'],
        Init: true,
        ReadOnly: true,
        CapabilityDrop: ['ALL'],
        StopGracePeriod: 3.5e9,
        Mounts: [
          { Type: 'tmpfs', Target: '/tmp' },
          { Type: 'bind', Source: '/srv/project', Target: '/srv/project' },
        ],
        Secrets: [
          {
            SecretID: 'secret-id',
            SecretName: 'name',
            File: { Name: 'aizuchi-launch', UID: '9', GID: '10', Mode: 0o400 },
          },
        ],
      },
      Resources: { Limits: { NanoCPUs: 1e9, MemoryBytes: 128 * 1024 * 1024, Pids: 32 } },
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: ['node.labels.agents==yes'] },
      Networks: [],
    },
  });
});

test('a network of the swarm is named, and a run that touches no file has no folder', () => {
  const config = { ...options.config, network: 'agents' };
  const { TaskTemplate } = serviceOf({ ...plan, worksInFolder: false }, 'name', undefined, {
    ...options,
    config,
  });
  expect(TaskTemplate.Networks).toEqual([{ Target: 'agents' }]);
  expect(TaskTemplate.ContainerSpec).toMatchObject({ User: '7:8', Dir: '/tmp', Secrets: [] });
  expect(TaskTemplate.ContainerSpec.Mounts).toHaveLength(1);
});

test.each([
  ['the launch line of our own runner', { stdinLine: '{"ticket":"t"}' }, '{"ticket":"t"}\n', 'line'],
  ['the ticket of another program', { env: { AIZUCHI_PASSKEY: 't' } }, 't\n', 'ticket'],
])('%s is in the secret, and nowhere in the service', (_what, changes, text, input) => {
  const given = { ...plan, ...changes };
  const secret = secretOf(given, 'name', options);
  expect(secret).toEqual({ Name: 'name', Labels: LABELS, Data: Buffer.from(text).toString('base64') });
  const service = serviceOf(given, 'name', 'id', options);
  expect(service.TaskTemplate.ContainerSpec.Args.slice(0, 2)).toEqual(['writable', input]);
  expect(JSON.stringify(service)).not.toContain('PASSKEY=');
  expect(JSON.stringify(service.TaskTemplate)).not.toContain('"t"');
});

test('a run without either has no secret', () => {
  expect(secretOf(plan, 'name', options)).toBeUndefined();
});

/** Begins as in the container, without its secret. */
function begin(changes: Partial<typeof plan> & { stdinLine?: string }, env = process.env) {
  const given = { ...plan, worksInFolder: false, ...changes };
  const { Command, Args } = serviceOf(given, 'name', undefined, options).TaskTemplate.ContainerSpec;
  const [shell = '', ...rest] = Command;
  const { status, stdout } = spawnSync(shell, [...rest, ...Args], { input: 'x', encoding: 'utf8', env });
  return { status, stdout };
}

test('the program gets no input of its own, and can gain no privileges', () => {
  expect(begin({})).toEqual({ status: 0, stdout: 'NoNewPrivs:\t1\nend\n' });
});

test('it does not begin without what its secret should hold', () => {
  expect(begin({ stdinLine: 'line' })).toEqual({ status: NO_TICKET, stdout: '' });
  expect(begin({ env: { AIZUCHI_PASSKEY: 't' } as never })).toEqual({ status: NO_TICKET, stdout: '' });
});

test('it does not begin in an image in which it could gain privileges', () => {
  expect(begin({}, { PATH: '/nowhere' })).toEqual({ status: NO_PRIVILEGE_LOCK, stdout: '' });
});
