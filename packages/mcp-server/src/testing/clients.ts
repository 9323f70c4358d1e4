import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';

interface CallOptions {
  readonly onProgress?: (progress: number) => void;
  readonly signal?: AbortSignal;
}

interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Record<string, unknown> | undefined;
  readonly content: readonly unknown[];
}

/** One tool client for both SDKs: the tests run the same steps with each. */
export interface TestClient {
  call(tool: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolReply>;
  listTools(): Promise<
    { name: string; inputSchema: unknown; outputSchema?: unknown; description?: string }[]
  >;
  protocolVersion(): string | undefined;
  close(): Promise<void>;
}

export type ClientKind = 'sdk 1.32' | 'client 2.4, handshake' | 'client 2.4, envelope';
export const CLIENT_KINDS: readonly ClientKind[] = [
  'sdk 1.32',
  'client 2.4, handshake',
  'client 2.4, envelope',
];

export async function connectClient(kind: ClientKind, mcpUrl: string, bearer?: string): Promise<TestClient> {
  const requestInit = bearer === undefined ? {} : { headers: { Authorization: `Bearer ${bearer}` } };
  return kind === 'sdk 1.32'
    ? connectOld(mcpUrl, requestInit)
    : connectNew(mcpUrl, requestInit, kind === 'client 2.4, envelope' ? 'auto' : 'legacy');
}

async function connectOld(mcpUrl: string, requestInit: RequestInit): Promise<TestClient> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit });
  // The SDK's own types are older than exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return {
    async call(tool, args = {}, options = {}) {
      const result = await client.callTool({ name: tool, arguments: args }, CallToolResultSchema, {
        timeout: 60_000,
        ...(options.signal && { signal: options.signal }),
        ...(options.onProgress && { onprogress: ({ progress }) => options.onProgress?.(progress) }),
      });
      return toReply(CallToolResultSchema.parse(result));
    },
    listTools: async () => (await client.listTools()).tools as Awaited<ReturnType<TestClient['listTools']>>,
    protocolVersion: () => transport.protocolVersion,
    close: () => client.close(),
  };
}

async function connectNew(
  mcpUrl: string,
  requestInit: RequestInit,
  mode: 'auto' | 'legacy',
): Promise<TestClient> {
  const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new NewTransport(new URL(mcpUrl), { requestInit }));
  return {
    async call(tool, args = {}, options = {}) {
      const result = await client.callTool(
        { name: tool, arguments: args },
        {
          timeout: 60_000,
          ...(options.signal && { signal: options.signal }),
          ...(options.onProgress && { onprogress: ({ progress }) => options.onProgress?.(progress) }),
        },
      );
      return toReply(CallToolResultSchema.parse(result));
    },
    listTools: async () => (await client.listTools()).tools as Awaited<ReturnType<TestClient['listTools']>>,
    protocolVersion: () => client.getNegotiatedProtocolVersion(),
    close: () => client.close(),
  };
}

function toReply(result: ReturnType<typeof CallToolResultSchema.parse>): ToolReply {
  const [first] = result.content;
  return {
    isError: result.isError === true,
    text: first?.type === 'text' ? first.text : '',
    structured: result.structuredContent,
    content: result.content,
  };
}
