import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@aizuchi/shared/platform/errors';
import { isFromThisHost } from '@aizuchi/shared/platform/http/address';
import { refuseBrokenHttp } from '@aizuchi/shared/platform/http/broken-http';
import { Connections } from '@aizuchi/shared/platform/http/connections';
import { EDGE_LIMITS, type EdgeLimits, httpOptions } from '@aizuchi/shared/platform/http/edge-limits';
import { PlaceCheck } from '@aizuchi/shared/platform/http/host-and-origin';
import { originForm, requireOneTarget } from '@aizuchi/shared/platform/http/request-target';
import { trustedProxy } from '@aizuchi/shared/platform/http/trusted-proxy';
import { sameSecret } from '@aizuchi/shared/platform/token-hash';
import { readCallRequest } from './calls/call-request.ts';
import { ToolCalls } from './calls/tool-calls.ts';
import type { Context } from './context.ts';
import { Exchange } from './exchange.ts';
import { clientAddressReader } from './http/client-address.ts';
import { sendError, sendJson } from './http/json-reply.ts';
import { BATCH_TOO_LARGE, isBatchTooLarge, limitMessages } from './http/message-limit.ts';
import { readBody } from './http/read-body.ts';
import { createSdkEndpoint } from './sdk-endpoint.ts';
import { isOffered } from './tool-offer.ts';

/** After a restart thousands of agents connect at the same time. */
const LISTEN_BACKLOG = 4_096;
const CLOSE_IDLE_EVERY_MS = 20;
/**
 * A call that still runs after this time is cut off. Its client calls again, and what the call held is
 * offered again.
 */
const STOP_TIMEOUT_MS = 4_000;

/** More than any tool accepts: what is deeper than that is refused by the tool, with its reason. */
const MAX_NESTING = 256;

const PARSE_ERROR = {
  jsonrpc: '2.0',
  error: { code: -32700, message: 'Parse error: the body is not JSON' },
  id: null,
};

export interface App {
  readonly server: Server;
  /** When the system chose the port, it is known only now. */
  listen(): Promise<{ url: string; port: number }>;
  /** Answers the held calls, waits for the other calls, and closes. Refuses new calls meanwhile. */
  stop(): Promise<void>;
}

/** The HTTP interface of this process: /mcp, and the endpoints for operators. */
export function createApp(context: Context, options: { edge?: Partial<EdgeLimits> } = {}): App {
  const { config, tools, logger } = context;
  const addressOf = clientAddressReader(config.server.trustProxy);
  const toolCalls = new ToolCalls(tools, context.serverInfo);
  const sdk = createSdkEndpoint({ context: tools, serverInfo: context.serverInfo });
  const limits = { ...EDGE_LIMITS, ...options.edge };
  const server = createServer(httpOptions(limits), (request, response) => {
    serve(request, response).catch((error: unknown) => fail(response, error));
  });
  server.on('clientError', refuseBrokenHttp);
  const isTrustedProxy = trustedProxy(config.server.trustProxy);
  new Connections({ limits, isTrustedProxy, logger }).watch(server);
  const place = new PlaceCheck({
    ...(config.server.publicUrl !== undefined && { publicUrl: config.server.publicUrl }),
    allowedHosts: config.server.allowedHosts,
    isLoopback: config.server.isLoopback,
    port: () => port,
  });
  let isStopping = false;
  let port = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requireOneTarget(request);
    place.check(request.headers);
    const path = originForm(request).replace(/\?.*$/s, '');
    switch (path) {
      case '/mcp':
        return serveMcp(request, response);
      case '/healthz':
        return sendJson(response, 200, context.health());
      case '/readyz':
        if (isStopping) throw unavailable('Not ready: the server is stopping.');
        await context.requireReady();
        return sendJson(response, 200, { status: 'ready' });
      case '/metrics':
        return serveMetrics(request, response);
      default:
        throw new AppError('not_found', 'There is nothing here. MCP is spoken at /mcp.');
    }
  }

  async function serveMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = new Exchange(request, response, addressOf);
    if (request.method !== 'POST') return sdk.serve(request, response, undefined, exchange);
    const body = parseJson(await readBody(request));
    if (body === undefined) return sendJson(response, 400, PARSE_ERROR);
    const call = readCallRequest(request.headers, body);
    // The SDK answers that the tool does not exist.
    if (call && isOffered(call.tool, exchange)) return toolCalls.serve(call, response, exchange);
    if (isBatchTooLarge(body)) return sendJson(response, 400, BATCH_TOO_LARGE);
    await limitMessages(body, { context: tools, exchange });
    toolCalls.cancel(body, exchange.bearer);
    await sdk.serve(request, response, body, exchange);
  }

  async function serveMetrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = new Exchange(request, response, addressOf);
    if (
      !isFromThisHost(request) &&
      !(exchange.bearer !== undefined && sameSecret(exchange.bearer, config.internalToken))
    )
      throw new AppError('unauthenticated', 'From another host the internal token is needed as bearer.');
    const { registry } = context.metrics;
    response.writeHead(200, { 'Content-Type': registry.contentType });
    response.end(await registry.metrics());
  }

  function fail(response: ServerResponse, error: unknown): void {
    if (!(error instanceof AppError)) logger.error({ err: error }, 'request failed');
    if (response.headersSent) response.destroy();
    else
      sendError(
        response,
        error instanceof AppError ? error : new AppError('internal', 'Something went wrong here.'),
      );
  }

  return {
    server,
    async listen() {
      const { host } = config.server;
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port: config.server.port, backlog: LISTEN_BACKLOG }, resolve);
      });
      port = portOf(server);
      return { port, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}` };
    },
    async stop() {
      isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      tools.stopHolding();
      // Kept-alive connections count as open until they are idle, and they become idle one after the other.
      const closing = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
      const timer = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
      await closed;
      clearInterval(closing);
      clearTimeout(timer);
      await sdk.close();
    },
  };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * undefined: the text is not JSON, or it is nested so deep that the schemas of the protocol would overflow
 * the stack.
 */
function parseJson(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return nestsTooDeep(body) ? undefined : body;
  } catch {
    return undefined;
  }
}

/** Works level by level, because a recursion could itself overflow the stack. */
function nestsTooDeep(body: unknown): boolean {
  let level: unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}

function unavailable(message: string): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: 1 });
}
