import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CancelledNotificationSchema,
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { createParser } from 'eventsource-parser';

const REDIRECTS = new Set([307, 308]);
/** Our server begins each answer within 0.1 s; a line on which nothing comes is given up. */
const ANSWER_BEGINS_WITHIN_MS = 60_000;
/** Below the 75 s after which our server closes an idle connection: a call must not meet that. */
const IDLE_CONNECTION_MS = 10_000;

/** The server answered with a status that MCP does not have. */
export class HttpStatusError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'HttpStatusError';
    this.status = status;
  }
}

/**
 * MCP over HTTP to a server that keeps no sessions. The transport of the SDK is not used: with its fetch and
 * web streams the main thread of a Coordinator at rest uses twice as much CPU (docs/performance.md), and it
 * reports nothing when a reply ends without its response (the server was killed). Here such a request fails
 * at once.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #url: URL;
  readonly #headers: Record<string, string>;
  readonly #agents = {
    http: new http.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
    https: new https.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  };
  /** The requests whose answers have not ended, by the ids of their messages. */
  readonly #open = new Map<RequestId, ClientRequest>();
  readonly #answerWithinMs: number;

  constructor(url: URL, token: string, answerWithinMs = ANSWER_BEGINS_WITHIN_MS) {
    this.#url = url;
    this.#answerWithinMs = answerWithinMs;
    this.#headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    };
  }

  async start(): Promise<void> {
    // Each message is a request of its own.
  }

  setProtocolVersion(version: string): void {
    this.#headers['mcp-protocol-version'] = version;
  }

  /** Resolves when the server has begun to answer. The response comes through `onmessage`. */
  async send(message: JSONRPCMessage): Promise<void> {
    // A call that was given up: the server sees the connection end, and nothing is left open.
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (cancelled !== undefined) this.#open.get(cancelled)?.destroy();
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    const response = await this.#post(JSON.stringify(message), id);
    const { statusCode: status = 0 } = response;
    if (status < 200 || status > 299) {
      const text = await textOf(response);
      throw new HttpStatusError(status, `the server answered ${status}: ${text.slice(0, 500)}`);
    }
    if (id !== undefined) this.#deliver(response, id);
    else response.resume();
  }

  async close(): Promise<void> {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    this.onclose?.();
  }

  async #post(body: string, id: RequestId | undefined): Promise<IncomingMessage> {
    const response = await this.#postTo(this.#url, body, id);
    const { statusCode = 0, headers } = response;
    if (!REDIRECTS.has(statusCode) || headers.location === undefined) return response;
    const target = new URL(headers.location, this.#url);
    // The token is sent to no other server.
    if (!isSameServer(this.#url, target)) return response;
    response.resume();
    this.#url = target;
    return this.#postTo(target, body, id);
  }

  #postTo(url: URL, body: string, id: RequestId | undefined): Promise<IncomingMessage> {
    const headers = { ...this.#headers, 'content-length': Buffer.byteLength(body) };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request =
      url.protocol === 'https:'
        ? https.request(url, { method: 'POST', headers, agent: this.#agents.https }, resolve)
        : http.request(url, { method: 'POST', headers, agent: this.#agents.http }, resolve);
    const timer = setTimeout(
      () => request.destroy(new Error(`the server did not answer within ${this.#answerWithinMs} ms`)),
      this.#answerWithinMs,
    );
    request.on('response', () => clearTimeout(timer));
    request.on('error', reject);
    request.on('close', () => {
      clearTimeout(timer);
      if (id !== undefined && this.#open.get(id) === request) this.#open.delete(id);
    });
    if (id !== undefined) this.#open.set(id, request);
    request.end(body);
    return promise;
  }

  #deliver(response: IncomingMessage, id: RequestId): void {
    let isAnswered = false;
    const take = (text: string) => {
      const message = this.#parse(text);
      if (message === undefined) return;
      isAnswered ||= 'id' in message && message.id === id && !('method' in message);
      this.onmessage?.(message);
    };
    const events = createParser({ onEvent: ({ data }) => take(data) });
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      if (isStream) events.feed(chunk);
      else text += chunk;
    });
    response.on('end', () => {
      if (!isStream) take(text);
    });
    // Cut off: 'close' comes next.
    response.on('error', () => undefined);
    response.on('close', () => {
      if (!isAnswered) this.onmessage?.(lostResponse(id));
    });
  }

  #parse(text: string): JSONRPCMessage | undefined {
    try {
      return JSONRPCMessageSchema.parse(JSON.parse(text));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return undefined;
    }
  }
}

function lostResponse(id: RequestId): JSONRPCMessage {
  const error = { code: ErrorCode.ConnectionClosed, message: 'the reply ended before its response' };
  return { jsonrpc: '2.0', id, error };
}

/** The same server, or the same server with TLS. */
function isSameServer(from: URL, to: URL): boolean {
  if (to.origin === from.origin) return true;
  return (
    from.protocol === 'http:' &&
    to.protocol === 'https:' &&
    from.hostname === to.hostname &&
    to.port + from.port === ''
  );
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
}
