import { systemClock } from '@aizuchi/shared/platform/clock';
import type { McpConfig } from '@aizuchi/shared/platform/config/config';
import { retentionFromEnv } from '@aizuchi/shared/platform/config/retention';
import type { EdgeLimits } from '@aizuchi/shared/platform/http/edge-limits';
import { createLogger, type Logger } from '@aizuchi/shared/platform/logger';
import { createApp } from '../app.ts';
import type { Context } from '../context.ts';
import { createMetrics, toolObserver } from '../http/metrics.ts';
import type { Services } from '../ports.ts';
import { instructionsIn } from '../texts/instructions.ts';
import { createToolContext } from '../tool-context.ts';

export const COORDINATOR_TOKEN = 'coordinator-token-of-tests';
export const INTERNAL_TOKEN = 'internal-token-of-tests';

export function testConfig(overrides: Partial<McpConfig> = {}): McpConfig {
  return {
    home: '/nowhere',
    logLevel: 'silent',
    locale: 'ja',
    timeZone: 'Asia/Tokyo',
    server: { host: '127.0.0.1', port: 0, isLoopback: true, allowedHosts: [], trustProxy: false },
    databaseUrl: '',
    settings: {},
    retention: retentionFromEnv({}),
    rateLimitPerMinute: 0,
    internalToken: INTERNAL_TOKEN,
    coordinatorToken: COORDINATOR_TOKEN,
    hasModel: false,
    workspaceRoots: ['/tmp'],
    ...overrides,
  };
}

/** The real app over HTTP with the services that the test passes. */
export async function startTestApp(
  services: Services,
  options: {
    config?: Partial<McpConfig>;
    logger?: Logger;
    notify?: (keys: string[]) => void;
    edge?: Partial<EdgeLimits>;
  } = {},
) {
  const config = testConfig(options.config);
  const logger = options.logger ?? createLogger('mcp-server', { level: 'silent' });
  const metrics = createMetrics();
  const tools = createToolContext({
    services,
    instructions: instructionsIn(config.locale),
    coordinatorToken: config.coordinatorToken,
    rateLimitPerMinute: config.rateLimitPerMinute,
    version: '0.0.0',
    instanceId: 'test-instance',
    logger,
    clock: systemClock,
    notify: options.notify ?? (() => undefined),
    observe: toolObserver(metrics),
    hasMemory: true,
  });
  metrics.heldCalls = () => tools.heldCalls();
  metrics.sweepSkipped = () => new Map([['idle', 2]]);
  const context: Context = {
    config,
    logger,
    serverInfo: { name: 'aizuchi', version: '0.0.0' },
    tools,
    metrics,
    health: () => ({ status: 'ok', service: 'mcp-server', pid: 1, version: '0.0.0', instanceId: 'test' }),
    requireReady: async () => undefined,
    start: async () => undefined,
    stop: async () => undefined,
  };
  const app = createApp(context, options.edge && { edge: options.edge });
  const { url, port } = await app.listen();
  return { app, tools, port, url, mcpUrl: `${url}/mcp`, stop: () => app.stop() };
}
