import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchSchema } from '@aizuchi/shared/contract/launch';
import type { AgentAction } from '@aizuchi/shared/contract/tools/coordinator-tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseGuardLines } from '../process/run-guard.ts';
import { RUN_ERRORS } from '../texts/run-errors.ts';
import { chooseRunAccounts } from './agent-account.ts';
import { findExecutable, isAllowed } from './executables.ts';
import { type PlanOptions, planLaunch } from './launch-plan.ts';
import { runEnvironment } from './run-environment.ts';

const RUN = {
  mcpUrl: 'http://127.0.0.1:1/mcp',
  agentId: 'agt_1',
  projectId: 'prj_1',
  purpose: 'chat',
  runId: 'run_1',
};

test('the environment is built from nothing, and variables of the product are never in it', () => {
  const ours = {
    PATH: '/bin',
    LANG: '',
    SHELL: '/bin/sh',
    MCP_COORDINATOR_TOKEN: 'secret',
    DATABASE_URL: 'secret',
    PGPASSWORD: 'secret',
    LLM_API_KEY: 'secret',
    EMBEDDING_API_KEY: 'secret',
    AIZUCHI_PROVIDER_KEY: 'secret',
    MY_TOOL: 'open',
  };
  expect(
    runEnvironment(ours, RUN, { extraNames: Object.keys(ours).filter((name) => name !== 'SHELL') }),
  ).toEqual({
    PATH: '/bin',
    MY_TOOL: 'open',
    AIZUCHI_MCP_URL: 'http://127.0.0.1:1/mcp',
    AIZUCHI_AGENT_ID: 'agt_1',
    AIZUCHI_PROJECT_ID: 'prj_1',
    AIZUCHI_PURPOSE: 'chat',
    AIZUCHI_RUN_ID: 'run_1',
  });
});

test('an agent with another account gets its home, and the passkey only when it needs it', () => {
  const account = { name: 'nobody', home: '/nonexistent' };
  const env = runEnvironment({ HOME: '/root' }, RUN, { extraNames: [], account, passkey: 'ticket' });
  expect(env).toMatchObject({ HOME: '/nonexistent', USER: 'nobody', AIZUCHI_PASSKEY: 'ticket' });
});

test('a name allows only that name, and a path only that path', () => {
  expect(isAllowed('claude', ['claude'])).toBe(true);
  expect(isAllowed('/tmp/claude', ['claude'])).toBe(false);
  expect(isAllowed('/opt/agent', ['/opt/agent'])).toBe(true);
  expect(isAllowed('anything', ['*'])).toBe(true);
  expect(isAllowed('anything', [])).toBe(false);
});

test('a command is searched for in PATH, a path is resolved from the working directory', async () => {
  expect(await findExecutable('sh', '/', '/nonexistent:/bin')).toBe('/bin/sh');
  expect(await findExecutable('bin/sh', '/', '')).toBe('/bin/sh');
  expect(await findExecutable('/bin/sh', '/tmp', '')).toBe('/bin/sh');
  expect(await findExecutable('no-such-command', '/', '/bin')).toBeUndefined();
  expect(await findExecutable('/etc/passwd', '/', '')).toBeUndefined();
  expect(await findExecutable('/bin', '/', '')).toBeUndefined();
});

test('agents and the runner have two accounts, neither root nor the owner of the database', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1::/usr/sbin:/bin/sh\ngames:x:5:60:games:/usr/games:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/sh\n';
  const namesOf = (text: string, owner?: number) => {
    const { agents, runner } = chooseRunAccounts(text, owner);
    return [agents?.name, runner?.name];
  };
  expect(namesOf(passwd)).toEqual(['nobody', 'games']);
  expect(namesOf(passwd, 65534)).toEqual(['games', 'daemon']);
  expect(namesOf(`aizuchi-agent:x:10002:10001::/home/a:/bin/sh\n${passwd}`)).toEqual([
    'aizuchi-agent',
    'nobody',
  ]);
  expect(() => namesOf('nobody:x:0:0::/:')).toThrow(/accounts/);
  expect(namesOf('nobody:x:7:7::/:\ngames:x:7:7::/:')).toEqual(['nobody', 'nobody']);
});

