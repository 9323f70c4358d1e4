import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Executor } from '../src/executor/executor.ts';
import { StartError } from '../src/launch/start-error.ts';
import { until } from './coordinator-host.ts';
import { dockerWith, INSTANCE } from './docker-world.ts';
import { connectFrom, readUntil } from './egress-world.ts';
import { ExecutorBench } from './executor-bench.ts';
import { FakeEngine } from './fake-engine.ts';

const NETWORK = `aizuchi-${INSTANCE.slice(0, 12)}-egress`;
const boxSchema = z.object({
  Env: z.array(z.string()),
  HostConfig: z.object({
    NetworkMode: z.string(),
    ExtraHosts: z.array(z.string()),
    Dns: z.array(z.string()).optional(),
  }),
});

let engine: FakeEngine;
let bench: ExecutorBench;
let executor: Executor;
/** In place of the mcp-server; listens on loopback only. */
let mcp: Server;
/** From where it was called. */
let callers: (string | undefined)[];
let end: () => void;

beforeEach(async () => {
  engine = await FakeEngine.open();
  // An address of this host on which the server does not listen.
  engine.gateway = '127.0.0.9';
  const ended = Promise.withResolvers<{ exitCode: number; isOutOfMemory: boolean }>();
  engine.ended = ended.promise;
  end = () => ended.resolve({ exitCode: 0, isOutOfMemory: false });
  callers = [];
  mcp = createServer((socket) => {
    callers.push(socket.remoteAddress);
    socket.on('error', () => undefined).end('the mcp-server');
  });
  mcp.listen({ host: '127.0.0.1', port: 0 });
  await once(mcp, 'listening');
  bench = await ExecutorBench.open({
    name: 'docker',
    make: dockerWith(
      { AIZUCHI_DOCKER_HOST: engine.address },
      { mcpUrl: `http://127.0.0.1:${mcpPort()}/mcp` },
    ),
    leftOf: async () => [...engine.containers, ...engine.networks.keys()],
  });
  executor = await bench.executor();
});

afterEach(async () => {
  await bench.close();
  mcp.close();
  await engine.close();
});

