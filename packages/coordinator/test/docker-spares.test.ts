import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Executor } from '../src/executor/executor.ts';
import type { LaunchPlan } from '../src/launch/launch-plan.ts';
import { until } from './coordinator-host.ts';
import { dockerWith } from './docker-world.ts';
import { ExecutorBench } from './executor-bench.ts';
import { FakeEngine } from './fake-engine.ts';

const MCP_URL = 'http://host.docker.internal:9/mcp';
const RUNNER = { node: 'node', bundle: '/opt/aizuchi/runner.mjs' };
const ENV = { PATH: '/usr/bin:/bin', AIZUCHI_MCP_URL: MCP_URL };

let engine: FakeEngine;
let bench: ExecutorBench;
let executor: Executor;
let end: () => void;
/** In place of the mcp-server, which is looked for before a run is kept to a list. */
let mcp: Server;
/** As the Coordinator plans a run of the built-in agent. */
let plan: Partial<LaunchPlan>;

const make = () =>
  dockerWith(
    { AIZUCHI_DOCKER_HOST: engine.address },
    {
      mcpUrl: `http://127.0.0.1:${z.object({ port: z.number() }).parse(mcp.address()).port}/mcp`,
      spares: {
        count: 1,
        plan: {
          config: { mcpUrl: MCP_URL, allowedCommands: [], agentEnvNames: [], workspaceRoots: [] },
          runner: RUNNER,
          accounts: { agents: undefined, runner: undefined },
          env: { PATH: ENV.PATH },
        },
      },
    },
  );

beforeEach(async () => {
  engine = await FakeEngine.open();
  // An address of this host on which the server does not listen.
  engine.gateway = '127.0.0.9';
  mcp = createServer((socket) => socket.destroy());
  await once(mcp.listen({ host: '127.0.0.1', port: 0 }), 'listening');
  const ended = Promise.withResolvers<{ exitCode: number; isOutOfMemory: boolean }>();
  engine.ended = ended.promise;
  end = () => ended.resolve({ exitCode: 0, isOutOfMemory: false });
  bench = await ExecutorBench.open({
    name: 'docker',
    make: (home, journal) => make()(home, journal),
    leftOf: async () => [...engine.containers],
  });
  executor = await bench.executor();
  executor.spares.start();
  await until(() => executor.spares.count === 1 || undefined);
  plan = {
    file: RUNNER.node,
    args: [RUNNER.bundle, 'builtin'],
    env: { ...ENV, AIZUCHI_AGENT_ID: 'agt_1', AIZUCHI_PURPOSE: 'chat', AIZUCHI_RUN_ID: bench.runId },
    stdinLine: 'the launch line',
    worksInFolder: false,
  };
});

afterEach(async () => {
  await executor.spares.stop();
  await bench.close();
  await engine.close();
  mcp.close();
});

const spare = () => [...engine.containers].find((name) => name.includes('spare_'));
const ofRun = () => [...engine.containers].find((name) => name.endsWith(bench.runId));

test('a run that would get the same box takes it under its own name, and another is started', async () => {
  const first = spare() ?? '';
  const run = await bench.start('', plan, { executor });
  // Another may be there already: it comes a second later.
  expect(ofRun()).toBeDefined();
  expect(engine.containers.has(first)).toBe(false);
  await until(() => engine.stdin === 'the launch line\n' || undefined);
  await until(() => executor.spares.count === 1 || undefined);
  expect(spare()).not.toBe(first);
  end();
  expect(await run.exited).toMatchObject({ cause: 'finished' });
});

test.each([
  ['limits of its agent', { limits: { memoryMb: 128 } }],
  ['another provider', { args: [RUNNER.bundle, 'openai'] }],
  ['a folder', { worksInFolder: true }],
  ['an account of its own', { account: { uid: 7, gid: 7, name: 'other', home: '/' } }],
  ['a variable that was named for agents', { env: { ...ENV, HTTPS_PROXY: 'http://proxy.test' } }],
  ['another image', { image: 'other-runner' }],
  ['an egress list', { egress: ['example.org'] }],
  ['an egress list that names nothing', { egress: [] }],
])('one with %s has a container of its own, and the spare stays', async (_what, changes) => {
  const first = spare();
  const run = await bench.start('', { ...plan, ...changes }, { executor });
  expect(ofRun()).toBeDefined();
  expect(spare()).toBe(first);
  end();
  await run.exited;
  await executor.settled();
});

test.each([
  ['of an image that was built anew', () => engine.rebuild()],
  ['whose engine does not give it the name', () => engine.breakNext('rename', 1)],
  ['whose engine gives it the name without an answer', () => engine.loseNext('rename', 1)],
])('a spare %s is removed, and the run has a container of its own', async (_what, change) => {
  const first = spare() ?? '';
  change();
  const run = await bench.start('', plan, { executor });
  expect(ofRun()).toBeDefined();
  await until(() => !engine.containers.has(first) || undefined);
  end();
  expect(await run.exited).toMatchObject({ cause: 'finished' });
});

test('it is no stray to its own Coordinator, but to the next one, and ends when the Coordinator stops', async () => {
  await executor.clean();
  expect(spare()).toBeDefined();
  await (await bench.executor()).clean();
  expect(spare()).toBeUndefined();
  await executor.spares.stop();
  expect([executor.spares.count, engine.containers.size]).toEqual([0, 0]);
});
