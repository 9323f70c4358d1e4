import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { expect, test } from 'vitest';
import { wayToMcpServer } from './mcp-relay.ts';

const GATEWAY = '172.20.0.1';

test.each([
  ['127.0.0.1', [], '127.0.0.1'],
  ['localhost', ['::1', '127.0.0.1'], '127.0.0.1'],
  ['0.0.0.0', [], '127.0.0.1'],
  ['::', [], '127.0.0.1'],
  ['this-host.test', ['127.0.1.1'], '127.0.1.1'],
])('the mcp-server of this host, %s, is called from the gateway', async (host, addresses, called) => {
  const way = await wayToMcpServer({ host, port: 1 }, GATEWAY, resolving(addresses));
  expect(way).toMatchObject({ host: called, family: 4, localAddress: GATEWAY });
});

test.each([
  ['192.0.2.1', []],
  ['other.test', ['192.0.2.1']],
  ['both.test', ['127.0.1.1', '192.0.2.1']],
])('that of another host, %s, is called as it is, and never at loopback', async (host, addresses) => {
  const way = await wayToMcpServer({ host, port: 1 }, GATEWAY, resolving(addresses));
  expect(way).toMatchObject({ host, port: 1 });
  expect(way.localAddress).toBeUndefined();
  const found = await new Promise((resolve) => {
    way.lookup?.(host, { all: true }, (_error, all) => resolve(all));
  });
  expect(found).toEqual([{ address: '192.0.2.1', family: 4 }]);
});

function resolving(addresses: readonly string[]) {
  return async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: isIP(address) }));
}
