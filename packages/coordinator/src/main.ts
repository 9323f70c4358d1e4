import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CoordinatorConfig, loadCoordinatorConfig } from '@aizuchi/shared/platform/config/config';
import { createLogger } from '@aizuchi/shared/platform/logger';
import {
  ExitError,
  exitCodes,
  exitWith,
  type RunningService,
  runService,
} from '@aizuchi/shared/platform/process-lifecycle';
import { buildContext } from './context.ts';
import { executorOf } from './executor/make-executor.ts';
import { refuseOtherExecutor } from './executor/other-executor.ts';
import { pruneRunLogs } from './log/run-log.ts';
import { closeInheritedDescriptors } from './process/inherited-descriptors.ts';
import { journalFolderOf } from './state/run-journal.ts';

/**
 * Shorter than for a single run: all runs must be ended and reported before the time-out of the supervisor.
 */
const SHUTDOWN_GRACE_MS = 3_000;
/** From the end of the grace: the kill, the last output, and the report. */
const REPORT_TIMEOUT_MS = 2_000;
const KEPT_LOGS = 1_000;
const PRUNE_EVERY_MS = 3_600_000;
/** A live Coordinator with our id sends a beat within five seconds. */
const ID_TIMEOUT_MS = 10_000;

async function start(config: CoordinatorConfig): Promise<RunningService> {
  const { health, runs, spares, worktrees, askActions, reports, client, logger } = await buildContext(config);
  const url = await health.listen({ host: config.server.host, port: config.server.port });
  const leftovers = await runs.takeOverLeftovers();
  refuseOtherExecutor(leftovers, {
    executor: executorOf(config),
    journalFolder: journalFolderOf(config.home),
  });
  const ending = new Set(leftovers.map(({ runId }) => runId));
  const left = await worktrees.left();
  askActions.start();
  spares.start();
  const prune = () =>
    pruneRunLogs(join(config.home, 'logs', 'runs'), KEPT_LOGS).catch((error: unknown) => {
      logger.warn({ err: error }, 'old run logs not removed');
    });
  void prune();
  const pruning = setInterval(prune, PRUNE_EVERY_MS);
  const service = {
    url,
    failed: askActions.idTaken.then((sentence) => new ExitError(exitCodes.configuration, sentence)),
    async stop() {
      clearInterval(pruning);
      await askActions.stop();
      worktrees.stop();
      const timer = setTimeout(() => reports.giveUp(), SHUTDOWN_GRACE_MS + REPORT_TIMEOUT_MS);
      // An engine that does not answer holds nothing up: what is left of a spare is a stray to the next Coordinator.
      const late = delay(SHUTDOWN_GRACE_MS, undefined, { ref: false });
      await Promise.all([Promise.race([spares.stop(), late]), runs.stopAll(SHUTDOWN_GRACE_MS)]);
      clearTimeout(timer);
      await health.close();
      await client.close();
    },
  };
  const settled = Promise.race([askActions.firstOutcome, delay(ID_TIMEOUT_MS, undefined, { ref: false })]);
  const failure = await Promise.race([settled, service.failed]);
  if (failure instanceof ExitError) {
    await service.stop();
    throw failure;
  }
  // Not before it is known whose the id is: in a copy of a home the journal names runs that live on with another
  // Coordinator.
  runs.endLeftovers(leftovers);
  // The worktrees of runs that are being ended are looked at when they have ended.
  void worktrees.recover(left.filter(({ runId }) => !ending.has(runId)));
  return service;
}

try {
  closeInheritedDescriptors();
  const config = loadCoordinatorConfig();
  runService({
    logger: createLogger('coordinator', { level: config.logLevel }),
    start: () => start(config),
  });
} catch (error) {
  exitWith(error);
}
