import { once } from 'node:events';
import { connect, type Server, type TcpNetConnectOpts } from 'node:net';
import type { DockerConfig } from '@aizuchi/shared/platform/config/docker-config';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { StartError } from '../../../launch/start-error.ts';
import { egressProxy } from './egress-proxy.ts';
import type { KeptRuns } from './kept-runs.ts';
import { mcpRelay, wayToMcpServer } from './mcp-relay.ts';
import { codeOf } from './reach.ts';
import type { Resolve } from './resolve.ts';

interface ServersOptions {
  readonly runs: KeptRuns;
  readonly mcpServer: DockerConfig['mcpServer'];
  readonly resolve?: Resolve | undefined;
  readonly logger: Logger;
}

export interface GateServers {
  readonly proxyPort: number;
  close(): void;
}

const CONNECT_MS = 2_000;

/** What listens at the gateway of the network. Throws StartError when it cannot; then nothing listens. */
export async function openServers(gateway: string, options: ServersOptions): Promise<GateServers> {
  const { runs, resolve } = options;
  const proxy = egressProxy({ runs, resolve });
  try {
    const proxyPort = await listen(proxy, { host: gateway, port: 0 }, options);
    const relay = await openRelay(gateway, options);
    const close = () => {
      proxy.close();
      relay?.close();
    };
    return { proxyPort, close };
  } catch (error) {
    proxy.close();
    throw error;
  }
}

/** Under the port that the mcp-server has for runs. Undefined: it listens at the gateway itself. */
async function openRelay(gateway: string, options: ServersOptions): Promise<Server | undefined> {
  const { runs, mcpServer } = options;
  const place = { host: gateway, port: mcpServer.port };
  const relay = mcpRelay({ runs, to: mcpServer });
  try {
    await listen(relay, place, options);
    // As the relay will. One that is away may be about to listen on all addresses: its port is left to it.
    await reach(await wayToMcpServer(mcpServer, gateway));
    return relay;
  } catch (error) {
    relay.close();
    const isThere = await reach(place).then(
      () => true,
      () => false,
    );
    if (isThere) return undefined;
    if (error instanceof StartError) throw error;
    const { host, port } = mcpServer;
    throw new StartError(runs.texts.egressNoServer(`${host}:${port}`, codeOf(error)));
  }
}

interface Place {
  readonly host: string;
  readonly port: number;
}

async function listen(server: Server, place: Place, options: ServersOptions): Promise<number> {
  try {
    server.listen({ ...place });
    await once(server, 'listening');
  } catch (error) {
    throw notListening(place, error, options);
  }
  server.on('error', (error) => options.logger.warn({ err: error }, 'gate of runs with an egress list'));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : place.port;
}

function notListening({ host, port }: Place, error: unknown, { runs }: ServersOptions): StartError {
  const place = port === 0 ? host : `${host}:${port}`;
  return new StartError(runs.texts.egressNotListening(place, codeOf(error)));
}

async function reach(way: TcpNetConnectOpts): Promise<void> {
  const socket = connect({ ...way });
  const late = AbortSignal.timeout(CONNECT_MS);
  try {
    await once(socket, 'connect', { signal: late });
  } catch (error) {
    throw late.aborted ? Object.assign(new Error('late'), { code: 'ETIMEDOUT' }) : error;
  } finally {
    socket.destroy();
  }
}
