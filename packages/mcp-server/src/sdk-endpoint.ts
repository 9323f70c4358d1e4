import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Standing } from '@aizuchi/shared/core/questions/ask-question';
import {
  type NodeIncomingMessageLike,
  type NodeServerResponseLike,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Exchange } from './exchange.ts';
import type { ToolContext } from './tool-context.ts';
import { instructionsFor, isOffered, toolListFor } from './tool-offer.ts';
import { isToolName, runTool } from './tool-registry.ts';

/**
 * Used only for what the SDK itself validates; our tools have their own schemas. Made once because that is
 * expensive.
 */
const validator = new AjvJsonSchemaValidator();

const KEEP_ALIVE_MS = 10_000;

/**
 * Answers everything that is not a plain tool call (calls/tool-calls.ts) through the SDK: stateless, both
 * protocol generations. It uses the low-level Server, because invalid arguments must give our form of error,
 * and because registering every tool for each request is expensive.
 */
export function createSdkEndpoint(options: {
  context: ToolContext;
  serverInfo: { name: string; version: string };
}) {
  const { context, serverInfo } = options;
  const exchanges = new AsyncLocalStorage<Exchange>();

  /** A caller with an unknown bearer sees all tools. */
  const standingOf = async ({ bearer }: Exchange): Promise<Standing | null> =>
    bearer === undefined ? null : context.questions.standing(bearer);

  const createServer = () => {
    const exchange = exchanges.getStore();
    if (!exchange) throw new Error('no HTTP exchange around this call');
    const server = new Server(serverInfo, {
      capabilities: { tools: {} },
      instructions: instructionsFor(exchange),
      jsonSchemaValidator: validator,
    });
    server.setRequestHandler('tools/list', async () => ({
      tools: toolListFor(exchange, await standingOf(exchange)),
    }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      if (!isToolName(params.name) || !isOffered(params.name, exchange))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} not found`);
      return { ...(await runTool(params.name, params.arguments, { context, exchange })) };
    });
    return server;
  };

  const handler = createMcpHandler(createServer, {
    // `auto` holds the headers until the result is there.
    responseMode: 'sse',
    keepAliveMs: KEEP_ALIVE_MS,
    onerror: (error) => context.logger.debug({ err: error }, 'refused by the protocol'),
  });
  const serve = toNodeHandler(handler, {
    onerror: (error) => context.logger.error({ err: error }, 'MCP request failed'),
  });

  return {
    serve: (request: IncomingMessage, response: ServerResponse, body: unknown, exchange: Exchange) =>
      exchanges.run(exchange, () => serve(asSdkRequest(request), flushingHeaders(response), body)),
    close: () => handler.close(),
  };
}

function asSdkRequest(request: IncomingMessage): NodeIncomingMessageLike {
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: request.headers,
    [Symbol.asyncIterator]: () => request[Symbol.asyncIterator](),
  };
}

/**
 * Node holds the headers until the first byte of the body; a slow sign-in must not look like a dead server.
 */
function flushingHeaders(response: ServerResponse): NodeServerResponseLike {
  return {
    writeHead: (status, headers) => {
      response.writeHead(status, headers);
      if (headers?.['content-type']?.startsWith('text/event-stream')) response.flushHeaders();
      return response;
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => response.end(chunk),
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}
