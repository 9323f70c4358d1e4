import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { NO_TICKET } from '../docker/box.ts';
import { folderMount, jobOf, jobSecretOf } from './job-spec.ts';

const plan = {
  agentId: 'agt_1',
  projectId: 'prj_1',
  runId: 'run_1',
  file: '/bin/sh',
  args: ['-c', 'cat; echo end'],
  cwd: '/workspaces/project',
  env: { PATH: '/of/the/host', AIZUCHI_RUN_ID: 'run_1', OPTION: 'a=b' },
  secrets: [],
  mustWriteFolder: true,
  worksInFolder: true,
};
const options = {
  config: {
    image: 'image',
    limits: { memoryMb: 64, cpus: 1 },
    nodes: { aizuchi: 'agents' },
    claims: [{ path: '/workspaces', claim: 'workspaces' }],
    hostPaths: ['/srv'],
  },
  instanceId: 'instance',
  coordinatorId: 'coordinator',
  self: { uid: 7, gid: 8 },
};
const LABELS = { 'aizuchi.instance': 'instance', 'aizuchi.run': 'run_1' };

test('the image of the agent counts before that of the Coordinator', () => {
  const { spec } = jobOf({ ...plan, image: 'its/own:1' }, 'name', options);
  expect(spec?.template.spec?.containers[0]?.image).toBe('its/own:1');
});

test('the box is that of a container, in the words of a pod', () => {
  const account = { name: 'agents', uid: 9, gid: 10 };
  const limits = { memoryMb: 128, processes: 32 };
  const given = { ...plan, stdinLine: 'line', limits, account: account as never };
  const { metadata, spec } = jobOf(given, 'name', options);
  expect(metadata).toEqual({
    name: 'name',
    labels: LABELS,
    annotations: { 'aizuchi.coordinator': 'coordinator' },
  });
  expect(spec).toMatchObject({ backoffLimit: 0, template: { metadata: { labels: LABELS } } });
  expect(spec?.template.spec).toMatchObject({
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    nodeSelector: { aizuchi: 'agents' },
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 9,
      runAsGroup: 10,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        image: 'image',
        workingDir: '/workspaces/project',
        env: [
          { name: 'AIZUCHI_RUN_ID', value: 'run_1' },
          { name: 'OPTION', value: 'a=b' },
          { name: 'HOME', value: '/tmp' },
        ],
        securityContext: {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          limits: { memory: '128Mi', cpu: '1', 'ephemeral-storage': '1Gi' },
          requests: { memory: '128Mi' },
        },
        volumeMounts: [
          { name: 'scratch', mountPath: '/tmp' },
          { name: 'launch', mountPath: '/run/aizuchi', readOnly: true },
          { name: 'folder', mountPath: '/workspaces/project', subPath: 'project' },
        ],
      },
    ],
    volumes: [
      { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '128Mi' } },
      { name: 'launch', secret: { secretName: 'name' } },
      { name: 'folder', persistentVolumeClaim: { claimName: 'workspaces' } },
    ],
  });
});

test('a run that touches no file and is told nothing has scratch only', () => {
  const pod = jobOf({ ...plan, worksInFolder: false }, 'name', options).spec?.template.spec;
  expect(pod?.volumes?.map(({ name }) => name)).toEqual(['scratch']);
  expect(pod?.containers[0]?.workingDir).toBe('/tmp');
  expect(jobSecretOf(plan, 'name', options)).toBeUndefined();
});

test.each([
  ['the launch line of our own runner', { stdinLine: '{"ticket":"t"}' }, '{"ticket":"t"}\n', 'line'],
  ['the ticket of another program', { env: { AIZUCHI_PASSKEY: 't' } }, 't\n', 'ticket'],
])('%s is in the secret, and nowhere in the Job', (_what, changes, text, input) => {
  const given = { ...plan, ...changes };
  const data = { launch: Buffer.from(text).toString('base64') };
  expect(jobSecretOf(given, 'name', options)).toMatchObject({
    metadata: { name: 'name', labels: LABELS },
    data,
  });
  const job = JSON.stringify(jobOf(given, 'name', options));
  expect(job).toContain(`"writable","${input}"`);
  expect(job).not.toContain('"t"');
  expect(job).not.toContain(data.launch);
});

test.each([
  ['/workspaces/a/b', 'a/b'],
  ['/workspaces', undefined],
])('the folder %s is a part of the volume that has it', (path, subPath) => {
  expect(folderMount(path, options.config)?.mount.subPath).toBe(subPath);
});

test('a folder of the nodes is mounted as it is; one that nobody has is not made up', () => {
  expect(folderMount('/srv/a', options.config)?.volume.hostPath).toEqual({
    path: '/srv/a',
    type: 'Directory',
  });
  expect(folderMount('/workspaces2', options.config)).toBeUndefined();
  expect(folderMount('/home/me', options.config)).toBeUndefined();
});

/** Begins as in the container, without its secret. */
function begin(changes: Partial<typeof plan> & { stdinLine?: string }) {
  const given = { ...plan, worksInFolder: false, ...changes };
  const [container] = jobOf(given, 'name', options).spec?.template.spec?.containers ?? [];
  const [shell = '', ...rest] = container?.command ?? [];
  const args = [...rest, ...(container?.args ?? [])];
  const { status, stdout } = spawnSync(shell, args, { input: 'x', encoding: 'utf8' });
  return { status, stdout };
}

test('the program gets no input of its own', () => {
  expect(begin({})).toEqual({ status: 0, stdout: 'end\n' });
});

test('it does not begin without what its secret should hold', () => {
  expect(begin({ stdinLine: 'line' })).toEqual({ status: NO_TICKET, stdout: '' });
  expect(begin({ env: { AIZUCHI_PASSKEY: 't' } as never })).toEqual({ status: NO_TICKET, stdout: '' });
});

test('what a secret variable holds is in the secret of the run, and a dollar stays one', () => {
  const env = { ...plan.env, TOOL_KEY: 'k$$1', PRICE: '$$5 $(HOME)' };
  const given = { ...plan, args: ['-c', 'echo $$ $(HOME)'], env, secrets: ['k$$1'] };
  const job = jobOf(given, 'name', options);
  expect(JSON.stringify(job)).not.toContain('k$');
  const [container] = job.spec?.template.spec?.containers ?? [];
  expect(container?.args).toEqual(['writable', 'none', '/bin/sh', '-c', 'echo $$$$ $$(HOME)']);
  expect(container?.env).toContainEqual({
    name: 'TOOL_KEY',
    valueFrom: { secretKeyRef: { name: 'name', key: 'TOOL_KEY' } },
  });
  expect(container?.env).toContainEqual({ name: 'PRICE', value: '$$$$5 $$(HOME)' });
  expect(jobSecretOf(given, 'name', options)?.data).toEqual({ TOOL_KEY: btoa('k$$1') });
  // Its file has the line alone.
  const told = jobOf({ ...given, stdinLine: 'line' }, 'name', options);
  expect(told.spec?.template.spec?.volumes?.find(({ name }) => name === 'launch')?.secret?.items).toEqual([
    { key: 'launch', path: 'launch' },
  ]);
});

test('of two claims the inner one has the folder', () => {
  const claims = [
    { path: '/w', claim: 'all' },
    { path: '/w/x', claim: 'one' },
  ];
  const mounted = folderMount('/w/x/y', { claims, hostPaths: [] });
  expect(mounted?.volume.persistentVolumeClaim).toEqual({ claimName: 'one' });
  expect(mounted?.mount.subPath).toBe('y');
});
