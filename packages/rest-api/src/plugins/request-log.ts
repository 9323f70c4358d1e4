import type { Logger } from '@aizuchi/shared/platform/logger';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

/** A successful request that takes longer is logged too. */
const SLOW_MS = 1_000;

/**
 * Records one measurement per request, and logs a line if the request was refused, failed or slow. Successful
 * requests are logged at `debug` only: at a thousand messages a second the lines cost more than the messages. No line
 * holds a body, a query or a header. The child logger has no redaction: all fields are fixed here, so there are no
 * secrets to search for.
 */
export function addRequestLog(app: FastifyInstance, logger: Logger, metrics: Metrics): void {
  const log = logger.child({ subsystem: 'http' }, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, person, routeOptions } = request;
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    const route = routeOptions.url ?? 'unknown';
    metrics.requests.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    const line = { method, path: withoutQuery(url), status: reply.statusCode, ms, caller: person?.id };
    const worthALine = reply.statusCode >= 400 || ms >= SLOW_MS;
    if (worthALine && routeOptions.config.route?.tag !== 'Health') log.info(line, 'request');
    else log.debug(line, 'request');
    done();
  });
}

function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}
