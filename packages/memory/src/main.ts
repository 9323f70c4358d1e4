import { loadMemoryConfig } from '@aizuchi/shared/platform/config/config';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { exitWith, runService } from '@aizuchi/shared/platform/process-lifecycle';
import { buildApp } from './app.ts';
import { createContext } from './context.ts';

/** How long a stop waits for calls in progress; their callers do without an answer. */
const FINISH_MS = 2_000;

try {
  const config = loadMemoryConfig();
  const logger = createLogger('memory', { level: config.logLevel });
  runService({
    logger,
    async start() {
      const context = createContext({ config, logger });
      const app = buildApp(context);
      const url = await app.listen({ host: config.server.host, port: config.server.port });
      await context.start();
      return {
        url,
        async stop() {
          const timer = setTimeout(() => app.server.closeAllConnections(), FINISH_MS);
          await app.close();
          clearTimeout(timer);
          await context.stop();
        },
      };
    },
  });
} catch (error) {
  exitWith(error);
}
