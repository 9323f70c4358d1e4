import type { ErrorBody } from '@aizuchi/shared/contract/errors';
import { databaseFaultOf } from '@aizuchi/shared/platform/db/database';
import { AppError } from '@aizuchi/shared/platform/errors';
import { HTTP_STATUS } from '@aizuchi/shared/platform/http/http-status';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const MIB = 1024 * 1024;
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** Turns every thrown error into the one error body. Unexpected errors are logged, here and only here. */
export function addErrorHandler(app: FastifyInstance, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, logger));
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger) {
  const isGone = isClientGone(error, request);
  const refusal = isGone ? cutOff() : toAppError(error, request.routeOptions.bodyLimit);
  const status = HTTP_STATUS[refusal.code];
  const route = request.routeOptions.url;
  if (isGone) {
    logger.debug({ method: request.method, route }, 'the client went away inside its request');
  } else if (refusal.code === 'internal') {
    logger.error({ err: error, method: request.method, route }, 'unexpected error');
  } else if (refusal.code === 'unavailable' && refusal.cause !== undefined) {
    logger.warn({ err: refusal.cause, route }, 'database away');
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

/**
 * True if the client closed the connection inside its request body. It is not an error of ours, and no client reads
 * the answer.
 */
function isClientGone(error: unknown, { raw }: FastifyRequest): boolean {
  return error !== undefined && raw.errored === error;
}

function cutOff(): AppError {
  return new AppError('invalid_input', 'The body was cut off.');
}

function errorBody(error: AppError): ErrorBody {
  const { code, message, details } = error;
  return { error: { code, message, ...(details && { details }) } };
}

/** An AppError is returned as it is; the text of any other error is not shown. */
export function toAppError(error: unknown, bodyLimit = MIB): AppError {
  if (error instanceof AppError) return error;
  const fault = databaseFaultOf(error);
  if (fault === 'away') {
    return new AppError('unavailable', 'The database cannot be reached. Try again in a moment.', {
      cause: error,
    });
  }
  if (fault === 'unstorable') {
    return new AppError('invalid_input', 'The request holds a value that cannot be stored.');
  }
  return (
    fromFramework(error, bodyLimit) ??
    new AppError('internal', 'Something went wrong here. It has been logged.')
  );
}

/** Errors that fastify raises before a handler runs: size, syntax, content type. */
function fromFramework(error: unknown, bodyLimit: number): AppError | undefined {
  const code = codeOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return payloadTooLarge(bodyLimit);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new AppError('invalid_input', 'The body must be sent as application/json.');
  }
  if (code === 'FST_ERR_BAD_URL') return new AppError('invalid_input', 'The address is not a valid URL.');
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return notFound();
  if (code.startsWith('FST_ERR_CTP_') || error instanceof SyntaxError) {
    return new AppError('invalid_input', 'The body is not valid JSON.');
  }
  return fromPlugin(error);
}

/** Errors of the plugins that send files: a path outside the folder, a precondition that fails. */
function fromPlugin(error: unknown): AppError | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return status === 403 || status === 404
    ? notFound()
    : new AppError('invalid_input', 'The request does not fit what it asks for.');
}

export function notFound(): AppError {
  return new AppError('not_found', 'There is nothing under this address and method; see /api/openapi.json.');
}

function payloadTooLarge(bodyLimit: number): AppError {
  return new AppError('payload_too_large', `The body is larger than ${bodyLimit / MIB} MiB.`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
