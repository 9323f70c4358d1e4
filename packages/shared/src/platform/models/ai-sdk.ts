import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  embedMany,
  extractReasoningMiddleware,
  generateText,
  type JSONSchema7,
  jsonSchema,
  NoObjectGeneratedError,
  Output,
  type LanguageModel as SdkModel,
  streamText,
  wrapLanguageModel,
} from 'ai';
import { z } from 'zod';
import type { EmbeddingConfig, LanguageModelConfig } from '../config/model-config.ts';
import { hidingKey } from '../secret-values.ts';
import { jsonValueIn } from './json-value-in.ts';
import {
  type Embedder,
  type LanguageModel,
  ModelError,
  type ModelUsage,
  type ReplyFinish,
  type ReplyPiece,
  type ReplyRequest,
  type StructuredRequest,
} from './model-ports.ts';
import { modelErrorOf } from './sdk-errors.ts';

/** What the library does not know of a model would be printed, not logged. */
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Tries nothing again: the budgets are short, and the caller has another way. */
const ONCE = { maxRetries: 0 } as const;

export function openLanguageModel(config: LanguageModelConfig): Omit<LanguageModel, 'warm'> {
  const model = sdkModel(config);
  const hide = hidingKey(config.apiKey);
  return {
    complete: (request) => complete(model, request, hide),
    stream: (request) => stream(model, request, hide),
  };
}

export function openEmbedder({ baseUrl, apiKey, model }: EmbeddingConfig): Embedder {
  const provider = createOpenAICompatible({
    name: 'embedding',
    baseURL: baseUrl,
    ...(apiKey && { apiKey }),
    fetch: here,
  });
  const hide = hidingKey(apiKey);
  return {
    async embed(texts, abortSignal) {
      try {
        const { embeddings } = await embedMany({
          ...ONCE,
          model: provider.embeddingModel(model),
          values: [...texts],
          abortSignal,
        });
        return embeddings;
      } catch (error) {
        throw failureOf(error, abortSignal, false, hide);
      }
    },
  };
}

function sdkModel({ provider, baseUrl, apiKey, model }: LanguageModelConfig): SdkModel {
  if (provider === 'anthropic') {
    const given = { ...(apiKey && { apiKey }), ...(baseUrl && { baseURL: anthropicAddress(baseUrl) }) };
    return createAnthropic({ ...given, fetch: here })(model);
  }
  const compatible = createOpenAICompatible({
    name: 'llm',
    baseURL: baseUrl ?? '',
    // Else nothing is counted.
    includeUsage: true,
    // Else the server is not told the schema.
    supportsStructuredOutputs: true,
    ...(apiKey && { apiKey }),
    fetch: here,
  });
  // Local models often write what they think into the answer, in these tags.
  const middleware = extractReasoningMiddleware({ tagName: 'think' });
  return wrapLanguageModel({ model: compatible(model), middleware });
}

/** The address of the service is often written without its version. */
function anthropicAddress(baseUrl: string): string {
  const url = new URL(baseUrl);
  return url.pathname === '/' ? new URL('/v1', url).href : baseUrl;
}

/** The key and the chat go to the configured address, and nowhere else. */
const here: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (response.status < 300 || response.status >= 400) return response;
  await response.body?.cancel();
  throw new ModelError('refused', `${response.status}: a redirect`);
};

async function complete<T>(
  model: SdkModel,
  request: StructuredRequest<T>,
  hide: (text: string) => string,
): Promise<T> {
  const { schemaName, read } = request;
  const result = read.safeParse(await answeredValue(model, request, hide));
  if (result.success) return result.data;
  throw new ModelError('invalid', `the answer is not a ${schemaName}`);
}

async function answeredValue(
  model: SdkModel,
  request: Omit<StructuredRequest<unknown>, 'read'>,
  hide: (text: string) => string,
): Promise<unknown> {
  const { schemaName, schema, instructions, input, maxOutputTokens, signal } = request;
  try {
    const { output } = await generateText({
      ...ONCE,
      model,
      instructions,
      prompt: input,
      maxOutputTokens,
      abortSignal: signal,
      output: Output.object({ name: schemaName, schema: jsonSchema(asSchema(schema)) }),
    });
    return output;
  } catch (error) {
    // Many models put the value into a code fence, or a sentence before it.
    if (NoObjectGeneratedError.isInstance(error)) return jsonValueIn(error.text ?? '');
    throw failureOf(error, signal, false, hide);
  }
}

function asSchema(schema: z.ZodType): JSONSchema7 {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7' });
  return rest as JSONSchema7;
}

async function* stream(
  model: SdkModel,
  { instructions, text, images, signal }: ReplyRequest,
  hide: (text: string) => string,
): AsyncGenerator<ReplyPiece> {
  let hasBegun = false;
  try {
    const { stream: parts } = streamText({
      ...ONCE,
      model,
      instructions: instructions.map((content) => ({ role: 'system' as const, content })),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            ...images.map(({ mediaType, bytes }) => ({ type: 'file' as const, mediaType, data: bytes })),
          ],
        },
      ],
      abortSignal: signal,
      // Without it errors are printed; they come as parts of the stream as well.
      onError: () => undefined,
    });
    for await (const part of parts) {
      if (part.type === 'text-delta') {
        hasBegun = true;
        yield { type: 'text', text: part.text };
      } else if (part.type === 'reasoning-delta') {
        hasBegun = true;
        yield { type: 'thought', length: part.text.length };
      } else if (part.type === 'finish-step') yield endOf(part);
      else if (part.type === 'error') throw part.error;
      else if (part.type === 'abort') throw new ModelError('broken', 'aborted');
    }
  } catch (error) {
    throw failureOf(error, signal, hasBegun, hide);
  }
}

interface FinishedStep {
  readonly finishReason: string;
  readonly usage: {
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
    readonly inputTokenDetails: { readonly cacheReadTokens: number | undefined };
  };
}

function endOf({ finishReason, usage }: FinishedStep): ReplyPiece {
  if (finishReason === 'error') throw new ModelError('broken', 'the stream ended before its end');
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  const counted: ModelUsage | undefined =
    inputTokens === undefined || outputTokens === undefined
      ? undefined
      : { inputTokens, outputTokens, cacheReadTokens: inputTokenDetails.cacheReadTokens ?? 0 };
  return { type: 'end', finish: finishOf(finishReason), ...(counted && { usage: counted }) };
}

function finishOf(reason: string): ReplyFinish {
  if (reason === 'length') return 'length';
  return reason === 'content-filter' ? 'filtered' : 'done';
}

function failureOf(
  error: unknown,
  signal: AbortSignal,
  hasBegun: boolean,
  hide: (text: string) => string,
): unknown {
  if (signal.aborted) return signal.reason;
  return modelErrorOf(error, hasBegun, hide);
}
