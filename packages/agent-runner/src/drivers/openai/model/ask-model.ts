import { type SilenceLimits, Watchdog } from '@aizuchi/shared/platform/models/watchdog';
import { type LanguageModel, type ModelMessage, streamText, type ToolSet } from 'ai';
import { z } from 'zod';
import type { ToolCallEntry } from '../history/records.ts';
import { faultOf, ModelFault } from './faults.ts';

export interface ModelRequest {
  readonly model: LanguageModel;
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: ToolSet;
  /** The model has to answer now. */
  readonly withoutTools?: boolean;
  readonly signal: AbortSignal;
  readonly silence: SilenceLimits;
  /** How long a reply may be, in UTF-16 units of all its parts together: a model may repeat itself without an end. */
  readonly longest: number;
  readonly redact: (text: string) => string;
}

/** A piece of an answer as it comes. */
export interface Piece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

export interface ModelCall extends ToolCallEntry {
  /** Why it cannot be carried out; for the model. */
  readonly fault?: string;
}

/** What a model said in one step. `calls`: to be carried out before the next. */
export interface Reply {
  /** Its first token has come, be it of a call that was never completed. */
  hasBegun: boolean;
  text: string;
  reasoning: string;
  calls: ModelCall[];
  /** UTF-16 units of everything that came, also of calls that were never completed. */
  length: number;
  /** Absent: cut off. */
  finish?: 'done' | 'length' | 'filtered';
  modelId?: string;
  /** Absent: the server does not count. */
  usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly cacheReadTokens: number };
}

/**
 * Asks the model once. `reply` is filled while the pieces come, so that what came stays when the stream breaks. Throws
 * ModelFault, or the reason of the signal. Tries nothing again.
 */
export async function* askModel(request: ModelRequest, reply: Reply): AsyncGenerator<Piece> {
  const { model, instructions, messages, tools, withoutTools = false, signal } = request;
  const watchdog = new Watchdog(signal, request.silence);
  const hasTools = Object.keys(tools).length > 0;
  const begin = (piece: string) => {
    watchdog.touch();
    reply.hasBegun = true;
    // Pieces without a text come without an end as well.
    reply.length += Math.max(1, piece.length);
    if (reply.length > request.longest) throw new ModelFault({ kind: 'endless' });
  };
  try {
    const { stream } = streamText({
      model,
      instructions,
      messages: [...messages],
      ...(hasTools && { tools, toolChoice: withoutTools ? 'none' : 'auto' }),
      maxRetries: 0,
      abortSignal: watchdog.signal,
      // Without it errors are printed; they come as parts of the stream as well.
      onError: () => undefined,
    });
    for await (const part of stream) {
      switch (part.type) {
        case 'text-delta':
          begin(part.text);
          reply.text += part.text;
          yield { type: 'text', text: part.text };
          break;
        case 'reasoning-delta':
          begin(part.text);
          reply.reasoning += part.text;
          yield { type: 'reasoning', text: part.text };
          break;
        case 'tool-input-start':
          begin(part.toolName);
          break;
        case 'tool-input-delta':
          begin(part.delta);
          break;
        case 'tool-call':
          reply.calls.push(callOf(part, reply.calls));
          break;
        case 'finish-step':
          takeEnd(reply, part);
          break;
        case 'error':
          throw part.error;
        case 'abort':
          throw new DOMException('aborted', 'AbortError');
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (watchdog.silentMs !== undefined)
      throw new ModelFault({ kind: 'silent', seconds: Math.ceil(watchdog.silentMs / 1000) });
    const { redact } = request;
    throw faultOf(error, { hasBegun: reply.hasBegun, redact }) ?? new Error(redact(String(error)));
  } finally {
    watchdog.close();
  }
}

export function emptyReply(): Reply {
  return { hasBegun: false, text: '', reasoning: '', calls: [], length: 0 };
}

/** UTF-16 units of a token, about. */
const UNITS_PER_TOKEN = 3.5;

/**
 * What a reply has cost. A server that does not count is not guessed for, unless the reply broke: it is paid for, and
 * its cost would have come last. `promptTokens`: about how long the request was.
 */
export function usageOf(reply: Reply, promptTokens?: number): Reply['usage'] {
  if (reply.usage || promptTokens === undefined || !reply.hasBegun) return reply.usage;
  const outputTokens = Math.ceil(reply.length / UNITS_PER_TOKEN);
  return { inputTokens: promptTokens, outputTokens, cacheReadTokens: 0 };
}

const objectSchema = z.record(z.string(), z.unknown());
const metadataSchema = z.record(z.string(), z.record(z.string(), z.json()));

interface CallPart {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly providerMetadata?: unknown;
  readonly invalid?: boolean | undefined;
  readonly error?: unknown;
}

function callOf(part: CallPart, others: readonly ModelCall[]): ModelCall {
  const { toolCallId, toolName, input, providerMetadata, invalid, error } = part;
  const object = objectSchema.safeParse(input);
  const metadata = metadataSchema.safeParse(providerMetadata).data;
  return {
    id: uniqueId(toolCallId, others),
    tool: toolName,
    // The templates of some models refuse arguments that are no object.
    input: object.data ?? {},
    ...(metadata && { metadata }),
    ...((invalid || !object.success) && { fault: faultOfCall(input, error) }),
  };
}

/** Some servers give all calls of a reply the same id, or none. */
function uniqueId(wanted: string, others: readonly ModelCall[]): string {
  const isTaken = (one: string) => one === '' || others.some(({ id }) => id === one);
  let id = wanted;
  for (let count = others.length; isTaken(id); count += 1) id = `${wanted || 'call'}_${count}`;
  return id;
}

function faultOfCall(input: unknown, error: unknown): string {
  if (typeof input === 'string') return `The arguments are not valid JSON: ${input.slice(0, 500)}`;
  return error instanceof Error ? error.message : 'The arguments are not an object.';
}

interface EndPart {
  readonly finishReason: string;
  readonly response: { readonly modelId?: string };
  readonly usage: {
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
    readonly inputTokenDetails: { readonly cacheReadTokens: number | undefined };
  };
}

function takeEnd(reply: Reply, { finishReason, response, usage }: EndPart): void {
  const finishes = { length: 'length', 'content-filter': 'filtered' } as const;
  if (finishReason !== 'error')
    reply.finish =
      finishReason === 'length' || finishReason === 'content-filter' ? finishes[finishReason] : 'done';
  if (response.modelId) reply.modelId = response.modelId;
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  if (inputTokens !== undefined && outputTokens !== undefined)
    reply.usage = { inputTokens, outputTokens, cacheReadTokens: inputTokenDetails.cacheReadTokens ?? 0 };
}
