import { lookup } from 'node:dns/promises';
import { connect, createServer, isIP, isIPv4, type Server, type TcpNetConnectOpts } from 'node:net';
import { isLoopbackAddress } from '@aizuchi/shared/platform/http/address';
import { joinSockets } from './joined-sockets.ts';
import type { KeptRun, KeptRuns } from './kept-runs.ts';
import { lookupIn } from './reach.ts';
import type { Resolve } from './resolve.ts';

interface RelayOptions {
  readonly runs: KeptRuns;
  /** The mcp-server as we reach it. */
  readonly to: { readonly host: string; readonly port: number };
}

/** Of one run at once. To the mcp-server all kept runs are one address, which may have about a thousand (edge-limits.ts). */
const MAX_CONNECTIONS = 32;

/** The mcp-server for runs that reach nothing but us; what they say goes through as it is. */
export function mcpRelay({ runs, to }: RelayOptions): Server {
  const open = new WeakMap<KeptRun, number>();
  return createServer({ allowHalfOpen: true }, (near) => {
    const run = runs.admit(near);
    if (!run) return;
    near.on('error', () => undefined);
    const count = open.get(run) ?? 0;
    if (count >= MAX_CONNECTIONS) return void near.destroy();
    open.set(run, count + 1);
    near.once('close', () => open.set(run, (open.get(run) ?? 1) - 1));
    const join = (way: TcpNetConnectOpts) => {
      if (near.destroyed) return;
      const far = connect({ ...way, allowHalfOpen: true });
      run.add(far);
      joinSockets(near, far);
    };
    wayToMcpServer(to, near.localAddress).then(join, () => near.destroy());
  });
}

/** By these a connection leads to this host as well. */
const ALL_ADDRESSES: readonly string[] = ['0.0.0.0', '::'];
const LOOPBACK = '127.0.0.1';

/**
 * From the gateway where it is on this host: a connection from loopback would have the rights of this host, and could be
 * taken for one of a trusted proxy. A name is looked at by the addresses that it has now.
 */
export async function wayToMcpServer(
  { host, port }: RelayOptions['to'],
  gateway: string | undefined,
  resolve: Resolve = (name) => lookup(name, { all: true }),
): Promise<TcpNetConnectOpts> {
  const found = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }];
  const isHere = (address: string) => isLoopbackAddress(address) || ALL_ADDRESSES.includes(address);
  const others = found.filter(({ address }) => !isHere(address));
  if (others.length > 0) return { host, port, lookup: lookupIn(others) };
  const here = found.find(({ address }) => isIPv4(address) && isLoopbackAddress(address));
  return { host: here?.address ?? LOOPBACK, port, family: 4, localAddress: gateway };
}
