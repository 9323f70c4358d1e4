import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Health } from '@aizuchi/shared/contract/health';
import { createCore } from '@aizuchi/shared/core/core';
import type { Memory } from '@aizuchi/shared/core/memory/recall';
import { ListeningMark } from '@aizuchi/shared/core/sessions/listening-mark';
import { AgentVision } from '@aizuchi/shared/core/vision/agent-vision';
import { Listener } from '@aizuchi/shared/platform/change-log/listener';
import type { Clock } from '@aizuchi/shared/platform/clock';
import type { McpConfig } from '@aizuchi/shared/platform/config/config';
import { SchemaCheck } from '@aizuchi/shared/platform/db/schema-check';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { z } from 'zod';
import { createMetrics, type Metrics, toolObserver } from './http/metrics.ts';
import { instructionsIn } from './texts/instructions.ts';
import { createToolContext, type ToolContext } from './tool-context.ts';

const DATABASE_CONNECTIONS = 10;

/** All parts of this process. */
export interface Context {
  readonly config: McpConfig;
  readonly logger: Logger;
  readonly serverInfo: { name: string; version: string };
  readonly tools: ToolContext;
  readonly metrics: Metrics;
  health(): Health;
  /** @throws AppError unavailable, with the reason in one sentence. */
  requireReady(): Promise<void>;
  /** Listens for changes and repairs what is late. */
  start(): Promise<void>;
  /** Call it after the app has stopped, when no more calls arrive. */
  stop(): Promise<void>;
}

export function createContext(options: {
  config: McpConfig;
  logger: Logger;
  clock?: Clock;
  /** For tests: instead of the memory service. */
  memory?: Memory;
  memoryWaitMs?: number;
  /** For tests. */
  transactionTimeoutMs?: number;
}): Context {
  const { config, logger, memory, memoryWaitMs, transactionTimeoutMs } = options;
  const version = packageVersion();
  const instanceId = randomUUID();
  const core = createCore({
    config: { ...config, loopback: config.server.isLoopback },
    logger,
    applicationName: 'aizuchi-mcp',
    maxConnections: DATABASE_CONNECTIONS,
    ...(options.clock && { clock: options.clock }),
    ...(memory && { memory }),
    ...(transactionTimeoutMs !== undefined && { transactionTimeoutMs }),
  });
  const { sweeper, notifier } = core;
  const { clock, database } = core.deps;
  const listening = new ListeningMark({ database, clock, logger, instanceId });
  const schema = new SchemaCheck(database, logger);
  const metrics = createMetrics();
  metrics.sweepSkipped = () => sweeper.skipped;
  const tools = createToolContext({
    services: {
      ...core,
      conversations: core.agentConversations,
      vision: new AgentVision({ ...core.deps, hasModel: config.hasModel }),
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
    hasMemory: memory !== undefined || config.memoryUrl !== undefined,
    memoryWaitMs,
  });
  metrics.heldCalls = () => tools.heldCalls();
  const listener = new Listener({ url: config.databaseUrl, logger, onKeys: (keys) => onKeys(keys) });

  function onKeys(keys: readonly string[]): void {
    core.onKeys(keys);
    tools.onKeys(keys);
  }

  return {
    config,
    logger,
    serverInfo: { name: 'aizuchi', version },
    tools,
    metrics,
    health: () => ({ status: 'ok', service: 'mcp-server', pid: process.pid, version, instanceId }),
    requireReady: () => schema.requireCurrent(),
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
      await core.close();
    },
  };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
