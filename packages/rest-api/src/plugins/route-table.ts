import { errorBodySchema } from '@aizuchi/shared/contract/errors';
import {
  ROUTES,
  type RouteDefinition,
  type RouteInput,
  type RouteName,
  type RouteOutput,
} from '@aizuchi/shared/contract/routes';
import type { Person } from '@aizuchi/shared/core/access/person';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';
import { z } from 'zod';
import { isSentInPieces, sendInPieces } from './event-stream.ts';
import { notSignedIn } from './gate.ts';

/**
 * One call of a route, validated. Reading `person` throws where the route needs no credentials and the caller has
 * none.
 */
interface Call<N extends RouteName> extends RouteInput<N> {
  readonly person: Person;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Handler<N extends RouteName> = (call: Call<N>) => Promise<RouteOutput<N>> | RouteOutput<N>;

/** The plugin serves the documentation page. Every other route of the table needs its handler to compile. */
type HandledRoute = Exclude<RouteName, 'docs'>;
export type Handlers = { readonly [N in HandledRoute]: Handler<N> };
export type HandlersOf<N extends HandledRoute> = Pick<Handlers, N>;

/** A body where none is expected is refused, not ignored. */
const noBodySchema = z.strictObject({}).optional();
/** Addresses outside the table: the files of the documentation, the WebSocket, the page. */
const BESIDE_THE_TABLE = /^(?:\/api\/docs(?:\/.*)?|\/api\/ws|\/|\/assets\/\*|\/[\w-]+\.\w+)$/;

/**
 * Registers the routes of the table and refuses all others: a registered route that is not in the table, or a table
 * entry without a handler, fails the start.
 */
export function registerRoutes(app: FastifyInstance, handlers: Handlers): void {
  const registered = new Set<string>();
  for (const name of routeNames()) {
    const handler = handlers[name];
    if (typeof handler !== 'function') throw new Error(`route ${name} of the table has no handler`);
    register(app, name, handler as Handler<RouteName>);
    registered.add(name);
  }
}

/** Must be called before any route is registered. */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const known = new Set(
    Object.values<RouteDefinition>(ROUTES).map((route) => `${route.method} ${route.path}`),
  );
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) {
      // fastify adds HEAD to every GET route.
      const isKnown = known.has(`${each === 'HEAD' ? 'GET' : each} ${url}`) || BESIDE_THE_TABLE.test(url);
      if (!isKnown) throw new Error(`route ${each} ${url} is not in contract/routes.ts`);
    }
  });
}

function routeNames(): HandledRoute[] {
  return (Object.keys(ROUTES) as RouteName[]).filter((name) => name !== 'docs');
}

function register<N extends RouteName>(app: FastifyInstance, name: N, handler: Handler<N>): void {
  const route: RouteDefinition = ROUTES[name];
  const options: RouteOptions = {
    method: route.method,
    url: route.path,
    schema: schemaOf(name, route),
    ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
    config: { route },
    handler: async (request, reply) => {
      reply.code(route.success);
      const body = await handler(callOf(request, reply));
      const { contentType } = route;
      if (isSentInPieces(contentType)) return sendInPieces(reply, contentType, body);
      if (body instanceof Uint8Array)
        return reply.send(Buffer.from(body.buffer, body.byteOffset, body.length));
      return route.success === 204 ? reply.send() : reply.send(body);
    },
  };
  if (route.streamed === undefined) app.route(options);
  else
    app.register(async (scope) => {
      // Whatever type its sender gives it: many name none, or that of a form.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
      scope.route(options);
    });
}

/** The compiled validators have run, so the parts have the types of the table. */
function callOf<N extends RouteName>(request: FastifyRequest, reply: FastifyReply): Call<N> {
  const call = {
    params: request.params,
    query: request.query,
    body: request.body,
    request,
    reply,
    get person() {
      if (!request.person) throw notSignedIn();
      return request.person;
    },
  };
  return call as unknown as Call<N>;
}

interface DocumentedSchema extends FastifySchema {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly consumes?: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
}

function schemaOf(name: RouteName, route: RouteDefinition): DocumentedSchema {
  const response = route.response ?? z.undefined();
  const success = route.contentType ? { content: { [route.contentType]: { schema: response } } } : response;
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    security: route.caller === 'public' ? [] : [{ bearer: [] }, { cookie: [], csrf: [] }],
    ...(route.streamed !== undefined && { consumes: [route.streamed] }),
    ...(route.params && { params: route.params }),
    ...(route.query && { querystring: route.query }),
    ...(route.method === 'GET' ? {} : { body: route.body ?? noBodySchema }),
    response: {
      [route.success]: success,
      ...(route.repeated && { [route.repeated]: success }),
      default: errorBodySchema,
    },
  };
}
