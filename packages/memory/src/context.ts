import { randomUUID } from 'node:crypto';
import type { Health } from '@aizuchi/shared/contract/health';
import { MemoryFollower } from '@aizuchi/shared/core/memory/follow/memory-follower';
import { modelGrower, modelMerger } from '@aizuchi/shared/core/memory/growth/model-grower';
import type { Memory } from '@aizuchi/shared/core/memory/recall';
import { MemoryRetrieval } from '@aizuchi/shared/core/memory/retrieval/memory-retrieval';
import { modelPlanner } from '@aizuchi/shared/core/memory/retrieval/model-planner';
import { modelSelector } from '@aizuchi/shared/core/memory/retrieval/model-selector';
import { EVERYTHING, isOfMemory } from '@aizuchi/shared/platform/change-log/keys';
import { Listener } from '@aizuchi/shared/platform/change-log/listener';
import { systemClock } from '@aizuchi/shared/platform/clock';
import type { MemoryConfig } from '@aizuchi/shared/platform/config/config';
import { openDatabase } from '@aizuchi/shared/platform/db/database';
import { SchemaCheck } from '@aizuchi/shared/platform/db/schema-check';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { openModels } from '@aizuchi/shared/platform/models/models';
import { GrowthQueue } from './growth-queue.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openVectors } from './vectors.ts';

const VERSION = '0.1.0';
/** A search reads by several legs at once; the follower works on connections of its own. */
/** Of growth: the worker listens by one, each job holds one that locks its memory, and works by another. */
const DATABASE_CONNECTIONS = { retrieval: 6, follower: 2, growth: 6 };
/** The time of the slowest leg that reads is 600 ms: what takes longer is not waited for, and must not keep a connection. */
const STATEMENT_TIMEOUT_MS = 1_500;
/** What the follower misses for so long is only found later; a probe each second would cost a process at rest more. */
const PROBE_EVERY_MS = 10_000;

export interface Context {
  readonly config: Pick<MemoryConfig, 'server' | 'internalToken'>;
  readonly logger: Logger;
  readonly memory: Memory;
  readonly metrics: Metrics;
  health(): Health;
  /** @throws AppError unavailable, with the reason in one sentence. */
  requireReady(): Promise<void>;
  /** Begins to follow what is said. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** All parts of this process; nothing runs before `start`. */
export function createContext({ config, logger }: { config: MemoryConfig; logger: Logger }): Context {
  const instanceId = randomUUID();
  const clock = systemClock;
  const database = openDatabase({
    url: config.databaseUrl,
    applicationName: 'aizuchi-memory',
    maxConnections: DATABASE_CONNECTIONS.follower,
  });
  const read = openDatabase({
    url: config.databaseUrl,
    applicationName: 'aizuchi-memory',
    maxConnections: DATABASE_CONNECTIONS.retrieval,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    avoidTableScans: true,
  });
  const schema = new SchemaCheck(database, logger);
  const growing = openDatabase({
    url: config.databaseUrl,
    applicationName: 'aizuchi-memory',
    maxConnections: DATABASE_CONNECTIONS.growth,
  });
  const { language, embedder } = openModels(config.models);
  const model = config.models.embedding?.model;
  const vectors =
    embedder && model !== undefined
      ? openVectors({ database, read, embedder, model, clock, logger })
      : undefined;
  const follower = new MemoryFollower({
    database,
    logger,
    ...(vectors && { onStored: () => vectors.worker.wake() }),
  });
  const growth = config.growth
    ? new GrowthQueue({
        database: growing,
        logger,
        timeZone: config.timeZone,
        ...(language && { grower: modelGrower(language), merger: modelMerger(language) }),
        ...(vectors && { onGrown: () => vectors.worker.wake() }),
      })
    : undefined;
  const metrics = createMetrics(() => follower.stored, vectors && (() => vectors.worker.counts));
  const listener = new Listener({
    url: config.databaseUrl,
    logger,
    probeIntervalMs: PROBE_EVERY_MS,
    onKeys(keys) {
      follower.onKeys(keys);
      if (keys.some((key) => key === EVERYTHING || isOfMemory(key))) growth?.wake();
      // What another process has stored, at the next slow poll at the latest.
      if (keys.includes(EVERYTHING)) vectors?.worker.wake();
    },
  });
  return {
    config,
    logger,
    memory: new MemoryRetrieval({
      database: read,
      clock,
      logger,
      ...(language && { planner: modelPlanner(language), selector: modelSelector(language) }),
      ...(vectors && { vectors: vectors.search }),
    }),
    metrics,
    health: () => ({ status: 'ok', service: 'memory', pid: process.pid, version: VERSION, instanceId }),
    requireReady: () => schema.requireCurrent(),
    async start() {
      await listener.start();
      growth?.start();
      vectors?.worker.wake();
      vectors?.copy.start();
    },
    async stop() {
      await listener.stop();
      await follower.stop();
      await growth?.stop();
      await vectors?.worker.stop();
      await vectors?.copy.stop();
      await vectors?.search.close();
      await Promise.all([database.close(), read.close(), growing.close()]);
    },
  };
}
