import type { IncomingHttpHeaders } from 'node:http';
import {
  classifyInboundRequest,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isToolName, type ToolName } from '../tool-registry.ts';
import type { ToolResult } from '../tool-result.ts';

/** The revision without a handshake (every request carries its envelope), which the light path supports. */
const ENVELOPE_REVISION = '2026-07-28';

const toolCallSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.literal('tools/call'),
  params: z.object({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    _meta: z
      .object({ progressToken: z.union([z.string(), z.number()]).optional() })
      .loose()
      .optional(),
  }),
});

export interface CallRequest {
  readonly id: string | number;
  readonly tool: ToolName;
  readonly args: unknown;
  readonly progressToken: string | number | undefined;
  /** `envelope`: the revision of 2026. Its results say that they are complete and which server answered. */
  readonly generation: 'handshake' | 'envelope';
}

/**
 * Whether this POST calls one of our tools in a form that the light path answers exactly as the SDK does. The
 * SDK answers everything unusual: a batch, an unknown tool, a header that is missing or contradicts the body.
 */
export function readCallRequest(headers: IncomingHttpHeaders, body: unknown): CallRequest | undefined {
  if (!callsTool(body) || !acceptsBoth(headers.accept)) return undefined;
  if (!isJsonContentType(headers['content-type'] ?? null)) return undefined;
  const parsed = toolCallSchema.safeParse(body);
  if (!parsed.success || !isToolName(parsed.data.params.name)) return undefined;
  const generation = hasEnvelope(parsed.data.params._meta)
    ? envelopeGeneration(headers, body, parsed.data.params.name)
    : handshakeGeneration(headers);
  if (generation === undefined) return undefined;
  const { id, params } = parsed.data;
  return {
    id,
    tool: parsed.data.params.name,
    args: params.arguments,
    progressToken: params._meta?.progressToken,
    generation,
  };
}

/** The response message of a call, in the form that this generation of clients reads. */
export function resultMessage(
  request: CallRequest,
  result: ToolResult,
  serverInfo: { name: string; version: string },
) {
  return {
    jsonrpc: '2.0',
    id: request.id,
    result:
      request.generation === 'handshake'
        ? result
        : { ...result, resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: serverInfo } },
  };
}

export function progressMessage(progressToken: string | number, elapsedSeconds: number) {
  return {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken, progress: elapsedSeconds },
  };
}

/** Checked before any schema: a batch or a list of tools needs no closer look. */
function callsTool(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Reflect.get(body, 'method') === 'tools/call';
}

/**
 * Distinguishes the generations as the SDK does. The SDK's own classification tries schemas, which is
 * expensive for every call.
 */
function hasEnvelope(meta: object | undefined): boolean {
  return meta !== undefined && PROTOCOL_VERSION_META_KEY in meta;
}

function handshakeGeneration(headers: IncomingHttpHeaders): 'handshake' | undefined {
  const version = single(headers['mcp-protocol-version']);
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version) ? 'handshake' : undefined;
}

function envelopeGeneration(
  headers: IncomingHttpHeaders,
  body: unknown,
  tool: string,
): 'envelope' | undefined {
  const version = single(headers['mcp-protocol-version']);
  const method = single(headers['mcp-method']);
  const name = single(headers['mcp-name']);
  if (version !== ENVELOPE_REVISION || method !== 'tools/call' || name !== tool) return undefined;
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    protocolVersionHeader: version,
    mcpMethodHeader: method,
    mcpNameHeader: name,
  });
  return outcome.kind === 'modern' && outcome.classification.revision === ENVELOPE_REVISION
    ? 'envelope'
    : undefined;
}

function acceptsBoth(accept: string | undefined): boolean {
  return accept?.includes('application/json') === true && accept.includes('text/event-stream');
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
