import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

type RequestIdValue = string | number;

/** Time for the SDK to parse what arrived with the last bytes, before a stream counts as cut off. */
const PARSE_GRACE_MS = 20;

/**
 * The SDK's transport says nothing when a reply stream ends without its response (the server was killed, or
 * restarted): the call would hang until its timeout. This watches the streams and answers such a request with
 * a connection error itself.
 */
export class LostResponses {
  readonly #open = new Set<RequestIdValue>();
  #deliver: ((message: JSONRPCMessage) => void) | undefined;

  /** To be called after `Client.connect`, which installs the message handler that is wrapped here. */
  watch(transport: StreamableHTTPClientTransport): void {
    const deliver = transport.onmessage;
    this.#deliver = deliver;
    transport.onmessage = (message: JSONRPCMessage) => {
      if ('id' in message && message.id !== undefined && !('method' in message))
        this.#open.delete(message.id);
      deliver?.(message);
    };
  }

  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const id = requestIdOf(init?.body);
    if (id === undefined) return fetch(url, init);
    this.#open.add(id);
    try {
      const response = await fetch(url, init);
      if (!response.ok || response.body === null) return response;
      const body = notifyEnd(response.body, () => setTimeout(() => this.#fail(id), PARSE_GRACE_MS));
      return new Response(body, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  };

  #fail(id: RequestIdValue): void {
    if (!this.#open.delete(id)) return;
    this.#deliver?.({
      jsonrpc: '2.0',
      id,
      error: { code: ErrorCode.ConnectionClosed, message: 'the reply ended before its response' },
    });
  }
}

function requestIdOf(body: RequestInit['body']): RequestIdValue | undefined {
  if (typeof body !== 'string') return undefined;
  const message: unknown = JSON.parse(body);
  if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message)) return;
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : undefined;
}

/** The same bytes, and a word when there are no more, whether they ended well or not. */
function notifyEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    async cancel(reason) {
      await reader.cancel(reason);
    },
  });
}
