import { connect, createServer, type Server, type TcpNetConnectOpts } from 'node:net';
import { isLoopbackAddress } from '@aizuchi/shared/platform/http/address';
import { joinSockets } from './joined-sockets.ts';
import type { KeptRuns } from './kept-runs.ts';

interface RelayOptions {
  readonly runs: KeptRuns;
  /** The mcp-server as we reach it. */
  readonly to: { readonly host: string; readonly port: number };
}

/** The mcp-server for runs that reach nothing but us; what they say goes through as it is. */
export function mcpRelay({ runs, to }: RelayOptions): Server {
  return createServer({ allowHalfOpen: true }, (near) => {
    const run = runs.admit(near);
    if (!run) return;
    const far = connect({ ...wayToMcpServer(to, near.localAddress), allowHalfOpen: true });
    run.add(far);
    joinSockets(near, far);
  });
}

/**
 * From the gateway: a connection from loopback would have the rights of this host, and could be taken for one of a
 * trusted proxy.
 */
export function wayToMcpServer(
  { host, port }: RelayOptions['to'],
  gateway: string | undefined,
): TcpNetConnectOpts {
  const isLoopback = host === 'localhost' || isLoopbackAddress(host);
  return isLoopback ? { host, port, family: 4, localAddress: gateway } : { host, port };
}
