import { z } from 'zod';
import type { ModelRequest, Reply, ToolResult, ToolUse } from '../../../tests/fixtures/fake-anthropic.ts';
import type { Given } from './given.ts';
import type { Place } from './place.ts';

const PREFIX = 'mcp__aizuchi__';
const resultSchema = z.looseObject({
  session_token: z.string().optional(),
  action: z.string().optional(),
  pending_messages: z
    .array(z.object({ id: z.string(), repeat: z.boolean().optional(), redelivered: z.boolean().optional() }))
    .optional(),
});

/**
 * A scripted model that signs in and answers every message: the next call follows from the last result, and a failed
 * call is repeated. It records the messages that its requests contained.
 */
export class AnsweringModel {
  readonly given: Given[] = [];
  readonly #place: Place;
  #session = '';

  constructor(place: Place) {
    this.#place = place;
  }

  readonly reply = (request: ModelRequest): Reply => {
    // Requests for titles and summaries, which the client makes besides.
    if (!request.tools.some(({ name }) => name?.startsWith(PREFIX))) return { text: 'ok' };
    const result = lastResult(request);
    const use = result && useOf(request, result.tool_use_id);
    if (!result || !use) return this.#signIn();
    if (result.is_error) return { tool: use.name, input: use.input };
    return this.#after(use.name.slice(PREFIX.length), resultSchema.parse(JSON.parse(textOf(result))));
  };

  #signIn(): Reply {
    const { membership, passkey } = this.#place;
    const me = { agent_id: membership.agentId, project_id: membership.projectId, passkey };
    return { tool: `${PREFIX}authenticate`, input: { ...me, replace: true } };
  }

  #after(tool: string, result: z.infer<typeof resultSchema>): Reply {
    if (tool === 'authenticate') this.#session = result.session_token ?? '';
    if (result.action === 'exit' || result.action === 'logout') return { text: 'I leave.' };
    if (result.action === 'get_pending_messages') return this.#call('get_pending_messages');
    const messages = tool === 'get_pending_messages' ? (result.pending_messages ?? []) : [];
    const last = messages.at(-1);
    if (!last) return this.#call('get_next_action', { hold_seconds: 20 });
    this.given.push(
      ...messages.map(({ id, repeat, redelivered }) => ({ id, marked: repeat ?? redelivered ?? false })),
    );
    const answer = { content: `Read: ${messages.length}`, idempotency_key: last.id };
    return this.#call('respond_chat', answer);
  }

  #call(tool: string, input: Record<string, unknown> = {}): Reply {
    return { tool: PREFIX + tool, input: { session_token: this.#session, ...input } };
  }
}

function lastResult({ messages }: ModelRequest): ToolResult | undefined {
  const last = messages.findLast(({ role }) => role === 'user');
  return last?.content.flatMap((block) => (block.type === 'tool_result' ? [block] : [])).at(0);
}

function useOf({ messages }: ModelRequest, id: string): ToolUse | undefined {
  return messages
    .flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool_use' ? [block] : [])))
    .findLast((use) => use.id === id);
}

function textOf({ content = '' }: ToolResult): string {
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}
