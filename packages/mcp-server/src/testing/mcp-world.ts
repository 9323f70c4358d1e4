import type { Server } from 'node:http';
import type { Memory } from '@aizuchi/shared/core/memory/recall';
import { Notifier } from '@aizuchi/shared/platform/change-log/notifier';
import { createLogger, type Logger } from '@aizuchi/shared/platform/logger';
import { ServiceWorld } from '@aizuchi/shared/testing/service-world';
import { LONG_TIMEOUT_MS } from '@aizuchi/shared/testing/timeouts';
import { createApp } from '../app.ts';
import { type Context, createContext } from '../context.ts';
import { type ClientKind, connectClient, type TestClient } from './clients.ts';
import { testConfig } from './test-app.ts';

export interface RunningServer {
  readonly context: Context;
  readonly url: string;
  readonly mcpUrl: string;
  readonly port: number;
  readonly http: Server;
  stop(): Promise<void>;
}

/** Real mcp-servers on a real database, and beside them a process like rest-api in which people act. */
export class McpWorld {
  readonly services: ServiceWorld;
  readonly #notifier: Notifier;
  readonly #stops: (() => Promise<unknown>)[] = [];

  private constructor(services: ServiceWorld) {
    this.services = services;
    this.#notifier = new Notifier({
      url: services.database.url,
      logger: createLogger('test', { level: 'silent' }),
    });
    services.database.onCommit = (keys) => this.#notifier.notify(keys);
  }

  static async create(): Promise<McpWorld> {
    return new McpWorld(await ServiceWorld.create());
  }

  async startServer(
    options: {
      logger?: Logger;
      rateLimitPerMinute?: number;
      memory?: Memory;
      memoryWaitMs?: number;
      hasModel?: boolean;
    } = {},
  ): Promise<RunningServer> {
    const logger = options.logger ?? createLogger('mcp-server', { level: 'silent' });
    const { root, database } = this.services;
    const config = testConfig({
      databaseUrl: database.url,
      home: `${root}/home`,
      workspaceRoots: [root],
      ...(options.hasModel !== undefined && { hasModel: options.hasModel }),
      ...(options.rateLimitPerMinute !== undefined && { rateLimitPerMinute: options.rateLimitPerMinute }),
    });
    const { memory, memoryWaitMs } = options;
    const context = createContext({
      config,
      logger,
      ...(memory && { memory }),
      ...(memoryWaitMs !== undefined && { memoryWaitMs }),
      transactionTimeoutMs: LONG_TIMEOUT_MS,
    });
    const app = createApp(context);
    const { url, port } = await app.listen();
    await context.start();
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= app.stop().then(() => context.stop());
      return stopped;
    };
    this.#stops.push(stop);
    return { context, url, mcpUrl: `${url}/mcp`, port, http: app.server, stop };
  }

  async connect(
    server: { mcpUrl: string },
    bearer?: string,
    kind: ClientKind = 'sdk 1.32',
  ): Promise<TestClient> {
    const client = await connectClient(kind, server.mcpUrl, bearer);
    this.#stops.push(client.close);
    return client;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
    await this.#notifier.stop();
    await this.services.close();
  }
}
