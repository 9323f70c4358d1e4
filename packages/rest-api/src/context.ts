import { type Core, type CoreOptions, createCore } from '@aizuchi/shared/core/core';
import type { Delta } from '@aizuchi/shared/platform/changes/delta';
import { Listener } from '@aizuchi/shared/platform/changes/listener';
import type { Clock } from '@aizuchi/shared/platform/clock';
import type { RestConfig } from '@aizuchi/shared/platform/config/config';
import type { Database } from '@aizuchi/shared/platform/db/database';
import type { Logger } from '@aizuchi/shared/platform/logger';

/** What the routes call. */
type RestServices = Pick<
  Core,
  | 'auth'
  | 'agents'
  | 'projects'
  | 'tasks'
  | 'chat'
  | 'history'
  | 'conversations'
  | 'presence'
  | 'runs'
  | 'questions'
  | 'schedules'
  | 'inbox'
  | 'settings'
>;

type AppConfig = Pick<RestConfig, 'server' | 'rateLimitPerMinute' | 'mcpUrl'>;

/** Everything that `buildApp` is made of. */
export interface RestContext extends RestServices {
  readonly config: AppConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly database: Database;
  /** How long a viewer's lease lasts without renewal. */
  readonly viewerLeaseMs: () => Promise<number>;
  /** How often this process's sweeper had to skip something, by step. */
  readonly sweepSkipped: () => ReadonlyMap<string, number>;
}

/** A context that also runs what belongs to the process: listening, notifying, sweeping. */
export interface RestProcess extends RestContext {
  /** From now on it listens and sweeps; `sockets` hear of dirty keys and growing answers of all processes. */
  start(sockets: { onKeys(keys: readonly string[]): void; onDelta(delta: Delta): void }): Promise<void>;
  stop(): Promise<void>;
}

/** The composition root of this process; opens nothing before `start`. */
export function buildContext(
  config: RestConfig,
  logger: Logger,
  overrides: Pick<CoreOptions, 'clock' | 'passkeyCost'> = {},
): RestProcess {
  const core = createCore({
    config: { ...config, loopback: config.server.isLoopback },
    logger,
    applicationName: 'aizuchi-rest-api',
    ...overrides,
  });
  const { clock, database, settings, transcripts } = core.deps;
  const { sweeper } = core;
  let sockets: Parameters<RestProcess['start']>[0] | undefined;
  const listener = new Listener({
    url: config.databaseUrl,
    logger,
    onKeys: (keys) => {
      core.onKeys(keys);
      sockets?.onKeys(keys);
    },
    onDelta: (delta) => sockets?.onDelta(delta),
  });

  return {
    ...core,
    config,
    clock,
    logger,
    database,
    viewerLeaseMs: async () => (await settings.current()).viewerLeaseSeconds * 1_000,
    sweepSkipped: () => sweeper.skipped,
    async start(heard) {
      sockets = heard;
      await listener.start();
      // A crash between commit and append is repaired in the background: the server serves meanwhile.
      transcripts
        .repairAll()
        .catch((error: unknown) => logger.warn({ err: error }, 'transcripts not checked'));
      sweeper.start();
    },
    async stop() {
      await sweeper.stop();
      await listener.stop();
      await core.close();
    },
  };
}
