import { type Core, type CoreOptions, createCore } from '@aizuchi/shared/core/core';
import { TurnService, type TurnServiceDeps } from '@aizuchi/shared/core/turns/turn-service';
import { VisionService } from '@aizuchi/shared/core/vision/vision-service';
import type { Delta } from '@aizuchi/shared/platform/change-log/delta';
import type { HintLineLimits } from '@aizuchi/shared/platform/change-log/hint-line';
import { Listener } from '@aizuchi/shared/platform/change-log/listener';
import type { Clock } from '@aizuchi/shared/platform/clock';
import type { RestConfig } from '@aizuchi/shared/platform/config/config';
import type { Database } from '@aizuchi/shared/platform/db/database';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { openModels } from '@aizuchi/shared/platform/models/models';
import { AgentEvents } from './streams/agent-events.ts';

/** The services that the routes call. */
type RestServices = Pick<
  Core,
  | 'auth'
  | 'agents'
  | 'agentUsage'
  | 'offeredModels'
  | 'models'
  | 'programs'
  | 'projects'
  | 'projectExport'
  | 'projectImport'
  | 'chatImport'
  | 'tasks'
  | 'taskRecords'
  | 'proposals'
  | 'chat'
  | 'attachments'
  | 'warming'
  | 'history'
  | 'conversations'
  | 'presence'
  | 'steps'
  | 'usage'
  | 'runs'
  | 'changes'
  | 'questions'
  | 'approvals'
  | 'schedules'
  | 'inbox'
  | 'notifications'
  | 'answerLinks'
  | 'search'
  | 'settings'
  | 'memories'
  | 'memoryOverview'
  | 'memoryPeople'
  | 'memorySearch'
  | 'memoryImport'
  | 'welcome'
>;

type AppConfig = Pick<RestConfig, 'server' | 'rateLimitPerMinute' | 'mcpUrl'>;

/** Everything that `buildApp` needs. */
export interface RestContext extends RestServices {
  readonly config: AppConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly database: Database;
  /** The turns of `POST /api/chat`. */
  readonly turns: TurnService;
  readonly vision: VisionService;
  /** The streams of `GET /api/events/stream`. */
  readonly agentEvents: AgentEvents;
  /** How long a viewer's lease lasts without renewal. */
  readonly viewerLeaseMs: () => Promise<number>;
  /** How often the sweeper of this process had to skip a row or a step, by step. */
  readonly sweepSkipped: () => ReadonlyMap<string, number>;
}

/** A context that also owns what runs in the process: listener, notifier, sweeper. */
export interface RestProcess extends RestContext {
  /** Starts the listener and the sweeper. `sockets` receives the dirty keys and the deltas of all processes. */
  start(sockets: { onKeys(keys: readonly string[]): void; onDelta(delta: Delta): void }): Promise<void>;
  /** Call it before the server is closed: ends what clients follow or wait for. */
  stopTurns(): Promise<void>;
  stop(): Promise<void>;
}

/** Under which people reach the page; without AIZUCHI_PUBLIC_URL those on this host. */
function pageUrl({ server }: RestConfig): string | undefined {
  if (server.publicUrl !== undefined) return server.publicUrl;
  return server.isLoopback && server.port > 0 ? `http://localhost:${server.port}` : undefined;
}

/** The composition root of this process. It opens nothing before `start`. */
export function buildContext(
  config: RestConfig,
  logger: Logger,
  overrides: Pick<
    CoreOptions,
    'clock' | 'passkeyCost' | 'memory' | 'transactionTimeoutMs' | 'transcriptTimeoutMs'
  > &
    Pick<TurnServiceDeps, 'silence'> & { readonly hintLimits?: HintLineLimits } = {},
): RestProcess {
  const core = createCore({
    config: { ...config, loopback: config.server.isLoopback, publicUrl: pageUrl(config) },
    logger,
    applicationName: 'aizuchi-rest-api',
    ...overrides,
  });
  const { clock, database, settings, transcripts } = core.deps;
  const { sweeper, notificationWorker } = core;
  const { language: model } = openModels(config.models);
  const { silence } = overrides;
  const turns = new TurnService({ ...core.deps, memory: core.memory, model, ...(silence && { silence }) });
  const vision = new VisionService({ ...core.deps, model, ...(silence && { silence }) });
  const agentEvents = new AgentEvents({ vision, logger });
  let sockets: Parameters<RestProcess['start']>[0] | undefined;
  const listener = new Listener({
    url: config.databaseUrl,
    logger,
    ...(overrides.hintLimits && { limits: overrides.hintLimits }),
    onKeys: (keys) => {
      core.onKeys(keys);
      notificationWorker.onKeys(keys);
      turns.onKeys(keys);
      agentEvents.onKeys(keys);
      sockets?.onKeys(keys);
    },
    onDelta: (delta) => sockets?.onDelta(delta),
  });

  async function stopTurns(): Promise<void> {
    agentEvents.close();
    await Promise.all([turns.close(), vision.close()]);
  }

  return {
    ...core,
    config,
    clock,
    logger,
    database,
    turns,
    vision,
    agentEvents,
    viewerLeaseMs: async () => (await settings.current()).viewerLeaseSeconds * 1_000,
    sweepSkipped: () => sweeper.skipped,
    async start(heard) {
      sockets = heard;
      await listener.start();
      // Lines that a crash left out between commit and append are repaired in the background, while the server
      // serves.
      transcripts
        .repairAll()
        .catch((error: unknown) => logger.warn({ err: error }, 'transcripts not checked'));
      sweeper.start();
      notificationWorker.start();
    },
    stopTurns,
    async stop() {
      await stopTurns();
      await sweeper.stop();
      await notificationWorker.stop();
      await listener.stop();
      await core.close();
    },
  };
}
