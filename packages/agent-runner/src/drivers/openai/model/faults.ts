import { AISDKError, APICallError, InvalidResponseDataError, JSONParseError, TypeValidationError } from 'ai';
import { z } from 'zod';
import type { OpenAiTexts } from '../texts/texts-shape.ts';

/** Why a model gave no answer, or not the whole one. */
export type Fault =
  | { readonly kind: 'auth' | 'server'; readonly status: number }
  | { readonly kind: 'rate'; readonly waitMs?: number }
  | { readonly kind: 'silent'; readonly seconds: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind:
        | 'model'
        | 'address'
        | 'quota'
        | 'unreachable'
        | 'cut'
        | 'tooLong'
        | 'noTools'
        | 'noReasoning'
        | 'badReply'
        | 'filtered'
        | 'cutShort'
        | 'empty'
        | 'tooManySteps'
        | 'endless'
        | 'redirect'
        | 'badKey';
    };

/** `message` is for the log of the run. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault';
  readonly fault: Fault;

  constructor(fault: Fault, message: string = fault.kind) {
    super(message);
    this.fault = fault;
  }
}

export interface FaultyAgent {
  readonly model: string;
  readonly host: string;
  /** How often it may use tools. */
  readonly steps: number;
}

/** The sentence for the person. */
export function sentenceOf(fault: Fault, texts: OpenAiTexts, agent: FaultyAgent): string {
  const said = texts.fault;
  switch (fault.kind) {
    case 'auth':
    case 'server':
      return said[fault.kind](fault.status);
    case 'rate':
      return said.rate(fault.waitMs === undefined ? undefined : Math.ceil(fault.waitMs / 1000));
    case 'silent':
      return said.silent(fault.seconds);
    case 'tooManySteps':
      return said.tooManySteps(agent.steps);
    case 'refused':
      return said.refused(fault.reason);
    case 'noTools':
    case 'noReasoning':
      return said.badReply;
    case 'model':
      return said.model(agent.model);
    case 'unreachable':
      return said.unreachable(agent.host);
    default:
      return said[fault.kind];
  }
}

/** Another try a moment later may succeed. */
export function isPassing({ kind }: Fault): boolean {
  return kind === 'rate' || kind === 'server' || kind === 'unreachable' || kind === 'cut';
}

/** An error as OpenAI writes it, and as others do. What else stands in the body may repeat the request. */
const errorObject = z.object({
  message: z.string(),
  code: z.union([z.string(), z.number()]).nullish().catch(null),
  type: z.string().nullish().catch(null),
});
const errorBody = z.union([
  z.object({ error: errorObject }).transform(({ error }) => error),
  z.object({ error: z.string() }).transform(({ error: message }) => ({ message, code: null, type: null })),
  errorObject,
  z.object({ detail: z.string() }).transform(({ detail: message }) => ({ message, code: null, type: null })),
]);

const CONTEXT_TOO_LONG =
  /context.{0,20}(?:length|window|size|limit)|maximum context|(?:prompt|input|message).{0,20}too (?:long|large)|too many (?:input )?tokens|context_length_exceeded|n_ctx/i;
const NO_TOOLS = /tool.{0,40}not support|not support.{0,40}tool|tool choice requires|tool use is not/i;
const NO_REASONING =
  /reasoning(?:_content)?\b.{0,60}(?:not|un)|(?:unexpected|unknown|additional|extra).{0,60}reasoning/i;
const FILTERED = /content_filter|content management policy|content policy/i;
const NO_CREDIT =
  /insufficient_quota|quota.{0,30}exceeded|exceeded your.{0,30}quota|insufficient.{0,10}(?:credit|balance)/i;
const MODEL = /model/i;

export interface FaultContext {
  /** Something of the answer came. */
  readonly hasBegun: boolean;
  /** Takes the key out of a text. It is called before a text is cut: a part of a key would not be found. */
  readonly redact: (text: string) => string;
}

