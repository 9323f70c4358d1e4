import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ExitError } from '../process-lifecycle.ts';
import { loadCoordinatorConfig, loadRestConfig, mcpEndpoint } from './config.ts';
import { keepsEgress } from './docker-config.ts';
import { loadSecrets } from './secrets.ts';
import { settingsFromEnv } from './settings-from-env.ts';

const coordinator = {
  AIZUCHI_MCP_URL: 'http://127.0.0.1:4101',
  MCP_COORDINATOR_TOKEN: 'a-token-of-16-chars',
};
const rest = { DATABASE_URL: 'postgres://u:p@127.0.0.1/a', AIZUCHI_INTERNAL_TOKEN: 'a-token-of-16-chars' };

test('an empty variable counts as unset', () => {
  const config = loadRestConfig({ ...rest, REST_PORT: '', AIZUCHI_LOCALE: '', AIZUCHI_HOST: '' });
  expect(config.server).toMatchObject({ port: 4100, host: '127.0.0.1', isLoopback: true });
  expect(config.locale).toBe('ja');
});

describe('a secret in a file', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aizuchi-config-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('is read from the path that NAME_FILE gives, without the end of its line', async () => {
    const file = join(folder, 'url');
    await writeFile(file, `${rest.DATABASE_URL}\n`);
    const { databaseUrl } = loadRestConfig({ ...rest, DATABASE_URL: '', DATABASE_URL_FILE: file });
    expect(databaseUrl).toBe(rest.DATABASE_URL);
  });

  test('is refused when it cannot be read, is empty, or when both are set', async () => {
    const file = join(folder, 'url');
    const refusalOf = (env: Record<string, string>) =>
      catchError(() => loadRestConfig({ ...rest, DATABASE_URL: '', ...env })).message;
    expect(refusalOf({ DATABASE_URL_FILE: file })).toBe('DATABASE_URL_FILE cannot be read (ENOENT).');
    await writeFile(file, '\n');
    expect(refusalOf({ DATABASE_URL_FILE: file })).toBe('DATABASE_URL_FILE names an empty file.');
    expect(refusalOf({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://u:very-secret@h/x' })).toBe(
      'DATABASE_URL_FILE and DATABASE_URL are both set: choose one.',
    );
  });

  test('is for secrets only', () => {
    const { server } = loadRestConfig({ ...rest, REST_PORT_FILE: '/nonexistent' });
    expect(server.port).toBe(4100);
  });
});

test.each([
  ['REST_PORT', '70000'],
  ['REST_PORT', '12x'],
  ['AIZUCHI_LOCALE', 'fr'],
  ['AIZUCHI_TIMEZONE', 'Mars/Olympus'],
  ['DATABASE_URL', 'mysql://secret-host/x'],
  ['PENDING_PURPOSE_TTL_SECONDS', '-7'],
  ['PENDING_PURPOSE_TTL_SECONDS', '86401'],
  ['RATE_LIMIT_PER_MINUTE', '-1'],
  ['RETENTION_RUNS_DAYS', '-6'],
  ['AIZUCHI_WORKSPACE_ROOTS', 'relative/path'],
])('a bad %s ends with code 2 and one sentence without the value', (name, value) => {
  const error = catchError(() => loadRestConfig({ ...rest, [name]: value }));
  expect(error).toMatchObject({ exitCode: 2 });
  expect(error.message).toContain(name);
  expect(error.message).not.toContain(value);
  expect(error.message).not.toContain('\n');
});

test.each(['line\nbreak', 'carriage\rreturn', 'not latin 字'])(
  'a Coordinator token that no header can carry ends with code 2, and is not shown: %j',
  (token) => {
    const error = catchError(() =>
      loadCoordinatorConfig({ ...coordinator, MCP_COORDINATOR_TOKEN: `secret ${token}` }),
    );
    expect(error).toMatchObject({ exitCode: 2 });
    expect(error.message).toMatch(/^MCP_COORDINATOR_TOKEN must/);
    expect(error.message).not.toContain('secret');
  },
);

test('working directories lie in the home and the temp folder on loopback, elsewhere somebody must say where', () => {
  expect(loadRestConfig(rest).workspaceRoots).toEqual([homedir(), tmpdir()]);
  expect(catchError(() => loadRestConfig({ ...rest, AIZUCHI_HOST: '0.0.0.0' }))).toMatchObject({
    exitCode: 2,
  });
});

test('a Coordinator runs any command on loopback only', () => {
  expect(loadCoordinatorConfig(coordinator).allowedCommands).toEqual(['*']);
  const open = { ...coordinator, AIZUCHI_HOST: '0.0.0.0', AIZUCHI_WORKSPACE_ROOTS: '/srv' };
  expect(loadCoordinatorConfig(open).allowedCommands).toEqual(['claude']);
  expect(loadCoordinatorConfig({ ...coordinator, COORDINATOR_POLL_SECONDS: '3' }).pollMs).toBe(3000);
});

test('runs are services of a swarm when its manager is named, and the mcp-server as nodes reach it', () => {
  const inSwarm = {
    ...coordinator,
    AIZUCHI_EXECUTOR: 'swarm',
    AIZUCHI_MCP_URL: 'http://mcp-server:4101',
    AIZUCHI_SWARM_CONSTRAINTS: 'node.labels.agents==yes, node.role != manager',
  };
  expect(loadCoordinatorConfig(inSwarm).docker).toMatchObject({
    executor: 'swarm',
    constraints: ['node.labels.agents==yes', 'node.role != manager'],
    mcpUrl: 'http://mcp-server:4101/mcp',
  });
  const onLoopback = { ...inSwarm, AIZUCHI_MCP_URL: 'http://127.0.0.1:4101' };
  expect(catchError(() => loadCoordinatorConfig(onLoopback)).message).toMatch(/^AIZUCHI_DOCKER_MCP_URL must/);
  const reached = { ...onLoopback, AIZUCHI_DOCKER_MCP_URL: 'http://10.0.0.1:4101/mcp' };
  expect(loadCoordinatorConfig(reached).docker?.mcpUrl).toBe('http://10.0.0.1:4101/mcp');
  const odd = { ...inSwarm, AIZUCHI_SWARM_CONSTRAINTS: 'node.labels.agents' };
  expect(catchError(() => loadCoordinatorConfig(odd)).message).toContain('AIZUCHI_SWARM_CONSTRAINTS');
});

test('runs are Jobs of a cluster with the account of the pod, or with a file that is named', () => {
  const inCluster = {
    ...coordinator,
    AIZUCHI_EXECUTOR: 'kubernetes',
    AIZUCHI_MCP_URL: 'http://mcp-server.aizuchi:4101',
    AIZUCHI_KUBERNETES_NODES: 'aizuchi=agents, example.org/gpu=',
    AIZUCHI_KUBERNETES_CLAIMS: '/workspaces=workspaces, /srv/a=b',
    AIZUCHI_KUBERNETES_HOST_PATHS: '/srv/projects',
  };
  const inPod = { ...inCluster, KUBERNETES_SERVICE_HOST: '10.96.0.1' };
  const config = loadCoordinatorConfig(inPod);
  expect(config.docker).toBeUndefined();
  expect(config.kubernetes).toEqual({
    configFile: undefined,
    namespace: 'aizuchi-runs',
    image: 'aizuchi-runner',
    mcpUrl: 'http://mcp-server.aizuchi:4101/mcp',
    limits: { memoryMb: 1_024, cpus: 1 },
    nodes: { aizuchi: 'agents', 'example.org/gpu': '' },
    claims: [
      { path: '/workspaces', claim: 'workspaces' },
      { path: '/srv/a', claim: 'b' },
    ],
    hostPaths: ['/srv/projects'],
  });
  expect(catchError(() => loadCoordinatorConfig(inCluster)).message).toMatch(
    /^AIZUCHI_KUBERNETES_CONFIG must/,
  );
  const missing = { ...inCluster, AIZUCHI_KUBERNETES_CONFIG: '/nowhere/config' };
  expect(catchError(() => loadCoordinatorConfig(missing)).message).toContain(
    '/nowhere/config cannot be read',
  );
  const onLoopback = { ...inPod, AIZUCHI_MCP_URL: 'http://127.0.0.1:4101' };
  expect(catchError(() => loadCoordinatorConfig(onLoopback)).message).toMatch(/^AIZUCHI_DOCKER_MCP_URL must/);
  const odd = { ...inPod, AIZUCHI_KUBERNETES_CLAIMS: 'workspaces' };
  expect(catchError(() => loadCoordinatorConfig(odd)).message).toContain('AIZUCHI_KUBERNETES_CLAIMS');
});

test('runs are processes of this host unless somebody names an engine, by its socket or with TLS', async () => {
  expect(loadCoordinatorConfig(coordinator).docker).toBeUndefined();
  const inContainers = {
    ...coordinator,
    AIZUCHI_EXECUTOR: 'docker',
    AIZUCHI_MCP_URL: 'http://127.0.0.1:4101',
  };
  expect(loadCoordinatorConfig(inContainers).docker).toMatchObject({
    address: { socketPath: '/var/run/docker.sock' },
    mcpUrl: 'http://host.docker.internal:4101/mcp',
    network: 'bridge',
  });
  const reached = 'https://aizuchi.example.org/mcp';
  expect(loadCoordinatorConfig({ ...inContainers, AIZUCHI_MCP_URL: reached }).docker?.mcpUrl).toBe(reached);
  const remote = { ...inContainers, AIZUCHI_DOCKER_HOST: 'tcp://engine.example.org' };
  expect(catchError(() => loadCoordinatorConfig(remote)).message).toMatch(/^AIZUCHI_DOCKER_CERTS must name/);
  expect(
    catchError(() => loadCoordinatorConfig({ ...remote, AIZUCHI_DOCKER_CERTS: '/nowhere' })).message,
  ).toContain('ca.pem in it cannot be read');
  const certificates = await mkdtemp(join(tmpdir(), 'aizuchi-certs-'));
  for (const name of ['ca', 'cert', 'key']) await writeFile(join(certificates, `${name}.pem`), name);
  expect(loadCoordinatorConfig({ ...remote, AIZUCHI_DOCKER_CERTS: certificates }).docker?.address).toEqual({
    host: 'engine.example.org',
    port: 2376,
    ca: 'ca',
    cert: 'cert',
    key: 'key',
  });
  await rm(certificates, { recursive: true });
  // Of the host an agent would reach everything that listens on loopback.
  const onHost = { ...inContainers, AIZUCHI_DOCKER_NETWORK: 'host' };
  expect(catchError(() => loadCoordinatorConfig(onHost)).message).toMatch(/^AIZUCHI_DOCKER_NETWORK must/);
});

test('where runs are kept to a list, the mcp-server is the one that this Coordinator calls', () => {
  const docker = (more: Record<string, string>) => {
    const loaded = loadCoordinatorConfig({ ...coordinator, AIZUCHI_EXECUTOR: 'docker', ...more }).docker;
    return loaded && { ...loaded.mcpServer, isKept: keepsEgress(loaded) };
  };
  const ours = 'http://127.0.0.1:4101';
  expect(docker({ AIZUCHI_MCP_URL: ours })).toEqual({ host: '127.0.0.1', port: 4101, isKept: true });
  // From no address of ours, so it would take runs for this host.
  expect(docker({ AIZUCHI_MCP_URL: 'http://[::1]:4101' })).toEqual({
    host: '::1',
    port: 4101,
    isKept: false,
  });
  const behind = { AIZUCHI_MCP_URL: ours, AIZUCHI_DOCKER_MCP_URL: 'https://aizuchi.example.org/mcp' };
  // Behind the same front there may be others.
  expect(docker(behind)).toEqual({ host: 'aizuchi.example.org', port: 443, isKept: false });
  const byName = { AIZUCHI_MCP_URL: ours, AIZUCHI_DOCKER_MCP_URL: 'http://mcp.example.org:4101/mcp' };
  expect(docker(byName)).toEqual({ host: 'mcp.example.org', port: 4101, isKept: true });
  // An address cannot lead to us.
  const address = { AIZUCHI_MCP_URL: ours, AIZUCHI_DOCKER_MCP_URL: 'http://172.17.0.1:4101/mcp' };
  expect(docker(address)).toMatchObject({ isKept: false });
  const swarm = { AIZUCHI_EXECUTOR: 'swarm', AIZUCHI_MCP_URL: 'http://aizuchi.example.org' };
  expect(docker(swarm)).toMatchObject({ isKept: false });
});

test('the MCP url may name the server or its endpoint', () => {
  expect(mcpEndpoint('http://127.0.0.1:4101')).toBe('http://127.0.0.1:4101/mcp');
  expect(mcpEndpoint('https://host/deep/mcp')).toBe('https://host/deep/mcp');
});

test('only settings that a variable fixes are given', () => {
  expect(settingsFromEnv({ QUESTION_TIMEOUT_SECONDS: '0', CHAIN_MAX_MESSAGES: '' })).toEqual({
    questionTimeoutSeconds: 0,
  });
});

test('the byte quota of an agent is off, or at least 1 MiB', () => {
  const read = (AGENT_BYTES_PER_HOUR: string) => settingsFromEnv({ AGENT_BYTES_PER_HOUR }).agentBytesPerHour;
  expect([read('0'), read('1048576')]).toEqual([0, 1_048_576]);
  expect(() => read('1048575')).toThrow(ExitError);
});

test('secrets are made once, and readable by us only', async () => {
  const home = await mkdtemp(join(tmpdir(), 'aizuchi-secrets-'));
  try {
    const needed = new Set(['coordinatorToken', 'internalToken'] as const);
    const first = await loadSecrets(home, needed);
    expect(await loadSecrets(home, needed)).toEqual(first);
    expect(await readdir(join(home, 'secrets'))).toEqual(['coordinator-token', 'internal-token']);
    const file = join(home, 'secrets', 'coordinator-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).trim()).toBe(first.coordinatorToken);
  } finally {
    await rm(home, { recursive: true });
  }
});

function catchError(action: () => unknown): ExitError {
  try {
    action();
  } catch (error) {
    if (error instanceof ExitError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('what is over is kept for some days unless a variable says how long; what was audited may stay for ever', () => {
  const day = 86_400_000;
  expect(loadRestConfig(rest).retention).toMatchObject({ sessionsMs: 7 * day, auditMs: 365 * day });
  const given = { ...rest, RETENTION_SESSIONS_DAYS: '2', RETENTION_AUDIT_DAYS: '0' };
  expect(loadRestConfig(given).retention).toMatchObject({
    sessionsMs: 2 * day,
    runsMs: 30 * day,
    auditMs: null,
  });
});

describe('models', () => {
  const modelsOf = (env: Record<string, string>) => loadRestConfig({ ...rest, ...env }).models;

  test('are not configured unless a variable says so', () => {
    expect(modelsOf({ LLM_MODEL: '', EMBEDDING_MODEL: '' })).toEqual({});
  });

  test('are read with their keys, which may come as a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aizuchi-models-'));
    try {
      const file = join(folder, 'key');
      await writeFile(file, 'sk-1\n');
      expect(
        modelsOf({
          LLM_BASE_URL: 'http://127.0.0.1:1/v1',
          LLM_MODEL: 'm',
          LLM_API_KEY_FILE: file,
          EMBEDDING_BASE_URL: 'http://127.0.0.1:2/v1',
          EMBEDDING_MODEL: 'e',
        }),
      ).toEqual({
        language: {
          provider: 'openai-compatible',
          baseUrl: 'http://127.0.0.1:1/v1',
          apiKey: 'sk-1',
          model: 'm',
        },
        embedding: { baseUrl: 'http://127.0.0.1:2/v1', model: 'e' },
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('of Anthropic need a key and no address', () => {
    const given = { LLM_PROVIDER: 'anthropic', LLM_MODEL: 'm', LLM_API_KEY: 'k' };
    expect(modelsOf(given)).toEqual({ language: { provider: 'anthropic', model: 'm', apiKey: 'k' } });
  });

  test.each([
    [{ LLM_BASE_URL: 'http://secret-host/v1' }, 'LLM_MODEL must be set when'],
    [{ LLM_MODEL: 'm' }, 'LLM_BASE_URL must be set when'],
    [{ LLM_MODEL: 'm', LLM_PROVIDER: 'anthropic' }, 'LLM_API_KEY must be set when'],
    [{ LLM_MODEL: 'm', LLM_PROVIDER: 'other' }, 'LLM_PROVIDER must be'],
    [{ LLM_MODEL: 'm', LLM_BASE_URL: 'secret-host' }, 'LLM_BASE_URL must be'],
    [{ EMBEDDING_BASE_URL: 'http://secret-host/v1' }, 'EMBEDDING_MODEL must be set when'],
    [{ EMBEDDING_MODEL: 'e' }, 'EMBEDDING_BASE_URL must be set when'],
  ] as [Record<string, string>, string][])(
    'that are configured by half end with code 2: %j',
    (env, sentence) => {
      const error = catchError(() => modelsOf(env));
      expect(error).toMatchObject({ exitCode: 2 });
      expect(error.message).toContain(sentence);
      expect(error.message).not.toContain('secret-host');
    },
  );
});
