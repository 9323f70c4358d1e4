import { ROUTE_TABLE } from 'virtual:route-table';
import type { ErrorBody } from '@aizuchi/shared/contract/errors';
import type { RouteName, RouteOutput, Routes } from '@aizuchi/shared/contract/routes';
import type { z } from 'zod';
import { endSession, session } from '../session.ts';
import { fillPath, queryString } from './address.ts';
import { ApiError } from './api-error.ts';

type Part<N extends RouteName, K extends 'params' | 'query' | 'body'> = Routes[N] extends {
  readonly [P in K]: infer S extends z.ZodType;
}
  ? z.input<S>
  : never;
type WithPart<K extends string, T> = [T] extends [never]
  ? unknown
  : undefined extends T
    ? { readonly [P in K]?: T }
    : Record<never, never> extends T
      ? { readonly [P in K]?: T }
      : { readonly [P in K]: T };

/** The input of a call: params, query and body as in the contract. */
type CallInput<N extends RouteName> = WithPart<'params', Part<N, 'params'>> &
  WithPart<'query', Part<N, 'query'>> &
  WithPart<'body', Part<N, 'body'>> & {
    readonly signal?: AbortSignal;
    /** For a call that must complete after the page is closed. */
    readonly keepalive?: boolean;
  };
type Arguments<N extends RouteName> =
  Record<never, never> extends CallInput<N> ? [input?: CallInput<N>] : [input: CallInput<N>];

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly keepalive?: boolean;
}

/** In these routes a 401 means that the typed passkey is wrong. */
const ASKS_PASSKEY: ReadonlySet<RouteName> = new Set(['login', 'changePasskey']);

/**
 * Calls a route of the contract as the signed-in person. Throws ApiError. A sign-in that the server no longer knows is
 * ended here, and the router then shows the login page.
 */
export async function callApi<N extends RouteName>(
  name: N,
  ...[input]: Arguments<N>
): Promise<RouteOutput<N>> {
  const response = await send(name, input ?? {});
  const answer: unknown = response.status === 204 ? undefined : await response.json();
  if (import.meta.env.DEV) await checkAnswer(name, answer);
  // The server validates responses with the same schema; only the development build checks them again.
  return answer as RouteOutput<N>;
}

/** Calls a route that returns plain text; also returns its headers. Throws ApiError. */
export async function readText<N extends 'getRunLog'>(
  name: N,
  input: CallInput<N>,
): Promise<{ readonly text: string; readonly headers: Headers }> {
  const response = await send(name, input);
  return { text: await response.text(), headers: response.headers };
}

/** Sends a file as it is, byte by byte: read as a text, what is not UTF-8 would be replaced. Throws ApiError. */
export async function sendFile<N extends 'importProject'>(name: N, file: Blob): Promise<RouteOutput<N>> {
  const response = await send(name, { body: file });
  return (await response.json()) as RouteOutput<N>;
}

/** Calls a route that returns a file. Throws ApiError. */
export async function readFile<N extends 'exportProject' | 'exportMemoryOfPerson' | 'getAttachment'>(
  name: N,
  input: CallInput<N>,
): Promise<Blob> {
  const response = await send(name, input);
  return response.blob().catch((cause: unknown) => {
    throw new ApiError('network', 'The file did not arrive as a whole.', { cause });
  });
}

/**
 * Reads server-sent events until the server ends the stream. The browser's own reader cannot send the header that shows
 * where a call comes from. Throws ApiError, also when the connection breaks.
 */
export async function readEvents<N extends 'followAgentEvents'>(
  name: N,
  input: CallInput<N>,
  { onOpen, onData }: { readonly onOpen: () => void; readonly onData: (data: string) => void },
): Promise<void> {
  // Few pages follow a stream, so its reader is not a part of what all load.
  const { EventSourceParserStream } = await import('eventsource-parser/stream').catch((cause: unknown) => {
    throw new ApiError('network', 'What reads the stream could not be loaded.', { cause });
  });
  const { body } = await send(name, input);
  onOpen();
  const reader = body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      onData(part.value.data);
  } catch (cause) {
    throw new ApiError('network', 'The stream broke.', { cause });
  }
}

async function send(name: RouteName, input: LooseInput): Promise<Response> {
  const { csrf } = session.get();
  const { method, path } = ROUTE_TABLE[name];
  const { params, query, body, signal, keepalive } = input;
  const isLines = typeof body === 'string' || body instanceof Blob;
  const response = await fetch(fillPath(path, params) + queryString(query), {
    method,
    headers: {
      ...(csrf !== undefined && { 'x-aizuchi-csrf': csrf }),
      ...(body !== undefined && { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' }),
    },
    ...(body !== undefined && { body: isLines ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(keepalive && { keepalive }),
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    throw new ApiError('network', 'The server did not answer.', { cause });
  });
  if (!response.ok) {
    const error = await readError(response);
    if (error.code === 'unauthenticated' && !ASKS_PASSKEY.has(name)) endSession('expired', csrf);
    throw error;
  }
  return response;
}

async function readError(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after'));
  const rest = {
    status: response.status,
    retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
  };
  try {
    const { error } = (await response.json()) as ErrorBody;
    return new ApiError(error.code, error.message, { ...rest, details: error.details });
  } catch (cause) {
    // The response of a proxy, or an incomplete one.
    return new ApiError('unavailable', `HTTP ${response.status}`, { ...rest, cause });
  }
}

async function checkAnswer(name: RouteName, answer: unknown): Promise<void> {
  const { ROUTES } = await import('@aizuchi/shared/contract/routes');
  const route = ROUTES[name];
  if ('response' in route) route.response.parse(answer);
}
