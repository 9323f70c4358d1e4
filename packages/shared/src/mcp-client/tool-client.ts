import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ToolName } from '../contract/tools/tool-texts.ts';
import { TOOLS, type ToolInput, type ToolOutput } from '../contract/tools/tools.ts';
import { backoffMs } from './backoff.ts';
import { HttpTransport, requireSendableToken } from './http-transport.ts';
import type { ReceiptBook } from './receipt-book.ts';
import { ToolRefused, ToolUnreachable } from './tool-errors.ts';
import { HttpStatusError, REPLY_TOO_LARGE } from './transport-errors.ts';

export interface ToolClientOptions {
  /** The MCP endpoint: `…/mcp`. */
  readonly url: string;
  /** Absent: it comes by `useToken`, before the first call. */
  readonly token?: string;
  readonly name: string;
  readonly version: string;
  /** For the session of an agent: each call names the receipts that have arrived. */
  readonly receipts?: ReceiptBook;
}

export interface CallOptions {
  /** The time limit of the whole answer; a held call needs its hold time and 15 s more. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface RetryOptions extends CallOptions {
  readonly onRetry?: (error: ToolUnreachable, failures: number) => void;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Refusals that mean "try again later". */
const PASSING_CODES = new Set(['unavailable', 'rate_limited', 'internal']);

const contentSchema = z.array(z.object({ type: z.string(), text: z.string().optional() }));
const imagesSchema = z.array(
  z
    .object({ type: z.literal('image'), data: z.base64(), mimeType: z.string() })
    .optional()
    .catch(undefined),
);
const errorTextSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});

/**
 * Calls the tools of the mcp-server with their types. The server keeps no state for a connection, so after a
 * restart it can be called again.
 */
export class ToolClient {
  readonly #options: ToolClientOptions;
  #token: string | undefined;
  #transport: HttpTransport | undefined;
  #connecting: Promise<Client> | undefined;

  /** @throws InvalidTokenError */
  constructor(options: ToolClientOptions) {
    this.#options = options;
    if (options.token !== undefined) this.useToken(options.token);
  }

  /**
   * The bearer of every call from now on.
   * @throws InvalidTokenError
   */
  useToken(token: string): void {
    requireSendableToken(token);
    this.#token = token;
    this.#transport?.setToken(token);
  }

  /** Makes the connection before the first call, which needs no token. Rejects when the server cannot be reached. */
  async connect(): Promise<void> {
    await this.#connected();
  }

  /** Throws `ToolRefused` or `ToolUnreachable`, or the reason of the signal. */
  async call<N extends ToolName>(
    name: N,
    args: ToolInput<N>,
    options: CallOptions = {},
  ): Promise<ToolOutput<N>> {
    return (await this.#call(name, args, options)).output;
  }

  /** The image of an attachment, in base64; undefined: it is none. Throws as `call`. */
  async image(id: string, options: CallOptions = {}): Promise<string | undefined> {
    const { content } = await this.#call('get_attachment', { id }, options);
    return imagesSchema.safeParse(content).data?.find((part) => part !== undefined)?.data;
  }

  async #call<N extends ToolName>(
    name: N,
    args: ToolInput<N>,
    options: CallOptions,
  ): Promise<{ readonly output: ToolOutput<N>; readonly content: unknown }> {
    const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    signal?.throwIfAborted();
    const book = name === 'authenticate' ? undefined : this.#options.receipts;
    const received = book?.toName();
    try {
      const client = await this.#connected();
      const result = await client.callTool(
        { name, arguments: { ...args, ...(received && { received }) } },
        undefined,
        { timeout: timeoutMs, ...(signal ? { signal } : {}) },
      );
      if (result.isError) throw refusalOf(result.content);
      const output = parseOutput(name, result.structuredContent);
      if (received) book?.named(received);
      book?.arrived(output);
      return { output, content: result.content };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw classify(error);
    }
  }

  /** Tries again, with growing pauses, until the server has answered. The call must be repeatable. */
  async callUntilAnswered<N extends ToolName>(
    name: N,
    args: ToolInput<N>,
    options: RetryOptions = {},
  ): Promise<ToolOutput<N>> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.call(name, args, options);
      } catch (error) {
        if (!(error instanceof ToolUnreachable)) throw error;
        options.onRetry?.(error, failures);
        await delay(backoffMs(failures), undefined, options.signal ? { signal: options.signal } : {});
      }
    }
  }

  async close(): Promise<void> {
    const client = await this.#connecting?.catch(() => undefined);
    await client?.close();
  }

  #connected(): Promise<Client> {
    this.#connecting ??= this.#connect().catch((error: unknown) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Client> {
    const { url, name, version } = this.#options;
    const client = new Client({ name, version });
    this.#transport = new HttpTransport(new URL(url), this.#token);
    await client.connect(this.#transport);
    return client;
  }
}

function parseOutput<N extends ToolName>(name: N, value: unknown): ToolOutput<N> {
  const schema: z.ZodType<ToolOutput<N>> = outputSchemaOf(name);
  return schema.parse(value);
}

// The table is keyed by name, which TypeScript cannot follow through an index with a type parameter.
function outputSchemaOf<N extends ToolName>(name: N): z.ZodType<ToolOutput<N>> {
  return TOOLS[name].output as unknown as z.ZodType<ToolOutput<N>>;
}

function refusalOf(content: unknown): ToolRefused | ToolUnreachable {
  const text = contentSchema.safeParse(content).data?.find((part) => part.text !== undefined)?.text ?? '';
  const parsed = errorTextSchema.safeParse(tryJson(text));
  if (!parsed.success) return new ToolRefused('unknown', text.slice(0, 500) || 'refused without a reason');
  const { code, message, details } = parsed.data.error;
  return PASSING_CODES.has(code)
    ? new ToolUnreachable(`${code}: ${message}`)
    : new ToolRefused(code, message, details);
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A tool error of the SDK itself (unknown tool, wrong arguments) is plain text.
    return undefined;
  }
}

function classify(error: unknown): unknown {
  if (error instanceof ToolRefused || error instanceof ToolUnreachable) return error;
  if (error instanceof z.ZodError) return new ToolRefused('unexpected_answer', z.prettifyError(error));
  if (error instanceof HttpStatusError) {
    const { status } = error;
    // Nor does a redirect go away by itself.
    if (status >= 300 && status < 500 && status !== 408 && status !== 429) {
      return new ToolRefused(status === 401 ? 'unauthenticated' : `http_${status}`, error.message);
    }
  }
  if (error instanceof McpError && error.code === REPLY_TOO_LARGE)
    return new ToolRefused('reply_too_large', error.message);
  if (error instanceof McpError && !PASSING_MCP_CODES.has(error.code)) {
    return new ToolRefused('invalid_input', error.message);
  }
  return new ToolUnreachable(error instanceof Error ? error.message : String(error), error);
}

const PASSING_MCP_CODES = new Set<number>([
  ErrorCode.ConnectionClosed,
  ErrorCode.RequestTimeout,
  ErrorCode.InternalError,
]);
