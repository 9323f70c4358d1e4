import { type CoordinatorConfig, loadCoordinatorConfig } from '@aizuchi/shared/config/config';
import { createLogger } from '@aizuchi/shared/logger';
import { exitWith, type RunningService, runService } from '@aizuchi/shared/process-lifecycle';
import { buildContext } from './context.ts';

/** Shorter than for a single run: all of us must be gone and reported before the supervisor's patience ends. */
const SHUTDOWN_GRACE_MS = 3_500;
const REPORT_PATIENCE_MS = 1_500;

async function start(config: CoordinatorConfig): Promise<RunningService> {
  const { health, runs, askActions, reports, client } = await buildContext(config);
  const url = await health.listen({ host: config.server.host, port: config.server.port });
  runs.endLeftovers(await runs.takeOverLeftovers());
  askActions.start();
  return {
    url,
    async stop() {
      await askActions.stop();
      const patience = setTimeout(() => reports.giveUp(), SHUTDOWN_GRACE_MS + REPORT_PATIENCE_MS);
      await runs.stopAll(SHUTDOWN_GRACE_MS);
      clearTimeout(patience);
      await health.close();
      await client.close();
    },
  };
}

try {
  const config = loadCoordinatorConfig();
  runService({
    logger: createLogger('coordinator', { level: config.logLevel }),
    start: () => start(config),
  });
} catch (error) {
  exitWith(error);
}
