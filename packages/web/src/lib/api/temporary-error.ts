import { ApiError } from './api-error.ts';

/** The same call is to be tried again after a delay: a transient failure, or the rate limit. */
export function isTemporary(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.isTransient || error.code === 'rate_limited');
}
