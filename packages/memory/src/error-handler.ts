import { databaseFaultOf } from '@aizuchi/shared/platform/db/database';
import { AppError } from '@aizuchi/shared/platform/errors';
import { HTTP_STATUS } from '@aizuchi/shared/platform/http/http-status';
import type { Logger } from '@aizuchi/shared/platform/logger';
import type { FastifyInstance } from 'fastify';

const RETRY_AFTER_SECONDS = 1;

/** Every refusal and failure as the error of the contract; what is unexpected is logged, here and only here. */
export function addErrorHandler(app: FastifyInstance, logger: Logger): void {
  app.setNotFoundHandler(() => {
    throw new AppError('not_found', 'There is nothing under this address and method.');
  });
  app.setErrorHandler(async (error, request, reply) => {
    const { code, message, retryAfterSeconds = RETRY_AFTER_SECONDS, cause } = toAppError(error);
    if (code === 'internal')
      logger.error({ err: error, route: request.routeOptions.url }, 'unexpected error');
    else if (code === 'unavailable') logger.warn({ err: cause }, message);
    if (code === 'unavailable') reply.header('retry-after', String(retryAfterSeconds));
    return reply.code(HTTP_STATUS[code]).send({ error: { code, message } });
  });
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const fault = databaseFaultOf(error);
  if (fault === 'away')
    return new AppError('unavailable', 'The database cannot be reached.', { cause: error });
  if (fault === 'unstorable')
    return new AppError('invalid_input', 'The request holds a value that cannot be stored.');
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new AppError('payload_too_large', 'The body is larger than 1 MiB.');
  if (code.startsWith('FST_ERR_CTP_') || error instanceof SyntaxError)
    return new AppError('invalid_input', 'The body is not valid JSON.');
  return new AppError('internal', 'Something went wrong here. It has been logged.');
}
