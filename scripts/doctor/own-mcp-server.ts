import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isAlive } from '../postgres/postmaster-file.ts';
import { readServicesFile } from '../supervisor/services-file.ts';
import type { SupervisorConfig } from '../supervisor/supervisor-config.ts';

const NAME = 'mcp-server';

/**
 * Where the mcp-server of this home is called. While it does not run something else listens at its place, so that one
 * can see whether containers reach that.
 */
export async function ownMcpServer({
  home,
  host,
  ports,
}: SupervisorConfig): Promise<{ url: string; close(): Promise<void> } | undefined> {
  const running = readServicesFile({ run: join(home, 'run') }).find(({ name }) => name === NAME);
  if (running && isAlive(running.pid)) return { url: `${running.url}/mcp`, close: async () => undefined };
  const server = createServer((_request, response) => response.end());
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ host, port: ports.get(NAME) ?? 0 }, () => resolve(true));
  });
  // That its port is in use, or its address not of this host, is a finding of its own.
  if (!isListening) return undefined;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
