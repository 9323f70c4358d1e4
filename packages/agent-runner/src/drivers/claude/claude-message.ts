import { z } from 'zod';

/**
 * The parts of the messages of Claude Code that the driver uses. They are parsed here because the program is the one of
 * the host, which may be newer or older than the library: what is unknown is ignored, and nothing of it throws.
 */
const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()).catch({}),
});
const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.boolean().nullish(),
  content: z.unknown().optional(),
});
const text = z.object({ type: z.literal('text'), text: z.string() });
const thinking = z.object({ type: z.literal('thinking'), thinking: z.string() });
const otherBlock = z.unknown().transform(() => ({ type: 'other' as const }));
const block = z.union([text, thinking, toolUse, toolResult, otherBlock]);

const streamEvent = z.union([
  z.object({
    type: z.literal('message_start'),
    message: z.object({ id: z.string(), model: z.string().optional() }),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index: z.number(),
    content_block: z.object({ type: z.string() }),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.number(),
    delta: z.union([z.object({ type: z.literal('text_delta'), text: z.string() }), otherBlock]),
  }),
  z.object({ type: z.literal('content_block_stop'), index: z.number() }),
  z.object({ type: z.literal('message_stop') }),
  otherBlock,
]);

/** A message of a subagent names the call that started it. */
const parent = { parent_tool_use_id: z.string().nullish() };

const usage = z.object({
  input_tokens: z.number().catch(0),
  output_tokens: z.number().catch(0),
  cache_read_input_tokens: z.number().catch(0),
  cache_creation_input_tokens: z.number().catch(0),
});

const init = z.object({
  type: z.literal('system'),
  subtype: z.literal('init'),
  session_id: z.string(),
  model: z.string().catch(''),
  claude_code_version: z.string().catch(''),
  skills: z.array(z.string()).catch([]),
  mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })).catch([]),
});
const status = z.object({
  type: z.literal('system'),
  subtype: z.literal('status'),
  status: z.string().nullish(),
  compact_result: z.string().nullish(),
});
const compactBoundary = z.object({
  type: z.literal('system'),
  subtype: z.literal('compact_boundary'),
  compact_metadata: z.object({ pre_tokens: z.number(), post_tokens: z.number().optional() }),
});
const apiRetry = z.object({
  type: z.literal('system'),
  subtype: z.literal('api_retry'),
  attempt: z.number(),
  max_retries: z.number(),
  error_status: z.number().nullish(),
  error: z.string().catch('unknown'),
});
const informational = z.object({
  type: z.literal('system'),
  subtype: z.literal('informational'),
  content: z.string(),
});
const assistant = z.object({
  type: z.literal('assistant'),
  message: z.object({ id: z.string(), model: z.string().catch(''), content: z.array(block).catch([]) }),
  error: z.string().nullish(),
  ...parent,
});
const user = z.object({
  type: z.literal('user'),
  message: z.object({ content: z.array(block).catch([]) }),
  /** The tool's own object, or a text when it failed. */
  tool_use_result: z.unknown().optional(),
  /** The answer with this id was stopped by the safeguards of the model. */
  refused_message_id: z.string().nullish(),
  ...parent,
});
const partial = z.object({ type: z.literal('stream_event'), event: streamEvent, ...parent });
const result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean().catch(false),
  terminal_reason: z.string().nullish(),
  api_error_status: z.number().nullish(),
  api_error: z.string().nullish(),
  result: z.string().catch(''),
  errors: z.array(z.string()).catch([]),
  total_cost_usd: z.number().catch(0),
  usage: usage.catch({
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  }),
  user_message_uuids: z.array(z.string()).catch([]),
});
/** Where a message of ours stands, by the id that we gave to it. */
const lifecycle = z.object({
  type: z.literal('command_lifecycle'),
  command_uuid: z.string(),
  state: z.string(),
});
const ignored = z.unknown().transform(() => ({ type: 'ignored' as const }));

const claudeMessageSchema = z.union([
  partial,
  assistant,
  user,
  init,
  status,
  compactBoundary,
  apiRetry,
  informational,
  result,
  lifecycle,
  ignored,
]);

export type ClaudeMessage = z.infer<typeof claudeMessageSchema>;
export type ClaudeBlock = z.infer<typeof block>;
export type StreamEvent = z.infer<typeof streamEvent>;
export type ClaudeResult = z.infer<typeof result>;
export type ApiRetry = z.infer<typeof apiRetry>;

export function parseClaudeMessage(message: unknown): ClaudeMessage {
  return claudeMessageSchema.parse(message);
}
