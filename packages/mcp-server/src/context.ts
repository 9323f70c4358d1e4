import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Listener } from '@aizuchi/shared/changes/listener';
import { Notifier } from '@aizuchi/shared/changes/notifier';
import { openChatLog } from '@aizuchi/shared/chat-log/chat-log';
import { type Clock, systemClock } from '@aizuchi/shared/clock';
import type { McpConfig } from '@aizuchi/shared/config/config';
import type { Health } from '@aizuchi/shared/contract/health';
import { openDatabase } from '@aizuchi/shared/db/database';
import { isMigrated } from '@aizuchi/shared/db/migrate';
import type { Logger } from '@aizuchi/shared/logger';
import { AgentConversations } from '@aizuchi/shared/services/agent-conversations';
import { AgentDirectory } from '@aizuchi/shared/services/agent-directory';
import { AuthService } from '@aizuchi/shared/services/auth-service';
import { CoordinationService } from '@aizuchi/shared/services/coordination-service';
import { DeliveryService } from '@aizuchi/shared/services/delivery-service';
import type { ServiceDeps } from '@aizuchi/shared/services/deps';
import { DeviceMarks } from '@aizuchi/shared/services/device-marks';
import { ListeningMark } from '@aizuchi/shared/services/listening';
import { PasskeyTags } from '@aizuchi/shared/services/passkey-tags';
import { QuestionService } from '@aizuchi/shared/services/question-service';
import { Receipts } from '@aizuchi/shared/services/receipts';
import { ScheduleService } from '@aizuchi/shared/services/schedule-service';
import { SessionService } from '@aizuchi/shared/services/session-service';
import { CachedSettings } from '@aizuchi/shared/services/settings-service';
import { Sweeper } from '@aizuchi/shared/services/sweeper';
import { TaskService } from '@aizuchi/shared/services/task-service';
import { z } from 'zod';
import { createMetrics, type Metrics, toolObserver } from './http/metrics.ts';
import { instructionsIn } from './texts/instructions.ts';
import { createToolContext, type ToolContext } from './tool-context.ts';

const DATABASE_CONNECTIONS = 10;

/** Everything this process is made of. */
export interface Context {
  readonly config: McpConfig;
  readonly logger: Logger;
  readonly serverInfo: { name: string; version: string };
  readonly tools: ToolContext;
  readonly metrics: Metrics;
  health(): Health;
  isReady(): Promise<boolean>;
  /** Listens for changes and puts right what is late. */
  start(): Promise<void>;
  /** After the app has stopped: nobody calls any more. */
  stop(): Promise<void>;
}

export function createContext(options: { config: McpConfig; logger: Logger; clock?: Clock }): Context {
  const { config, logger, clock = systemClock } = options;
  const version = packageVersion();
  const instanceId = randomUUID();
  const url = config.databaseUrl;
  const database = openDatabase({
    url,
    applicationName: 'aizuchi-mcp',
    maxConnections: DATABASE_CONNECTIONS,
  });
  const notifier = new Notifier({ url, logger });
  database.onCommit = (keys) => notifier.notify(keys);
  const settings = new CachedSettings({ database, clock, environment: config.settings });
  const chatLog = openChatLog({ database, logger, workspaceRoots: config.workspaceRoots });
  const deps: ServiceDeps = {
    database,
    clock,
    settings,
    logger,
    chatLog,
    passkeyTags: new PasskeyTags(config.internalToken),
    config: {
      locale: config.locale,
      workspaceRoots: config.workspaceRoots,
      home: config.home,
      loopback: config.server.isLoopback,
      timeZone: config.timeZone,
      retention: config.retention,
    },
  };
  const auth = new AuthService({ ...deps, deviceMarks: new DeviceMarks(config.internalToken) });
  const sessions = new SessionService(deps, auth);
  const coordination = new CoordinationService(deps);
  const questions = new QuestionService(deps);
  const schedules = new ScheduleService(deps);
  const sweeper = new Sweeper(deps, { sessions, questions, schedules });
  const listening = new ListeningMark({ database, clock, logger, instanceId });
  const metrics = createMetrics();
  metrics.sweepSkipped = () => sweeper.skipped;
  const tools = createToolContext({
    services: {
      sessions,
      coordination,
      deliveries: new DeliveryService(deps),
      questions,
      conversations: new AgentConversations(deps),
      receipts: new Receipts(deps, { sessions, questions }),
      directory: new AgentDirectory({ database }),
      tasks: new TaskService({ database, clock }),
      checkDatabase: async () => void (await database.pool.query('select 1')),
    },
    instructions: instructionsIn(config.locale),
    coordinatorToken: config.coordinatorToken,
    rateLimitPerMinute: config.rateLimitPerMinute,
    version,
    instanceId,
    logger,
    clock,
    notify: (keys) => notifier.notify(keys),
    observe: toolObserver(metrics),
  });
  metrics.heldCalls = () => tools.heldCalls();
  const listener = new Listener({ url, logger, onKeys: (keys) => onKeys(keys) });

  function onKeys(keys: readonly string[]): void {
    settings.onKeys(keys);
    tools.onKeys(keys);
  }

  return {
    config,
    logger,
    serverInfo: { name: 'aizuchi', version },
    tools,
    metrics,
    health: () => ({ status: 'ok', service: 'mcp-server', pid: process.pid, version, instanceId }),
    isReady: () => isMigrated(database).catch(() => false),
    async start() {
      await listener.start();
      tools.peers.start();
      listening.start();
      sweeper.start();
    },
    async stop() {
      tools.peers.stop();
      await listening.stop();
      await sweeper.stop();
      await listener.stop();
      await tools.ledger.drained();
      await tools.touches.flush();
      await notifier.stop();
      await chatLog.close();
      await database.close();
    },
  };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
