import { loadRestConfig, type RestConfig } from '@aizuchi/shared/platform/config/config';
import { createLogger, type Logger } from '@aizuchi/shared/platform/logger';
import { exitWith, type RunningService, runService } from '@aizuchi/shared/platform/process-lifecycle';
import { buildApp, portOf } from './app.ts';
import { buildContext } from './context.ts';

/**
 * How long a stop waits for requests in progress. A held sign-in may take half a minute; the stop does not wait for
 * it.
 */
const FINISH_MS = 4_000;

async function start(config: RestConfig, logger: Logger): Promise<RunningService> {
  const context = buildContext(config, logger);
  const app = await buildApp(context);
  await app.server.listen({ host: config.server.host, port: config.server.port });
  await context.start(app.sockets);
  return {
    url: urlOf(config, portOf(app.server) ?? config.server.port),
    async stop() {
      await context.stopTurns();
      const timer = setTimeout(() => app.server.server.closeAllConnections(), FINISH_MS);
      await app.server.close();
      clearTimeout(timer);
      await context.stop();
    },
  };
}

/** The address for programs on this host. People on other hosts use AIZUCHI_PUBLIC_URL. */
function urlOf({ server }: RestConfig, port: number): string {
  const isAnyAddress = server.host === '0.0.0.0' || server.host === '::';
  const host = isAnyAddress ? '127.0.0.1' : server.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

try {
  const config = loadRestConfig();
  const logger = createLogger('rest-api', { level: config.logLevel });
  runService({ logger, start: () => start(config, logger) });
} catch (error) {
  exitWith(error);
}