function mcpPort(): number {
  const address = mcp.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function made() {
  const { Env, HostConfig } = boxSchema.parse(engine.made);
  const proxy = Env.find((one) => one.startsWith('HTTPS_PROXY='));
  return { Env, HostConfig, proxyPort: Number(proxy?.split(':').at(-1)) };
}

/** What is answered at the gateway to the container. */
async function say(bytes: string, port: number, wanted: string, from = engine.containerAddress) {
  const socket = await connectFrom({ host: engine.gateway, port, from });
  socket.write(bytes);
  return readUntil(socket, wanted).finally(() => socket.destroy());
}

test('a run with a list is in a network without a way out, and its proxy is in its environment', async () => {
  const env = { HTTP_PROXY: 'http://of-the-coordinator:3128', no_proxy: '*', AIZUCHI_RUN_ID: bench.runId };
  const run = await bench.start('', { egress: ['example.org'], env }, { executor });
  expect(engine.networks.get(NETWORK)).toMatchObject({
    Driver: 'bridge',
    Internal: true,
    EnableIPv6: false,
    Options: {
      'com.docker.network.bridge.enable_icc': 'false',
      'com.docker.network.bridge.name': `aizuchi-${INSTANCE.slice(0, 7)}`,
    },
    Labels: { 'aizuchi.instance': INSTANCE },
    // Nobody is there: no route leads to other addresses of the host.
    IPAM: { Config: [{ AuxiliaryAddresses: { DefaultGatewayIPv4: '127.255.255.254' } }] },
  });
  const { Env, HostConfig, proxyPort } = made();
  const proxy = `http://127.0.0.9:${proxyPort}`;
  expect(Env.filter((one) => /proxy/i.test(one)).toSorted()).toEqual(
    [
      `HTTP_PROXY=${proxy}`,
      `http_proxy=${proxy}`,
      `HTTPS_PROXY=${proxy}`,
      `https_proxy=${proxy}`,
      'NO_PROXY=host.docker.internal,localhost',
      'no_proxy=host.docker.internal,localhost',
      'NODE_USE_ENV_PROXY=1',
    ].toSorted(),
  );
  expect(HostConfig).toEqual({
    NetworkMode: `id-of-${NETWORK}`,
    ExtraHosts: ['host.docker.internal:127.0.0.9'],
    Dns: ['127.0.0.1'],
  });
  end();
  await run.exited;
});

test('at its gateway are the mcp-server and the proxy, for its container alone and until it ends', async () => {
  const run = await bench.start('', { egress: ['example.org'] }, { executor });
  const { proxyPort } = made();
  expect(await say('', mcpPort(), 'server')).toBe('the mcp-server');
  // Not from loopback as the Coordinator itself: that would have the rights of this host.
  expect(callers.at(-1)).toBe(engine.gateway);
  const refused = await say('CONNECT other.example:443 HTTP/1.1\r\n\r\n', proxyPort, 'project.');
  expect(refused).toMatch(/^HTTP\/1.1 403 .*other\.example:443 is not on the egress list of the project\./s);
  await bench.says('other.example:443 is not on the egress list of the project.\n');
  for (const port of [mcpPort(), proxyPort])
    await expect(say('x', port, 'x', '127.0.0.3')).rejects.toThrow('ended after ""');
  end();
  expect(await run.exited).toMatchObject({ cause: 'finished' });
  await executor.settled();
  expect([...engine.networks]).toEqual([]);
  await expect(say('x', proxyPort, 'x')).rejects.toThrow('ECONNREFUSED');
});

test('the mcp-server is not called from loopback either where it is named by all addresses', async () => {
  const anywhere = dockerWith(
    { AIZUCHI_DOCKER_HOST: engine.address },
    { mcpUrl: `http://0.0.0.0:${mcpPort()}/mcp` },
  );
  const run = await bench.start('', { egress: [] }, { executor: await anywhere(bench.home, bench.journal) });
  expect(await say('', mcpPort(), 'server')).toBe('the mcp-server');
  expect(callers).toEqual(callers.map(() => engine.gateway));
  end();
  await run.exited;
});

test('it begins when it is known there: nothing that it says earlier is cut', async () => {
  const run = await bench.start('', { egress: [], stdinLine: 'the launch line' }, { executor });
  await until(() => engine.stdin === '\nthe launch line\n' || undefined);
  end();
  await run.exited;
});

test('two runs share it, and the second keeps it', async () => {
  const ended = [0, 1].map(() => Promise.withResolvers<{ exitCode: number; isOutOfMemory: boolean }>());
  const other = await ExecutorBench.open({
    name: 'docker',
    make: async () => executor,
    leftOf: async () => [],
  });
  const runs = [];
  for (const [at, one] of [bench, other].entries()) {
    engine.ended = ended[at]?.promise ?? engine.ended;
    runs.push(await one.start('', { egress: [] }, { executor }));
    await until(() => engine.waits === at + 1 || undefined);
  }
  const { proxyPort } = made();
  ended[0]?.resolve({ exitCode: 0, isOutOfMemory: false });
  await runs[0]?.exited;
  expect([...engine.networks.keys()]).toEqual([NETWORK]);
  expect(await say('CONNECT a.example:443 HTTP/1.1\r\n\r\n', proxyPort, 'project.')).toContain('403');
  ended[1]?.resolve({ exitCode: 0, isOutOfMemory: false });
  await runs[1]?.exited;
  await executor.settled();
  expect([...engine.networks]).toEqual([]);
  await other.close();
});

test('where the mcp-server listens at the gateway itself, nothing stands before it', async () => {
  engine.gateway = '127.0.0.1';
  const run = await bench.start('', { egress: [] }, { executor });
  expect(await say('', mcpPort(), 'server', '127.0.0.3')).toBe('the mcp-server');
  end();
  await run.exited;
});

test('a run without a list has no such network', async () => {
  const run = await bench.start('', {}, { executor });
  expect([...engine.networks]).toEqual([]);
  expect(made().HostConfig).toEqual({
    NetworkMode: 'bridge',
    ExtraHosts: ['host.docker.internal:host-gateway'],
  });
  end();
  await run.exited;
});

test('nothing of a run that did not start is left', async () => {
  for (const call of ['start', 'json']) {
    engine.breakNext(call, 1);
    await expect(bench.start('', { egress: [] }, { executor })).rejects.toBeInstanceOf(StartError);
    await executor.settled();
    expect([...engine.containers, ...engine.networks.keys()]).toEqual([]);
  }
});

test('nor is a network that the engine made without an answer', async () => {
  engine.loseNext('create', 1);
  await expect(bench.start('', { egress: [] }, { executor })).rejects.toBeInstanceOf(StartError);
  await until(() => engine.networks.size === 0 || undefined);
});

test('a container that is in another network is no run with a list', async () => {
  engine.isInItsNetwork = false;
  engine.containerAddress = '';
  await expect(bench.start('', { egress: [] }, { executor })).rejects.toThrow(/is not in its network/);
});

test('a Coordinator that is not on the host of the engine says so', async () => {
  // Of no host here.
  engine.gateway = '192.0.2.1';
  const started = bench.start('', { egress: [] }, { executor });
  await expect(started).rejects.toThrow(/could not listen at 192\.0\.2\.1,.*EADDRNOTAVAIL/);
});

test('when the mcp-server is not there, its port is left to it', async () => {
  const port = mcpPort();
  mcp.close();
  await expect(bench.start('', { egress: [] }, { executor })).rejects.toThrow(
    new RegExp(`^The mcp-server at 127\\.0\\.0\\.1:${port} does not answer .*ECONNREFUSED`),
  );
  mcp.listen({ host: '0.0.0.0', port });
  await once(mcp, 'listening');
});

test('a network that a killed Coordinator has left is taken, or removed', async () => {
  const run = await bench.start('', { egress: [] }, { executor });
  const next = await bench.executor();
  const left = engine.networks.get(NETWORK) ?? {};
  end();
  await run.exited;
  await executor.settled();
  engine.networks.set(NETWORK, left);
  const again = await bench.start('', { egress: [] }, { executor: next });
  expect(engine.networks.get(NETWORK)).toBe(left);
  // In use: no stray.
  await next.clean();
  await again.exited;
  await next.settled();
  engine.networks.set(NETWORK, left);
  await next.clean();
  expect([...engine.networks]).toEqual([]);
});

test('while a container of a killed Coordinator is in it, its address is not given to another', async () => {
  const left = await bench.start('', { egress: [] }, { executor });
  const next = await bench.executor();
  const other = await ExecutorBench.open({ name: 'docker', make: async () => next, leftOf: async () => [] });
  const run = await other.start('', { egress: [] }, { executor: next });
  expect(new Set(engine.inNetwork.values()).size).toBe(2);
  end();
  await Promise.all([left.exited, run.exited]);
  await Promise.all([executor.settled(), next.settled()]);
  await other.close();
});

test('one of the same name that has a way out is made anew', async () => {
  engine.networks.set(NETWORK, {
    Name: NETWORK,
    Driver: 'bridge',
    Internal: false,
    Options: null,
    Labels: null,
  });
  const run = await bench.start('', { egress: [] }, { executor });
  expect(engine.networks.get(NETWORK)).toMatchObject({ Internal: true });
  end();
  await run.exited;
});

test('while its network cannot be removed it is tried again', async () => {
  const run = await bench.start('', { egress: [] }, { executor });
  engine.breakNext('remove', 0);
  engine.inNetwork.set('of-somebody-else', '127.0.0.77');
  end();
  await run.exited;
  await executor.settled();
  expect([...engine.networks.keys()]).toEqual([NETWORK]);
  engine.inNetwork.clear();
  await executor.clean();
  await until(() => engine.networks.size === 0 || undefined);
});
