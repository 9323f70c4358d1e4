import { createServer } from 'node:net';
import { ExitError, exitCodes } from '@aizuchi/shared/platform/process-lifecycle';
import type { SupervisorConfig } from './supervisor-config.ts';

/** Reports a port that is in use before a database is created in vain. */
export async function checkPorts({ services, ports, host }: SupervisorConfig): Promise<void> {
  for (const { name, portVariable } of services) {
    const port = ports.get(name) ?? 0;
    if (port === 0) continue;
    const code = await tryListen(host, port);
    if (code === 'EADDRINUSE') {
      throw new ExitError(
        exitCodes.portTaken,
        `Port ${port} of ${host} is already in use: end what uses it, or set ${portVariable} for ${name}.`,
      );
    }
    if (code) {
      throw new ExitError(
        exitCodes.configuration,
        `${name} cannot listen on ${host} port ${port} (${code}).`,
      );
    }
  }
}

function tryListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
