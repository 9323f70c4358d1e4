import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { DockerEngine } from '../src/executor/docker/docker-engine.ts';
import { findNetworks } from '../src/executor/docker/egress/run-network.ts';
import { until } from './coordinator-host.ts';
import { type DockerWorld, dockerWith, INSTANCE } from './docker-world.ts';
import { ExecutorBench } from './executor-bench.ts';

/** What an agent tries; the outcome of each is a word in its log. */
const TRIAL = `
const { connect } = require('node:net');
const { lookup } = require('node:dns');
const [, host, port, mcpPort] = process.argv;
const say = (what, outcome) => console.log('tried ' + what + ': ' + outcome);
const direct = (what, way) => new Promise((resolve) => {
  const socket = connect(way);
  const end = (outcome) => { say(what, outcome); socket.destroy(); resolve(); };
  socket.setTimeout(3000, () => end('nothing'));
  socket.on('error', () => end('nothing'));
  socket.on('connect', () => end('reached'));
});
const get = (what, url) => fetch(url).then(({ ok }) => say(what, ok ? 'reached' : 'nothing'), () => say(what, 'nothing'));
(async () => {
  await direct('directly', { host, port });
  await new Promise((resolve) => lookup('example.org', (error) => resolve(say('a name', error ? 'nothing' : 'resolved'))));
  await get('by the proxy', 'http://' + host + ':' + port + '/');
  await get('the mcp-server', 'http://host.docker.internal:' + mcpPort + '/');
  const own = require('node:http').createServer((_, answer) => answer.end('own')).listen(0, 'localhost');
  await new Promise((resolve) => own.on('listening', resolve));
  await get('a server of its own', 'http://localhost:' + own.address().port + '/');
  own.close();
  say('all', 'done');
})();`;

/** What runs that are kept to a list reach of a real engine. */
export function testEgress(world: DockerWorld): void {
  describe('the network of a run with a list', () => {
    const servers: Server[] = [];
    let gateway: string;
    let port: number;
    let mcpPort: number;
    let bench: ExecutorBench;

    beforeEach(async () => {
      gateway = await world.gateway();
      // Of this host, in a network that is not that of the run.
      port = await listen(gateway);
      mcpPort = await listen('127.0.0.1');
      const make = dockerWith({}, { mcpUrl: `http://127.0.0.1:${mcpPort}/mcp` });
      bench = await ExecutorBench.open({ ...world, make });
    });
    afterEach(async () => {
      await bench.close();
      await until(async () => (await networksOf(world.engine)).length === 0 || undefined);
      for (const server of servers.splice(0)) server.close();
    });

    async function listen(host: string): Promise<number> {
      const server = createServer((_request, response) => response.end('reached'));
      servers.push(server.listen({ host, port: 0 }));
      await once(server, 'listening');
      return z.object({ port: z.number() }).parse(server.address()).port;
    }

    test.each([
      ['an empty list: nothing but the mcp-server', [], 'nothing'],
      ['a list: what it names', ['named'], 'reached'],
    ])('%s', async (_what, named, outcome) => {
      const egress = named.map(() => `${gateway}:${port}`);
      const args = ['-e', TRIAL, gateway, String(port), String(mcpPort)];
      const changes = { file: 'node', args, egress, limits: { memoryMb: 256 } };
      const run = await bench.start('', changes);
      expect(await run.exited).toMatchObject({ cause: 'finished' });
      const said = (await bench.log()).match(/^tried .*/gm);
      expect(said).toEqual([
        'tried directly: nothing',
        'tried a name: nothing',
        `tried by the proxy: ${outcome}`,
        'tried the mcp-server: reached',
        'tried a server of its own: reached',
        'tried all: done',
      ]);
    });

    test('one that ends at once says how, and one that calls at once is answered', async () => {
      const executor = await bench.executor();
      const ended = await bench.start('exit 3', { egress: [] }, { executor });
      expect(await ended.exited).toMatchObject({ cause: 'crashed', exitCode: 3 });
      const other = await ExecutorBench.open(world);
      const call = `exec 3<>/dev/tcp/host.docker.internal/${mcpPort}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
      const changes = { egress: [], file: '/bin/bash', args: ['-c', call] };
      const run = await other.start('', changes, { executor });
      expect(await run.exited).toMatchObject({ cause: 'finished' });
      expect(await other.log()).toMatch(/reached$/);
      await other.close();
    });
  });
}

function networksOf(engine: DockerEngine): Promise<string[]> {
  return findNetworks(engine, INSTANCE);
}
