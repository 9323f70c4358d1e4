import type { Logger } from '@aizuchi/shared/logger';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

/**
 * One line and one measurement a request: no body, no query, no header. The child leaves redaction out, which
 * would look for secrets in fields that are fixed here, on every request.
 */
export function addRequestLog(app: FastifyInstance, logger: Logger, metrics: Metrics): void {
  const log = logger.child({ subsystem: 'http' }, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, person, routeOptions } = request;
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const route = routeOptions.url ?? 'unknown';
    metrics.requests.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    const line = { method, path: withoutQuery(url), status: reply.statusCode, ms, caller: person?.id };
    if (routeOptions.config.route?.tag === 'Health') log.debug(line, 'request');
    else log.info(line, 'request');
    done();
  });
}

function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
