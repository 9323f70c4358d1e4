import type { ErrorBody } from '@aizuchi/shared/contract/errors';
import { isDatabaseAway } from '@aizuchi/shared/db/database';
import { AppError } from '@aizuchi/shared/errors';
import type { Logger } from '@aizuchi/shared/logger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HTTP_STATUS } from '../http-status.ts';

const DEFAULT_RETRY_AFTER_SECONDS = 1;
/** Text that Postgres cannot hold (U+0000, a lone surrogate): the caller's fault, wherever it came in. */
const UNSTORABLE_TEXT = new Set(['22021', '22P05']);
const TRANSACTION_TIMEOUT = '25P04';

/** Whatever was thrown becomes the error body of contract §2; what nobody expected is logged, here and only here. */
export function addErrorHandler(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, logger));
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger) {
  const refusal = toAppError(error);
  const status = HTTP_STATUS[refusal.code];
  if (refusal.code === 'internal') {
    logger.error({ err: error, method: request.method, route: request.routeOptions.url }, 'unexpected error');
  } else if (refusal.code === 'unavailable' && refusal.cause !== undefined) {
    logger.warn({ err: refusal.cause, route: request.routeOptions.url }, 'database away');
  }
  if (status === 429 || status === 503) {
    reply.header('retry-after', String(refusal.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS));
  }
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(errorBody(refusal));
}

function errorBody(error: AppError): ErrorBody {
  const { code, message, details } = error;
  return { error: { code, message, ...(details && { details }) } };
}

/** Only AppErrors are shown as they are; anything else keeps its words to itself. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseAway(error) || codeOf(error) === TRANSACTION_TIMEOUT) {
    return new AppError('unavailable', 'The database cannot be reached. Try again in a moment.', {
      cause: error,
    });
  }
  if (UNSTORABLE_TEXT.has(codeOf(error))) {
    return new AppError('invalid_input', 'The request holds a text that cannot be stored.');
  }
  return fromFramework(error) ?? new AppError('internal', 'Something went wrong here. It has been logged.');
}

/** What fastify refuses before a handler runs: size, syntax, content type. */
function fromFramework(error: unknown): AppError | undefined {
  const code = codeOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge();
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('invalid_input', 'The body must be sent as application/json.');
  }
  if (code === 'FST_ERR_BAD_URL') return new AppError('invalid_input', 'The address is not a valid URL.');
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return notFound();
  if (code.startsWith('FST_ERR_CTP_') || error instanceof SyntaxError) {
    return new AppError('invalid_input', 'The body is not valid JSON.');
  }
  return undefined;
}

export function notFound(): AppError {
  return new AppError('not_found', 'There is nothing under this address and method; see /api/openapi.json.');
}

function payloadTooLarge(): AppError {
  return new AppError('payload_too_large', 'The body is larger than 1 MiB.');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** What node itself could not read as HTTP never becomes a request. */
export function refuseBrokenHttp(
  error: Error & { code?: string },
  socket: { writable: boolean; end(text: string): void; destroy(): void },
) {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const refusal = isTooLarge
    ? new AppError('payload_too_large', 'The headers are too large.')
    : new AppError('invalid_input', 'This is not a valid HTTP request.');
  const body = JSON.stringify(errorBody(refusal));
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
