import type { z } from 'zod';

/** What a model has been asked and has answered, in tokens. Absent: the server does not count. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
}

/** A question that is answered by one JSON value. */
export interface StructuredRequest<T> {
  /** The server is told this name; a scripted one of a test knows the question by it. */
  readonly schemaName: string;
  /** What the model is told about the shape of its answer. */
  readonly schema: z.ZodType;
  /** What the answer must satisfy; it may be more lenient than what was asked for. */
  readonly read: z.ZodType<T>;
  readonly instructions: string;
  readonly input: string;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

export interface ModelImage {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A question that is answered by a text. */
export interface ReplyRequest {
  /** Each is a block of its own before what the person said. */
  readonly instructions: readonly string[];
  readonly text: string;
  readonly images: readonly ModelImage[];
  readonly signal: AbortSignal;
}

export type ReplyPiece =
  | { readonly type: 'text'; readonly text: string }
  /** The model thinks; only how much of it came. */
  | { readonly type: 'thought'; readonly length: number }
  /** The last one. Absent `usage`: the server does not count. */
  | { readonly type: 'end'; readonly finish: ReplyFinish; readonly usage?: ModelUsage };

/** length: the model was not allowed to say more; filtered: its server kept the rest back. */
export type ReplyFinish = 'done' | 'length' | 'filtered';

/** The model of LLM_*. All calls fail with a ModelError, or with the reason of the signal. None is tried again. */
export interface LanguageModel {
  /** Loads the library behind it; it is loaded by the first call otherwise. */
  warm(): Promise<void>;
  complete<T>(request: StructuredRequest<T>): Promise<T>;
  stream(request: ReplyRequest): AsyncIterable<ReplyPiece>;
}

/** The model of EMBEDDING_*. */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
}

/**
 * refused: no server, or one that answers with an error; broken: the answer ended before its end; silent: nothing came
 * for too long; invalid: a structured answer that is none.
 */
export type ModelErrorKind = 'refused' | 'broken' | 'silent' | 'invalid';

/** The message is for the log, without the key. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  /** Of HTTP, when the server answered with an error. */
  readonly status: number | undefined;

  constructor(kind: ModelErrorKind, message: string, status?: number) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}
