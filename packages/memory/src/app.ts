import type { Server } from 'node:http';
import { MEMORY_CALLS } from '@aizuchi/shared/contract/memory-calls';
import { AppError } from '@aizuchi/shared/platform/errors';
import { isFromThisHost } from '@aizuchi/shared/platform/http/address';
import { refuseBrokenHttp } from '@aizuchi/shared/platform/http/broken-http';
import { Connections } from '@aizuchi/shared/platform/http/connections';
import { EDGE_LIMITS, type EdgeLimits, fastifyLimits } from '@aizuchi/shared/platform/http/edge-limits';
import { PlaceCheck } from '@aizuchi/shared/platform/http/host-and-origin';
import { originForm, requireOneTarget } from '@aizuchi/shared/platform/http/request-target';
import { trustedProxy } from '@aizuchi/shared/platform/http/trusted-proxy';
import { sameSecret } from '@aizuchi/shared/platform/token-hash';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { addCalls } from './calls.ts';
import type { Context } from './context.ts';
import { addErrorHandler } from './error-handler.ts';

const INTERNAL_PATHS = new Set<string>(Object.values(MEMORY_CALLS).map(({ path }) => path));

/** The internal API, and the endpoints for operators. */
export function buildApp(context: Context, options: { edge?: Partial<EdgeLimits> } = {}): FastifyInstance {
  const { config, logger, metrics } = context;
  const limits = { ...EDGE_LIMITS, ...options.edge };
  const app = fastify({
    ...fastifyLimits(limits),
    logger: false,
    rewriteUrl: originForm,
    clientErrorHandler: refuseBrokenHttp,
    forceCloseConnections: 'idle',
  });
  const isTrustedProxy = trustedProxy(config.server.trustProxy);
  new Connections({ limits, isTrustedProxy, logger }).watch(app.server);
  const place = new PlaceCheck({ ...config.server, port: () => portOf(app.server) });
  const hasToken = ({ headers }: FastifyRequest) =>
    headers.authorization !== undefined &&
    sameSecret(headers.authorization, `Bearer ${config.internalToken}`);

  addErrorHandler(app, logger);
  app.addHook('onRequest', async (request) => {
    requireOneTarget(request.raw);
    if (INTERNAL_PATHS.has(request.routeOptions.url ?? '') && !hasToken(request)) throw needsToken();
    place.check(request.headers);
  });
  app.get('/healthz', async () => context.health());
  app.get('/readyz', async () => {
    await context.requireReady();
    return { status: 'ready' };
  });
  app.get('/metrics', async (request, reply) => {
    if (!isFromThisHost(request.raw) && !hasToken(request)) throw needsToken();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  addCalls(app, context);
  return app;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function needsToken(): AppError {
  return new AppError('unauthenticated', 'The internal token is needed as bearer.');
}
