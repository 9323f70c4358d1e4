import { randomUUID } from 'node:crypto';
import { SchemaCheck } from '@aizuchi/shared/platform/db/schema-check';
import type { RestContext } from '../context.ts';
import type { Metrics } from '../plugins/metrics.ts';
import type { HandlersOf } from '../plugins/route-table.ts';
import { VERSION } from '../version.ts';

export function healthRoutes(
  context: RestContext,
  metrics: Metrics,
): HandlersOf<'health' | 'readiness' | 'metrics'> {
  const instanceId = randomUUID();
  const schema = new SchemaCheck(context.database, context.logger);
  return {
    health: () => ({ status: 'ok', service: 'rest-api', pid: process.pid, version: VERSION, instanceId }),
    readiness: async () => {
      await schema.requireCurrent();
      return { status: 'ready' };
    },
    metrics: async ({ reply }) => {
      reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    },
  };
}
