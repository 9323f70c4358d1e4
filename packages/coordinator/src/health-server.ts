import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { AppError } from '@aizuchi/shared/platform/errors';
import { isFromThisHost } from '@aizuchi/shared/platform/http/address';
import { refuseBrokenHttp } from '@aizuchi/shared/platform/http/broken-http';
import { Connections } from '@aizuchi/shared/platform/http/connections';
import { EDGE_LIMITS, type EdgeLimits, fastifyLimits } from '@aizuchi/shared/platform/http/edge-limits';
import { PlaceCheck, type PlaceRules } from '@aizuchi/shared/platform/http/host-and-origin';
import { HTTP_STATUS } from '@aizuchi/shared/platform/http/http-status';
import { originForm, requireOneTarget } from '@aizuchi/shared/platform/http/request-target';
import { trustedProxy } from '@aizuchi/shared/platform/http/trusted-proxy';
import type { Logger } from '@aizuchi/shared/platform/logger';
import { sameSecret } from '@aizuchi/shared/platform/token-hash';
import fastify, { type FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';

export interface HealthOptions {
  readonly version: string;
  readonly registry: Registry;
  /** A client on another host presents it to read the metrics. */
  readonly token: string;
  readonly place: Omit<PlaceRules, 'port'>;
  readonly trustProxy: boolean | string[];
  readonly logger: Logger;
  readonly edge?: Partial<EdgeLimits>;
  /** Whether the MCP server answers: without it this process cannot do its work. */
  readonly isReady: () => Promise<boolean>;
}

/** /healthz, /readyz and /metrics of the Coordinator; there are no other endpoints. */
export function buildHealthServer(options: HealthOptions): FastifyInstance {
  const limits = { ...EDGE_LIMITS, ...options.edge };
  const app = fastify({
    ...fastifyLimits(limits),
    logger: false,
    rewriteUrl: originForm,
    clientErrorHandler: refuseBrokenHttp,
  });
  const isTrustedProxy = trustedProxy(options.trustProxy);
  new Connections({ limits, isTrustedProxy, logger: options.logger }).watch(app.server);
  const instanceId = randomUUID();
  const place = new PlaceCheck({ ...options.place, port: () => portOf(app.server) });
  app.addHook('onRequest', async (request) => {
    requireOneTarget(request.raw);
    place.check(request.headers);
  });
  app.setErrorHandler(async (error, _request, reply) => {
    if (!(error instanceof AppError)) throw error;
    return reply.code(HTTP_STATUS[error.code]).send({ error: { code: error.code, message: error.message } });
  });
  app.setNotFoundHandler(async (_request, reply) =>
    reply.code(404).send({ error: { code: 'not_found', message: 'There is nothing under this address.' } }),
  );
  app.get('/healthz', async () => ({
    status: 'ok',
    service: 'coordinator',
    pid: process.pid,
    version: options.version,
    instanceId,
  }));
  app.get('/readyz', async (_request, reply) => {
    if (await options.isReady()) return { status: 'ready' };
    return reply
      .code(503)
      .header('retry-after', '1')
      .send({ error: { code: 'unavailable', message: 'The MCP server does not answer.' } });
  });
  app.get('/metrics', async (request, reply) => {
    if (!isFromThisHost(request.raw) && !hasToken(request.headers.authorization, options.token)) {
      return reply
        .code(401)
        .send({ error: { code: 'unauthenticated', message: 'A bearer token is needed.' } });
    }
    return reply.type(options.registry.contentType).send(await options.registry.metrics());
  });
  return app;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function hasToken(header: string | undefined, token: string): boolean {
  return header !== undefined && sameSecret(header, `Bearer ${token}`);
}
