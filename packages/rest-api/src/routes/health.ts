import { randomUUID } from 'node:crypto';
import { isMigrated } from '@aizuchi/shared/platform/db/migrate';
import { AppError } from '@aizuchi/shared/platform/errors';
import type { RestContext } from '../context.ts';
import type { Metrics } from '../plugins/metrics.ts';
import type { HandlersOf } from '../plugins/route-table.ts';
import { VERSION } from '../version.ts';

export function healthRoutes(
  context: RestContext,
  metrics: Metrics,
): HandlersOf<'health' | 'readiness' | 'metrics'> {
  const instanceId = randomUUID();
  return {
    health: () => ({ status: 'ok', service: 'rest-api', pid: process.pid, version: VERSION, instanceId }),
    readiness: async () => {
      if (!(await answers(context))) throw new AppError('unavailable', 'The database is not migrated yet.');
      return { status: 'ready' };
    },
    metrics: async ({ reply }) => {
      reply.type(metrics.registry.contentType);
      return metrics.registry.metrics();
    },
  };
}

/** Any database error means that the process cannot serve. */
async function answers({ database }: RestContext): Promise<boolean> {
  try {
    return await isMigrated(database);
  } catch (cause) {
    throw new AppError('unavailable', 'The database does not answer as it should.', { cause });
  }
}
