import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { StringDecoder } from 'node:string_decoder';
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
import { HttpStatusError, InvalidTokenError, REPLY_TOO_LARGE } from './transport-errors.ts';

/** Our server begins each answer within 0.1 s; a line on which nothing comes is given up. */
const ANSWER_BEGINS_WITHIN_MS = 60_000;
/** Below the 75 s after which our server closes an idle connection, so that a call rarely meets that. */
const IDLE_CONNECTION_MS = 10_000;
/**
 * The largest result gives 1.4 MiB of messages, as structured content and again as text. JSON writes each of their
 * bytes as 13 at most: `\u0001`, and the same with its backslash escaped.
 */
const MAX_REPLY_BYTES = 32 * 1_048_576;
/** Of the answer to a notification, and of an error; its text is shown to SHOWN_CHARACTERS. */
const MAX_ERROR_BYTES = 65_536;
const SHOWN_CHARACTERS = 500;

export interface HttpTransportOptions {
  readonly answerWithinMs?: number;
  readonly maxReplyBytes?: number;
}

/**
 * MCP over HTTP to a server that keeps no sessions. The transport of the SDK is not used: with its fetch and
 * web streams the main thread of a Coordinator at rest uses twice as much CPU (docs/performance.md), and it
 * reports nothing when a reply ends without its response (the server was killed). Here such a request fails
 * at once.
 *
 * A server that restarts closes kept connections. The next request on one of them ends without an answer, and
 * nothing shows whether it was processed. It fails, and its caller decides: a repeat here would hide from the caller
 * that an answer may have been lost.
 */
export class HttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #agents = {
    http: new http.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
    https: new https.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  };
  /** The requests whose answers have not ended, by the ids of their messages. */
  readonly #open = new Map<RequestId, ClientRequest>();
  readonly #options: HttpTransportOptions;

  /** @throws InvalidTokenError */
  constructor(url: URL, token: string | undefined, options: HttpTransportOptions = {}) {
    this.#url = url;
    this.#options = options;
    this.#headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    };
    if (token !== undefined) this.setToken(token);
  }

  async start(): Promise<void> {
    // Each message is a request of its own.
  }

  /**
   * The bearer of the requests from now on.
   * @throws InvalidTokenError
   */
  setToken(token: string): void {
    requireSendableToken(token);
    this.#headers.authorization = `Bearer ${token}`;
  }

  setProtocolVersion(version: string): void {
    this.#headers['mcp-protocol-version'] = version;
  }

  /** Resolves when the server has begun to answer. The response comes through `onmessage`. */
  async send(message: JSONRPCMessage): Promise<void> {
    // A call that was given up: the server sees the connection end, and nothing is left open.
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (cancelled !== undefined) this.#open.get(cancelled)?.destroy(new Error('the call was given up'));
    const id = isJSONRPCRequest(message) ? message.id : undefined;
    const response = await this.#post(JSON.stringify(message), id);
    const { statusCode: status = 0 } = response;
    if (status < 200 || status > 299) throw await statusError(status, response);
    if (id !== undefined) this.#deliver(response, id);
    else void readStart(response);
  }

  async close(): Promise<void> {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    this.onclose?.();
  }

  #post(body: string, id: RequestId | undefined): Promise<IncomingMessage> {
    const { promise: response, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = { ...this.#headers, 'content-length': Buffer.byteLength(body) };
    const options = { method: 'POST', headers };
    const { http: plain, https: secure } = this.#agents;
    const request =
      this.#url.protocol === 'https:'
        ? https.request(this.#url, { ...options, agent: secure }, resolve)
        : http.request(this.#url, { ...options, agent: plain }, resolve);
    const { answerWithinMs = ANSWER_BEGINS_WITHIN_MS } = this.#options;
    const timer = setTimeout(
      () => request.destroy(new Error(`the server did not answer within ${answerWithinMs} ms`)),
      answerWithinMs,
    );
    request.on('response', () => clearTimeout(timer));
    request.on('error', reject);
    request.on('close', () => {
      clearTimeout(timer);
      if (id !== undefined && this.#open.get(id) === request) this.#open.delete(id);
    });
    if (id !== undefined) this.#open.set(id, request);
    request.end(body);
    return response;
  }

  #deliver(response: IncomingMessage, id: RequestId): void {
    const { maxReplyBytes = MAX_REPLY_BYTES } = this.#options;
    let isAnswered = false;
    const take = (text: string) => {
      const message = this.#parse(text);
      if (message === undefined) return;
      isAnswered ||= 'id' in message && message.id === id && !('method' in message);
      this.onmessage?.(message);
    };
    const events = createParser({ onEvent: ({ data }) => take(data) });
    const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
    const decoder = new StringDecoder('utf8');
    let text = '';
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxReplyBytes) return void response.destroy();
      if (isStream) events.feed(decoder.write(chunk));
      else text += decoder.write(chunk);
    });
    response.on('end', () => {
      if (!isStream) take(text);
    });
    // Cut off: 'close' comes next.
    response.on('error', () => undefined);
    response.on('close', () => {
      if (isAnswered) return;
      this.onmessage?.(bytes > maxReplyBytes ? tooLargeResponse(id, maxReplyBytes) : lostResponse(id));
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

/** @throws InvalidTokenError when no header can carry the token. */
export function requireSendableToken(token: string): void {
  try {
    http.validateHeaderValue('authorization', `Bearer ${token}`);
  } catch {
    throw new InvalidTokenError();
  }
}

function lostResponse(id: RequestId): JSONRPCMessage {
  const error = { code: ErrorCode.ConnectionClosed, message: 'the reply ended before its response' };
  return { jsonrpc: '2.0', id, error };
}

function tooLargeResponse(id: RequestId, maxBytes: number): JSONRPCMessage {
  const message = `the reply has more than ${maxBytes} bytes`;
  return { jsonrpc: '2.0', id, error: { code: REPLY_TOO_LARGE, message } };
}

async function statusError(status: number, response: IncomingMessage): Promise<HttpStatusError> {
  const text = await readStart(response);
  const isRedirect = status >= 300 && status <= 399;
  return new HttpStatusError(
    status,
    isRedirect
      ? `the server answered ${status}, a redirect, which is not followed: the address must be that of the MCP endpoint`
      : `the server answered ${status}: ${text.slice(0, SHOWN_CHARACTERS)}`,
  );
}

/** Reads a body to MAX_ERROR_BYTES; a longer one is given up with its connection. Never throws. */
async function readStart(response: IncomingMessage): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += chunk.length;
      text += decoder.write(chunk);
      if (bytes > MAX_ERROR_BYTES) break;
    }
  } catch {
    // Cut off: the status says enough.
  }
  return text;
}