/** What an error of the AI SDK means, thrown or as a part of the stream; undefined: it is not about the model. */
export function faultOf(error: unknown, { hasBegun, redact }: FaultContext): ModelFault | undefined {
  if (error instanceof ModelFault) return error;
  if (APICallError.isInstance(error)) {
    const { statusCode: status, responseHeaders } = error;
    const message = redact(error.message);
    if (status === undefined) return new ModelFault({ kind: hasBegun ? 'cut' : 'unreachable' }, message);
    if (status < 300) return new ModelFault({ kind: 'cut' }, message);
    const structured = errorBody.safeParse(parsed(error.responseBody)).data;
    const reason = redact(structured?.message ?? error.message);
    const { code, type } = structured ?? {};
    const said = { status, text: `${reason} ${code ?? ''} ${type ?? ''}`, reason };
    const fault = faultOfStatus(said, structured !== undefined, responseHeaders);
    return new ModelFault(fault, `${status}: ${reason}`);
  }
  const message = redact(error instanceof Error ? error.message : String(error));
  if (error instanceof Error && error.name === 'AI_ToolChoiceViolationError')
    return new ModelFault({ kind: 'tooManySteps' }, message);
  if (InvalidResponseDataError.isInstance(error)) return new ModelFault({ kind: 'cut' }, message);
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error))
    return new ModelFault({ kind: 'badReply' }, message);
  const chunk =
    error instanceof Error && !AISDKError.isInstance(error) ? undefined : errorChunk.safeParse(error);
  return chunk?.success ? faultOfChunk(chunk.data, redact) : undefined;
}

/** An error in the middle of a stream. */
const errorChunk = z.object({
  message: z.string(),
  code: z.union([z.string(), z.number()]).nullish(),
  statusCode: z.number().nullish(),
});

function faultOfChunk(chunk: z.infer<typeof errorChunk>, redact: FaultContext['redact']): ModelFault {
  const { code, statusCode } = chunk;
  const message = redact(chunk.message);
  const status = statusCode ?? Number(code);
  const said = { status, text: `${message} ${code ?? ''}`, reason: message };
  const fault = status >= 400 ? faultOfStatus(said, true, undefined) : faultOfText(said);
  return new ModelFault(fault, `the model sent an error: ${message}`);
}

interface Said {
  readonly status: number;
  readonly text: string;
  readonly reason: string;
}

function faultOfStatus(said: Said, isOurs: boolean, headers: Record<string, string> | undefined): Fault {
  const { status, text } = said;
  if (status === 401 || status === 403) return { kind: 'auth', status };
  if (status === 402 || NO_CREDIT.test(text)) return { kind: 'quota' };
  if (status === 404) return { kind: isOurs && MODEL.test(text) ? 'model' : 'address' };
  if (status === 429) {
    const waitMs = waitOf(headers ?? {});
    return waitMs === undefined ? { kind: 'rate' } : { kind: 'rate', waitMs };
  }
  if (CONTEXT_TOO_LONG.test(text) || status === 413) return { kind: 'tooLong' };
  if (status >= 500) return { kind: 'server', status };
  return faultOfText(said);
}

function faultOfText({ text, reason }: Said): Fault {
  if (CONTEXT_TOO_LONG.test(text)) return { kind: 'tooLong' };
  if (FILTERED.test(text)) return { kind: 'filtered' };
  if (NO_TOOLS.test(text)) return { kind: 'noTools' };
  if (NO_REASONING.test(text)) return { kind: 'noReasoning' };
  return { kind: 'refused', reason: excerptOf(reason) };
}

function parsed(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}

const REASON_LENGTH = 300;

/** It is shown in the chat, as one sentence. */
function excerptOf(reason: string): string {
  const line = reason.replace(/\s+/g, ' ').trim().slice(0, REASON_LENGTH);
  return /[.!?。]$/.test(line) ? line : `${line}.`;
}

/** `Retry-After` in seconds or as a date, or the header in milliseconds that some servers add. */
function waitOf(headers: Record<string, string>): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (ms >= 0) return ms;
  const after = headers['retry-after'];
  if (after === undefined) return undefined;
  const seconds = Number(after);
  if (seconds >= 0) return seconds * 1000;
  const at = Date.parse(after);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
