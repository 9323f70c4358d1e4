import { loadMcpConfig } from '@aizuchi/shared/platform/config/config';
import { createLogger } from '@aizuchi/shared/platform/logger';
import { runService } from '@aizuchi/shared/platform/process-lifecycle';
import { createApp } from './app.ts';
import { createContext } from './context.ts';

const logger = createLogger('mcp-server');

runService({
  logger,
  async start() {
    const context = createContext({ config: loadMcpConfig(), logger });
    const app = createApp(context);
    const { url } = await app.listen();
    await context.start();
    return {
      url,
      async stop() {
        await app.stop();
        await context.stop();
      },
    };
  },
});