test('only the first line of the lifeline counts: an agent can write there later', () => {
  expect(parseGuardLines('watcher 12\n')).toEqual({ watcherPid: 12 });
  expect(parseGuardLines('watcher 12\nwatcher 13\nfault directory\n')).toEqual({ watcherPid: 12 });
  expect(parseGuardLines('fault directory\n')).toEqual({ fault: 'directory' });
  expect(parseGuardLines('watcher 1; rm\nfault command\n')).toEqual({});
  expect(parseGuardLines('watcher 1')).toEqual({});
});

describe('a model behind an address', () => {
  const KEY = 'sk-a-secret-key';
  let folder: string;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'aizuchi-plan-')));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const local = { model: 'qwen3:8b', base_url: 'http://127.0.0.1:11434/v1' };
  const plan = (
    fields: Partial<AgentAction>,
    env: Record<string, string> = {},
    more: Partial<PlanOptions> = {},
  ) =>
    planLaunch(
      { agentId: 'agt_1', projectId: 'prj_1', runId: 'run_1' },
      {
        action: 'start',
        reason: 'has_pending_purpose',
        provider: 'openai',
        working_directory: folder,
        launch: { ticket: 'a-ticket' },
        ...fields,
      },
      {
        config: {
          mcpUrl: 'http://127.0.0.1:1/mcp',
          allowedCommands: [],
          agentEnvNames: Object.keys(env),
          workspaceRoots: [folder],
        },
        runner: { node: '/bin/node', bundle: '/runner.mjs' },
        accounts: { agents: undefined, runner: undefined },
        claude: { find: async () => ({}) },
        texts: RUN_ERRORS.en,
        env,
        ...more,
      },
    );

  test('is started without a key, with our own runner', async () => {
    const { folder: pinned, args, stdinLine, mustWriteFolder } = await plan(local);
    await pinned.close();
    expect(args).toEqual(['/runner.mjs', 'openai']);
    expect(mustWriteFolder).toBe(false);
    expect(launchSchema.parse(JSON.parse(stdinLine ?? ''))).toEqual({
      workingDirectory: folder,
      runId: 'run_1',
      agentId: 'agt_1',
      projectId: 'prj_1',
      purpose: 'chat',
      provider: 'openai',
      ticket: 'a-ticket',
      model: 'qwen3:8b',
      baseUrl: 'http://127.0.0.1:11434/v1',
    });
  });

  test('gets its key on stdin only, and the key is hidden in what is stored of its output', async () => {
    const found = await plan(
      { ...local, api_key_env: 'AIZUCHI_PROVIDER_KEY' },
      // As files with variables often leave it.
      { AIZUCHI_PROVIDER_KEY: ` ${KEY}\n` },
    );
    await found.folder.close();
    expect(launchSchema.parse(JSON.parse(found.stdinLine ?? '')).apiKey).toBe(KEY);
    expect(JSON.stringify([found.args, found.env])).not.toContain(KEY);
    expect(found.secrets).toContain(KEY);
  });

  test.each([
    ['an address', { model: 'm' }, /no address of a model.*agent's page/],
    ['a model', { base_url: local.base_url }, /no model.*agent's page/],
    [
      'the variable of its key',
      { ...local, api_key_env: 'AIZUCHI_PROVIDER_KEY' },
      /variable AIZUCHI_PROVIDER_KEY/,
    ],
  ])('without %s it is not started, and the sentence says what to do', async (_, fields, sentence) => {
    await expect(plan(fields, { AIZUCHI_PROVIDER_KEY: ' ' })).rejects.toThrow(sentence);
  });

  test('one that must live in a container is not started without, and the reason says so', async () => {
    const order = { ...local, executor: 'docker', working_directory: undefined } as const;
    await expect(plan(order)).rejects.toThrow(RUN_ERRORS.en.needsContainer.text);
  });

  test('one that must be kept to a list of hosts is not started where none is kept', async () => {
    const order = { ...local, egress: [], working_directory: undefined };
    await expect(plan(order)).rejects.toThrow(RUN_ERRORS.en.needsEgress.text);
    await expect(plan(order, {}, { isInContainers: true })).rejects.toThrow(RUN_ERRORS.en.needsEgress.text);
  });

  test('one that is kept to a list is given no proxy of the Coordinator by its launch line', async () => {
    const agentEnvNames = ['HTTPS_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY', 'GITHUB_TOKEN'];
    const config = { mcpUrl: '', allowedCommands: [], agentEnvNames, workspaceRoots: [folder] };
    const ours = {
      HTTPS_PROXY: 'http://proxy:3128',
      all_proxy: 'x',
      NODE_USE_ENV_PROXY: '1',
      GITHUB_TOKEN: 't',
    };
    const inContainers = { isInContainers: true, keepsEgress: true, config };
    const found = await plan({ ...local, egress: ['example.org'] }, ours, inContainers);
    await found.folder.close();
    expect(found.egress).toEqual(['example.org']);
    expect(launchSchema.parse(JSON.parse(found.stdinLine ?? '')).env).toEqual({ GITHUB_TOKEN: 't' });
  });

  test('in a container it has no folder, and what is in the image is not looked for here', async () => {
    const inImage = { isInContainers: true };
    const found = await plan(local, {}, inImage);
    await found.folder.close();
    expect(found.worksInFolder).toBe(false);
    expect(found.stdinLine).not.toContain(folder);
    // An image of an older version refuses fields that it does not know.
    expect(found.stdinLine).not.toContain('"env"');
    const config = {
      mcpUrl: '',
      allowedCommands: ['only-in-image'],
      agentEnvNames: [],
      workspaceRoots: [folder],
    };
    const command = { file: 'only-in-image', args: ['acp'] };
    const program = await plan({ provider: 'command', command }, {}, { ...inImage, config });
    await program.folder.close();
    expect(program).toMatchObject({ file: 'only-in-image', args: ['acp'], worksInFolder: true });
    const refused = { provider: 'command' as const, command: { file: 'other', args: [] } };
    await expect(plan(refused, {}, { ...inImage, config })).rejects.toThrow(/not allowed on this host/);
  });

  test('in a container keys come by the launch line, and certificates from the start', async () => {
    const ours = {
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '9000',
      GITHUB_TOKEN: 'ghp_a-token',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      AIZUCHI_DATABASE_PASSWORD: 'never-given',
      HOME: '/home/of-the-host',
      HTTPS_PROXY: 'http://proxy:3128',
    };
    const names = ['GITHUB_TOKEN', 'NODE_EXTRA_CA_CERTS', 'AIZUCHI_DATABASE_PASSWORD', 'HOME', 'HTTPS_PROXY'];
    const config = { mcpUrl: '', allowedCommands: [], agentEnvNames: names, workspaceRoots: [folder] };
    const found = await plan({ provider: 'claude' }, ours, { isInContainers: true, config });
    await found.folder.close();
    expect(launchSchema.parse(JSON.parse(found.stdinLine ?? ''))).toMatchObject({
      command: { file: 'claude', args: [] },
      workingDirectory: folder,
      env: {
        ANTHROPIC_API_KEY: KEY,
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: '9000',
        GITHUB_TOKEN: 'ghp_a-token',
        NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      },
    });
    expect(found.env).toMatchObject({ NODE_EXTRA_CA_CERTS: '/etc/ca.pem', HTTPS_PROXY: 'http://proxy:3128' });
    expect(found.stdinLine).not.toContain('/home/of-the-host');
    expect(JSON.stringify([found.args, found.env])).not.toMatch(
      /ANTHROPIC|CLAUDE_CODE|GITHUB|ghp_a|never-given/,
    );
    expect(found.stdinLine).not.toContain('never-given');
    expect(found.secrets).toEqual(expect.arrayContaining([KEY, 'ghp_a-token']));
  });

  test('a program that reads no launch line has them in its environment, also in a container', async () => {
    const config = {
      mcpUrl: '',
      allowedCommands: ['tool'],
      agentEnvNames: ['TOOL_KEY'],
      workspaceRoots: [folder],
    };
    const order = { provider: 'command' as const, command: { file: 'tool', args: [] } };
    const found = await plan(order, { TOOL_KEY: KEY }, { isInContainers: true, config });
    await found.folder.close();
    expect(found.env.TOOL_KEY).toBe(KEY);
    expect(found.stdinLine).toBeUndefined();
  });
});
